"""Instructor-written YAML files (tickets, worlds): read safely, within limits; an error is one line, file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MAX_BYTES = 1_000_000
MAX_DEPTH = 40
MAX_NODES = 100_000

Place = tuple[str | int, ...]


class DocumentError(Exception):
    """A file that cannot be used. `str(error)` is one line: `file:line: field: what was expected`."""

    def __init__(self, file: str, line: int, field: str, expected: str) -> None:
        place = f"{file}:{line}: " if line else f"{file}: "
        super().__init__(place + (f"{field}: " if field else "") + " ".join(expected.split()))
        self.file, self.line, self.field, self.expected = file, line, field, expected


class Document:
    """`data` is plain JSON-like data; `lines` knows the 1-based line of every place in it."""

    def __init__(self, file: str, data: Any, lines: Mapping[Place, int]) -> None:
        self.file, self.data, self.lines = file, data, lines

    def line_of(self, place: Sequence[str | int]) -> int:
        at = tuple(place)
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at, 1)

    def error(self, place: Sequence[str | int], expected: str) -> DocumentError:
        return DocumentError(self.file, self.line_of(place), field_name(place), expected)


def field_name(place: Sequence[str | int]) -> str:
    """`goals[0].check`."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def read(path: Path) -> Document:
    """Read one YAML document. Raises DocumentError for anything that is not a small, plain, well-formed mapping."""
    name = path.name
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DocumentError(name, 0, "", f"a file of at most {MAX_BYTES} bytes")
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DocumentError(str(path), 0, "", f"a readable file ({error.strerror})") from None
    except UnicodeDecodeError:
        raise DocumentError(name, 0, "", "UTF-8 text") from None
    return parse(text, name)


def parse(text: str, name: str) -> Document:
    import yaml

    loader_class: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader = loader_class(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise DocumentError(name, 1, "", "a mapping, found an empty file")
        lines: dict[Place, int] = {}
        data = _Builder(name, loader, lines).build(node, (), 0)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        hint = "; a text with {{...}} inside [ ] or { } needs quotes" if "{{" in _line(text, line) else ""
        raise DocumentError(name, line, "", f"valid YAML ({error.problem or error.context}){hint}") from None
    except yaml.YAMLError as error:
        raise DocumentError(name, 0, "", f"valid YAML ({str(error).splitlines()[0]})") from None
    except RecursionError:
        raise DocumentError(name, 0, "", f"at most {MAX_DEPTH} levels of nesting") from None
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise DocumentError(name, 1, "", "a mapping at the top")
    return Document(name, data, lines)


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1] if 0 < number <= len(lines) else ""


class _Builder:
    """Turns YAML nodes into data. Counts every visit, so that aliases cannot blow up."""

    def __init__(self, name: str, loader: Any, lines: dict[Place, int]) -> None:
        self.name, self.loader, self.lines = name, loader, lines
        self.visits = 0

    def build(self, node: Any, place: Place, depth: int) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        self.visits += 1
        if self.visits > MAX_NODES:
            raise DocumentError(self.name, line, field_name(place), f"at most {MAX_NODES} values (aliases counted)")
        if depth > MAX_DEPTH:
            raise DocumentError(self.name, line, field_name(place), f"at most {MAX_DEPTH} levels of nesting")
        if node.id == "sequence":
            return [self.build(item, (*place, i), depth + 1) for i, item in enumerate(node.value)]
        if node.id == "mapping":
            return self._mapping(node, place, depth)
        return self._scalar(node, place)

    def _mapping(self, node: Any, place: Place, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.id != "scalar":
                raise DocumentError(self.name, line, field_name(place), "a plain key")
            key = str(key_node.value)
            if key in found:
                raise DocumentError(self.name, line, field_name((*place, key)), "each key once")
            self.lines[(*place, key)] = line
            found[key] = self.build(value_node, (*place, key), depth + 1)
        return found

    def _scalar(self, node: Any, place: Place) -> Any:
        tag = node.tag.removeprefix("tag:yaml.org,2002:")
        if tag in ("str", "timestamp", "binary", "value"):
            return str(node.value)
        if tag not in ("null", "bool", "int", "float"):
            raise DocumentError(self.name, node.start_mark.line + 1, field_name(place), f"plain data, found tag !{tag}")
        return self.loader.construct_object(node)


def validation_error(document: Document, error: Any) -> DocumentError:
    """The first problem of a pydantic ValidationError, with its line and in an instructor's words."""
    # A misspelt field also shows up as a missing one: name the misspelling.
    first = min(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    place = [p for p in first["loc"] if not (isinstance(p, str) and p not in _keys(document.data) and "-" in p)]
    kind, context = first["type"], first.get("ctx", {})
    if kind == "extra_forbidden":
        return document.error(place, "a known field (this one is unknown here)")
    if kind == "missing":
        return DocumentError(
            document.file, document.line_of(place[:-1]), field_name(place), "a value (this field is required)"
        )
    if kind == "value_error":
        return document.error(place, str(context.get("error", first["msg"])))
    found = first.get("input")
    shown = f", found {found!r}" if isinstance(found, (str, int, float, bool)) or found is None else ""
    return document.error(place, first["msg"][:1].lower() + first["msg"][1:] + shown[:80])


def _keys(data: Any) -> set[str]:
    if isinstance(data, dict):
        return set(data) | {k for v in data.values() for k in _keys(v)}
    if isinstance(data, list):
        return {k for v in data for k in _keys(v)}
    return set()
