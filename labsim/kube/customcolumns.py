"""`-o custom-columns=NAME:.metadata.name,...` and its template file, laid out as kubectl does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from labsim.kube.gofmt import plain
from labsim.kube.jsonpath import JSONPathError, Template, relaxed
from labsim.kube.tabwriter import get_writer

_FILE = "Expected format is one line of space separated headers, one line of space separated column specs."


class Column(NamedTuple):
    """`path` is a full JSONPath template, or empty."""

    header: str
    path: str


class Printed(NamedTuple):
    """kubectl prints what it has before it fails. `error` is its text, or empty."""

    text: str
    error: str = ""


def parse_spec(spec: str) -> list[Column]:
    """Raises ValueError with kubectl's text. A comma always separates columns, also inside a path."""
    if not spec:
        raise ValueError("custom-columns format specified but no custom columns given")
    found = []
    for part in spec.split(","):
        header, colon, path = part.partition(":")
        if not colon:
            raise ValueError(f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
        found.append(Column(header, relaxed(path)))
    return found


def parse_file(text: str) -> list[Column]:
    """`-o custom-columns-file`: a line of headers and a line of paths. Raises ValueError."""
    lines = text.splitlines()
    for number, what in enumerate(("header", "spec")):
        if len(lines) <= number:
            raise ValueError(f"invalid template, missing {what} line. {_FILE}")
    headers, paths = lines[0].split(), lines[1].split()
    if len(headers) != len(paths):
        raise ValueError(f"number of headers ({len(headers)}) and field specifications ({len(paths)}) don't match")
    return [Column(header, relaxed(path)) for header, path in zip(headers, paths, strict=True)]


def print_objects(columns: Sequence[Column], objects: Sequence[Any], headers: bool = True) -> Printed:
    """The table of `objects`; a watch calls it again without headers for each event."""
    writer = get_writer()
    if headers:
        writer.write("\t".join(column.header for column in columns) + "\n")
    try:
        templates = [Template.parse(column.path) for column in columns]
        for obj in objects:
            writer.write("\t".join(_cell(template, obj) for template in templates) + "\n")
    except JSONPathError as error:
        return Printed(writer.flush(), str(error))
    return Printed(writer.flush())


def _cell(template: Template, obj: Any) -> str:
    values = template.find(obj)
    shown = [plain(value).replace("\x1b", "^[").replace("\r", "\\r") for found in values for value in found]
    if not values or not values[0]:
        shown.insert(0, "<none>")
    return ",".join(shown)
