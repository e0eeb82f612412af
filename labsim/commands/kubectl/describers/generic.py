"""describe for every kind without a describer of its own: the whole object as a tree (kubectl.md 3, "Generic")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.describers.base import smart_label
from labsim.kube.objects import Object, annotations_of, labels_of, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page

_SKIP = frozenset(
    {".metadata.name", ".metadata.namespace", ".metadata.labels", ".metadata.annotations", ".metadata.managedFields"}
)


def describe(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    page.field("Namespace", namespace_of(obj))
    page.labels("Labels", labels_of(obj))
    page.annotations(annotations_of(obj))
    _content(page, 0, obj, "")
    if events:
        page.events(obj)


def _content(page: Page, level: int, content: Object, path: str) -> None:
    for key in sorted(content):
        here = f"{path}.{key}"
        if here in _SKIP:
            continue
        value, label = content[key], smart_label(key)
        if isinstance(value, dict):
            page.line(level, f"{label}:")
            _content(page, level + 1, value, here)
        elif isinstance(value, list):
            page.line(level, f"{label}:")
            for item in value:
                if isinstance(item, dict):
                    _content(page, level + 1, item, here)
                else:
                    page.line(level + 1, _scalar(item))
        else:
            page.line(level, f"{label}:\t{_scalar(value)}")


def _scalar(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        from labsim.kube.gofmt import number

        return number(value)
    return str(value)
