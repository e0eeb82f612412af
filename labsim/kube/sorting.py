"""`--sort-by`: ascending by the first value at a path; quantities by amount, what is missing first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from labsim.kube import quantity
from labsim.kube.gofmt import quote, type_name
from labsim.kube.jsonpath import JSONPathError, Template, relaxed

T = TypeVar("T")
_MISSING: Any = object()


class SortError(ValueError):
    """The text is kubectl's."""


class UnsortableError(SortError):
    """kubectl ends on the spot, through klog: `source` is the file and line it names before the text."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text)
        self.source = source


def sort_objects(objects: Sequence[T], field: str) -> list[T]:
    """As for `-o name|yaml|json|jsonpath...`. Raises SortError, also when no object has the field."""
    if not objects or not field:
        return list(objects)
    try:
        path = relaxed(field)
        template = Template.parse(path)
        values = [_first(template, obj) for obj in objects]
    except JSONPathError as error:
        raise SortError(str(error)) from None
    return _sorted(objects, values, path, "*unstructured.Unstructured", "sorter.go:329")


def sort_rows(rows: Sequence[T], field: str, object_of: Callable[[T], Any]) -> list[T]:
    """As for a server's Table, of which a single row is left alone.

    Raises SortError; kubectl never shows the text of a plain one here: it prints no rows, says that no resources were
    found, and exits 0.
    """
    if len(rows) < 2 or not field:
        return list(rows)
    try:
        path = relaxed(field)
    except JSONPathError:
        path = field
    try:
        template = Template.parse(path)
    except JSONPathError as error:
        raise SortError(f"sorting error: {error}") from None
    try:
        values = [_first(template, object_of(row)) for row in rows]
    except JSONPathError as error:
        shown = f"&errors.errorString{{s:{quote(str(error))}}}"
        raise SortError(f"Failed to get values for [][]reflect.Value(nil) using {path} ({shown})") from None
    return _sorted(rows, values, path, "[][][]reflect.Value", "sorter.go:375")


def _first(template: Template, obj: Any) -> Any:
    found = template.find(obj)
    return found[0][0] if found and found[0] else _MISSING


def _sorted(items: Sequence[T], values: list[Any], path: str, holder: str, source: str) -> list[T]:
    if all(value is _MISSING for value in values):
        raise SortError(f"couldn't find any field with path {quote(path)} in the list of objects")
    order = list(range(len(items)))
    try:
        # insertion, as Go sorts up to twelve: it keeps ties in order but turns round what is missing
        for at in range(1, len(order)):
            while at and _less(values[order[at]], values[order[at - 1]]):
                order[at], order[at - 1] = order[at - 1], order[at]
                at -= 1
    except _TypeProblemError as problem:
        text = f"Field {path} in {holder} is an unsortable type: interface, err: {problem}"
        raise UnsortableError(text, source) from None
    return [items[at] for at in order]


class _TypeProblemError(Exception):
    pass


def _less(left: Any, right: Any) -> bool:
    if left is _MISSING or right is _MISSING:
        return left is _MISSING
    if left is None or right is None:
        return left is None and right is not None
    if type(left) not in (int, float, str):
        raise _TypeProblemError(f"unsortable type: {type_name(left)}")
    if isinstance(left, str) and isinstance(right, str):
        return _text_less(left, right)
    if type(left) is not type(right):
        raise _TypeProblemError("unsortable interface: interface")
    return bool(left < right)


def _text_less(left: str, right: str) -> bool:
    try:
        return quantity.compare(left, right) < 0
    except ValueError:
        return left < right
