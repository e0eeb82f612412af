"""The text of `kubectl explain` (its plaintext form over OpenAPI v3), judged by kubectl 1.35."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labsim.kube.schema.model import Schema, TypeRef

UNTYPED = frozenset(
    {"io.k8s.apimachinery.pkg.api.resource.Quantity", "io.k8s.apimachinery.pkg.util.intstr.IntOrString"}
)
"""Published as `oneOf` without a type, so explain shows their names."""


class ExplainError(ValueError):
    """`str(error)` is what kubectl prints after `error: `; `printed` is what it has written to stdout before it."""

    def __init__(self, message: str, printed: str = "") -> None:
        super().__init__(message)
        self.printed = printed


def explain(
    schema: Schema, group: str, version: str, kind: str, path: Sequence[str] = (), recursive: bool = False
) -> str:
    """`path` are the field names after the resource. ExplainError if a field does not exist or the kind is unknown."""
    ref = schema.for_gvk(group, version, kind)
    if ref is None:
        raise ExplainError(f"GVK map[group:{group} kind:{kind} version:{version}] not found in OpenAPI schema")
    out = [f"GROUP:      {group}\n" if group else "", f"KIND:       {kind}\n", f"VERSION:    {version}\n\n"]
    prop = ref.prop
    for name in path:
        found = _step(schema, prop, name)
        if found is None:
            raise ExplainError(f'field "{path[-1]}" does not exist', "".join(out))
        prop = found
    if path:
        out.append(f"FIELD: {path[-1]} <{type_name(schema, prop)}>\n{_enum_block(prop)}\n\n")
    text = "".join(_descriptions(schema, prop)) or "<empty>"
    out.append(f"DESCRIPTION:\n{_indent(wrap(text, 76), 4)}\n")
    fields = "".join(_fields(schema, prop, 1, recursive, frozenset()))
    if fields:
        out.append(f"FIELDS:\n{fields}")
    return "".join(out) + "\n"


def type_name(schema: Schema, prop: Mapping[str, Any]) -> str:
    """`string`, `[]Container`, `map[string]Quantity`, `Object`."""
    items, values = prop.get("items"), prop.get("additionalProperties")
    if isinstance(items, Mapping):
        return "[]" + type_name(schema, items)
    if isinstance(values, Mapping):
        return "map[string]" + type_name(schema, values)
    if "$ref" in prop:
        ref = TypeRef(schema, prop)
        kind = "" if ref.name in UNTYPED else ref.node.get("type", "")
        return ref.short_name if kind in ("", "object") else str(kind)
    kind = str(prop.get("type") or "Object")
    return "Object" if kind == "object" else kind


def wrap(text: str, limit: int) -> str:
    """Break at white space so that lines stay within `limit` characters; longer words stay whole.

    The rules are those of the library kubectl uses: spaces at a break are dropped, a word as long as a line is not
    moved to a line of its own.
    """
    out: list[str] = []
    word, spaces = "", ""
    current = 0
    for char in text:
        if char == "\n":
            if word:
                out += [spaces, word]
            elif current + len(spaces) <= limit:
                out.append(spaces)
            out.append("\n")
            word, spaces, current = "", "", 0
        elif char.isspace() and char != "\xa0":
            if not spaces or word:
                current += len(spaces) + len(word)
                out += [spaces, word]
                word, spaces = "", ""
            spaces += char
        else:
            word += char
            if current + len(word) + len(spaces) > limit and len(word) < limit:
                out.append("\n")
                current, spaces = 0, ""
    if word or current + len(spaces) <= limit:
        out += [spaces, word]
    return "".join(out)


def _indent(text: str, amount: int) -> str:
    pad = " " * amount
    return pad + text.replace("\n", "\n" + pad)


def _node(schema: Schema, prop: Mapping[str, Any]) -> Mapping[str, Any]:
    return TypeRef(schema, prop).node


def _step(schema: Schema, prop: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The field `name` of a type; lists and maps are stepped into."""
    while True:
        node = _node(schema, prop)
        found: Mapping[str, Any] | None = (node.get("properties") or {}).get(name)
        if found is not None:
            return found
        inner = node.get("items") or node.get("additionalProperties")
        if not isinstance(inner, Mapping):
            return None
        prop = inner


def _descriptions(schema: Schema, prop: Mapping[str, Any]) -> Iterator[str]:
    """Of the field, then of its type, then of its elements, a line each."""
    if prop.get("description"):
        yield prop["description"] + "\n"
    if "$ref" in prop:
        yield from _descriptions(schema, _node(schema, prop))
        return
    for inner in (prop.get("items"), prop.get("additionalProperties")):
        if isinstance(inner, Mapping):
            yield from _descriptions(schema, inner)


def _fields(
    schema: Schema, prop: Mapping[str, Any], level: int, recursive: bool, seen: frozenset[str]
) -> Iterator[str]:
    name = prop.get("$ref")
    if name is not None:
        if name in seen:
            return
        seen = seen | {name}
        prop = _node(schema, prop)
    required = prop.get("required") or ()
    for field, inner in sorted((prop.get("properties") or {}).items()):
        yield _field(schema, field, inner, level * 2, field in required, recursive)
        if recursive:
            yield from _fields(schema, inner, level + 1, recursive, seen)
    for inner in (prop.get("items"), prop.get("additionalProperties")):
        if isinstance(inner, Mapping):
            yield from _fields(schema, inner, level, recursive, seen)


def _field(schema: Schema, name: str, prop: Mapping[str, Any], indent: int, required: bool, short: bool) -> str:
    pad = " " * indent
    head = f"{pad}{name}\t<{type_name(schema, prop)}>{' -required-' if required else ''}"
    words = prop.get("enum")
    if words:
        shown = [_enum_word(word) for word in words[:4]]
        head += f"\n{pad}enum: {', '.join(shown)}{', ....' if len(words) > 4 else ''}"
    if short:
        return head + "\n"
    text = _indent(wrap(prop.get("description") or "<no description>", 78 - indent), indent + 2)
    return f"{head}\n{text}\n\n"


def _enum_block(prop: Mapping[str, Any]) -> str:
    words = prop.get("enum")
    return "ENUM:" + "".join(f"\n    {_enum_word(word)}" for word in words) if words else ""


def _enum_word(word: Any) -> str:
    return '""' if word == "" else str(word)
