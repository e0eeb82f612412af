"""Manifests read as kubectl reads them: YAML or JSON streams into JSON-like dicts, errors in go-yaml's words.

The stream is cut at lines that begin with `---` before YAML is parsed, as kubectl does, so the line numbers of an
error count from the separator before the document.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from labsim.kube.codec.gojson import JsonSyntaxError, decode_next
from labsim.kube.codec.scalars import INT64_MAX, go_float, resolve, to_json_number

MAX_DEPTH = 100
"""Nesting allowed in a manifest. Go's limit is 10,000; no object of the API comes near either."""
MAX_NODES = 400_000
"""Nodes of a document, aliases counted as often as they stand: above this go-yaml begins to refuse aliases."""

_LONG_TAG = "tag:yaml.org,2002:"
_RESOLVABLE = ("bool", "int", "float", "null", "timestamp")


class DecodeError(ValueError):
    """Text that cannot be read; `str(error)` is what kubectl prints after `error: error parsing FILE: `."""


def load_all(text: str, source_name: str = "") -> list[dict[str, Any]]:
    """Every document of `text` that is not empty, in order.

    Raises DecodeError; with `source_name` (a file, `STDIN`) its text is kubectl's whole `error parsing NAME: ...`.
    Documents that are not mappings are returned too: what to say about them is the caller's business.
    """
    try:
        return [document for document in _documents(text) if document is not None]
    except DecodeError as error:
        raise DecodeError(f"error parsing {source_name}: {error}") if source_name else error from None


def load(text: str) -> Any:
    """One YAML (or JSON) document as sigs.k8s.io/yaml reads it: what follows a first document is not looked at."""
    return _parse(text)


def _documents(text: str) -> Iterator[Any]:
    rest = text
    first: JsonSyntaxError | None = None
    if text.lstrip(" \t\r\n").startswith("{"):
        count = 0
        at = 0
        while True:
            try:
                found = decode_next(text, at)
            except JsonSyntaxError as error:
                if count > 1:
                    raise DecodeError(error.plain) from None
                first, rest = error, _after_space(text[at:])
                break
            if found is None:
                return
            value, at = found
            count += 1
            yield value
    try:
        for chunk in _split(rest):
            yield _convert(chunk)
    except DecodeError:
        if first is not None:
            raise DecodeError(str(first)) from None
        raise


def _after_space(text: str) -> str:
    """Without leading space up to and including the first line break."""
    found = re.match(r"[^\S\n]*\n?", text)
    return text[found.end() :] if found else text


def _split(text: str) -> Iterator[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    buffer: list[str] = []
    for line in lines:
        line = line[:-1] if line.endswith("\r") else line
        if line.startswith("---"):
            after = line[3:].strip()
            if after and not after.startswith("#"):
                raise DecodeError(f"invalid Yaml document separator: {after}")
            if buffer:
                yield "\n".join(buffer) + "\n"
                buffer = []
                continue
        buffer.append(line)
    if buffer:
        yield "\n".join(buffer) + "\n"


def _convert(text: str) -> Any:
    try:
        return _parse(text)
    except DecodeError as error:
        raise DecodeError(f"error converting YAML to JSON: {error}") from None


def _parse(text: str) -> Any:
    import yaml

    try:
        return _Builder(text).document()
    except yaml.reader.ReaderError:
        raise DecodeError("yaml: control characters are not allowed") from None
    except yaml.MarkedYAMLError as error:
        raise DecodeError(_marked(error, isinstance(error, yaml.scanner.ScannerError))) from None


def _marked(error: Any, scanner: bool) -> str:
    """go-yaml's line: that of the problem, one more for scanner errors, none when it is the first."""
    line = 0
    if error.problem_mark is not None and error.problem_mark.line:
        line = error.problem_mark.line + (1 if scanner else 0)
    elif error.context_mark is not None and error.context_mark.line:
        line = error.context_mark.line
    return f"yaml: line {line}: {error.problem}" if line else f"yaml: {error.problem}"


class _Merge:
    """The key `<<`, unquoted."""


_MERGE = _Merge()


class _Anchor:
    __slots__ = ("open", "size", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.size = 1
        self.open = True


class _Frame:
    """A list or mapping being read: `key` is the key that waits for its value."""

    __slots__ = ("anchor", "has_key", "items", "key", "start")

    def __init__(self, items: Any, anchor: _Anchor | None, start: int) -> None:
        self.items, self.anchor, self.start = items, anchor, start
        self.key: Any = None
        self.has_key = False


class _Builder:
    """Values from libyaml's events, without recursion. Aliases share their value; their size is counted."""

    def __init__(self, text: str) -> None:
        import yaml

        self.yaml = yaml
        loader: Any = yaml.CLoader if hasattr(yaml, "CLoader") else yaml.Loader
        self.events = loader(text)
        self.anchors: dict[str, _Anchor] = {}
        self.nodes = 0
        self.aliased = 0

    def document(self) -> Any:
        yaml = self.yaml
        next_event = self.events.get_event
        stack: list[_Frame] = []
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self.nodes += 1
                value = self._scalar(event, bool(stack) and isinstance(stack[-1].items, dict) and not stack[-1].has_key)
                if event.anchor:
                    anchor = self.anchors[event.anchor] = _Anchor()
                    anchor.value, anchor.open = value, False
            elif kind is yaml.AliasEvent:
                value = self._alias(event.anchor)
            elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
                self.nodes += 1
                if len(stack) >= MAX_DEPTH:
                    raise DecodeError(f"yaml: exceeded max depth of {MAX_DEPTH}")
                new = _Anchor() if event.anchor else None
                if new:
                    self.anchors[event.anchor] = new
                items: Any = {} if kind is yaml.MappingStartEvent else []
                if new:
                    new.value = items
                stack.append(_Frame(items, new, self.nodes))
                continue
            elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
                frame = stack.pop()
                value = frame.items
                if frame.anchor:
                    frame.anchor.open, frame.anchor.size = False, self.nodes - frame.start + 1
            elif kind is yaml.StreamEndEvent:
                return None
            else:
                continue
            if self.nodes > MAX_NODES:
                raise DecodeError("yaml: document contains excessive aliasing")
            if not stack:
                return _as_json(value)
            self._place(stack[-1], value)

    def _place(self, frame: _Frame, value: Any) -> None:
        if isinstance(frame.items, list):
            frame.items.append(_as_json(value))
        elif not frame.has_key:
            frame.key, frame.has_key = value, True
        else:
            frame.has_key = False
            if frame.key is _MERGE:
                _merge(frame.items, value)
            else:
                frame.items[_key(frame.key, value)] = _as_json(value)

    def _alias(self, name: str) -> Any:
        anchor = self.anchors.get(name)
        if anchor is None:
            raise DecodeError(f"yaml: unknown anchor '{name}' referenced")
        if anchor.open:
            raise DecodeError(f"yaml: anchor '{name}' value contains itself")
        self.nodes += anchor.size
        self.aliased += anchor.size
        # go-yaml's guard: below 400,000 nodes nearly everything may come from aliases, but not all of it
        if self.aliased > 100 and self.nodes > 1000 and self.aliased / self.nodes > 0.99:
            raise DecodeError("yaml: document contains excessive aliasing")
        return anchor.value

    def _scalar(self, event: Any, is_key: bool) -> Any:
        tag, text = event.tag, event.value
        plain = event.implicit[0]
        if is_key and text == "<<" and (plain or tag == _LONG_TAG + "merge"):
            return _MERGE
        if tag is None or tag == "!":
            if not plain or tag == "!":
                return text
            return resolve(text)[1]
        return _tagged(tag, text)


def _tagged(tag: str, text: str) -> Any:
    short = tag[len(_LONG_TAG) :] if tag.startswith(_LONG_TAG) else ""
    if short == "binary":
        try:
            return base64.b64decode(text.replace("\n", ""), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise DecodeError("yaml: !!binary value contains invalid base64 data") from None
    if short not in _RESOLVABLE:
        return text
    kind, value = resolve(text)
    if short == "float" and kind == "int":
        return float(value)
    if kind not in (short, "str") or (kind == "str" and short != "str"):
        raise DecodeError(f"yaml: cannot decode !!{kind} `{text}` as a !!{short}")
    return value


def _merge(into: dict[str, Any], value: Any) -> None:
    sources = value if isinstance(value, list) else [value]
    if not all(isinstance(source, dict) for source in sources):
        raise DecodeError("yaml: map merge requires map or sequence of maps as the value")
    for source in reversed(sources):
        into.update(source)


def _key(key: Any, value: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return go_float(key, 32)
    if isinstance(key, int) and key <= INT64_MAX:
        return str(key)
    if isinstance(key, int):
        raise DecodeError(f"unsupported map key of type: uint64, key: {key:#x}, value: {_go_syntax(value)}")
    if key is None:
        raise DecodeError(f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {_go_syntax(value)}")
    raise DecodeError(f"yaml: invalid map key: {_go_syntax(key)}")


def _go_syntax(value: Any) -> str:
    """Go's `%#v` of what go-yaml builds."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, dict):
        inner = ", ".join(f"{_go_syntax(k)}:{_go_syntax(v)}" for k, v in sorted(value.items()))
        return f"map[interface {{}}]interface {{}}{{{inner}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, value))}}}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        from labsim.kube.codec.gojson import dump_compact

        return dump_compact(value)
    return go_float(value) if isinstance(value, float) else str(value)


def _as_json(value: Any) -> Any:
    """What a value becomes on its way through JSON; raises DecodeError for NaN and infinities."""
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            shown = "NaN" if value != value else "+Inf" if value > 0 else "-Inf"
            raise DecodeError(f"json: unsupported value: {shown}")
        return to_json_number(value)
    return to_json_number(value) if isinstance(value, int) and not isinstance(value, bool) else value
