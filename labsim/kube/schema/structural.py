"""Validation and defaults of custom resources by their structural schema, in the API server's words.

`x-kubernetes-validations` (CEL) are not evaluated: a world's CRDs must not depend on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from labsim.kube.errors import FieldError, invalid_value, required, unsupported
from labsim.kube.schema.decode import time_error
from labsim.kube.schema.model import TypeRef

_TOP = ("apiVersion", "kind", "metadata")  # the server looks at these itself


def validate(ref: TypeRef, obj: Mapping[str, Any]) -> list[FieldError]:
    """Everything about `obj` that its CRD's schema does not allow, fields in sorted order."""
    return list(_check(ref.node, obj, ""))


def apply_defaults(ref: TypeRef, obj: Any) -> Any:
    """`obj` with the schema's defaults for absent fields; unchanged parts are shared."""
    return _default(ref.node, obj)


def _default(node: Mapping[str, Any], value: Any) -> Any:
    if isinstance(value, dict):
        out = dict(value)
        for name, prop in (node.get("properties") or {}).items():
            nullable = prop.get("nullable")
            if "default" in prop and (name not in out or (out[name] is None and not nullable)):
                out[name] = prop["default"]
            if name in out:
                out[name] = _default(prop, out[name])
        extra = node.get("additionalProperties")
        if isinstance(extra, Mapping):
            known = node.get("properties") or {}
            out.update({name: _default(extra, inner) for name, inner in out.items() if name not in known})
        same = len(out) == len(value) and all(out[name] is value.get(name) for name in out)
        return value if same else out
    if isinstance(value, list) and isinstance(node.get("items"), Mapping):
        items = [_default(node["items"], item) for item in value]
        return value if all(new is old for new, old in zip(items, value)) else items
    return value


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if value is None:
        return "null"
    return "string" if isinstance(value, str) else "object" if isinstance(value, dict) else "array"


def _check(node: Mapping[str, Any], value: Any, path: str) -> Iterator[FieldError]:
    if value is None and node.get("nullable"):
        return
    wanted, found = node.get("type"), _type_of(value)
    if node.get("x-kubernetes-int-or-string"):
        if found not in ("integer", "string"):
            yield _body(path, found, f"must be of type integer,string: {_quoted(found)}")
        return
    if wanted and found != wanted and not (wanted == "number" and found == "integer"):
        yield _body(path, found, f"must be of type {wanted}: {_quoted(found)}")
        return
    allowed = node.get("enum")
    if allowed is not None and value not in allowed:
        yield unsupported(path, value, [str(word) for word in allowed])
    if found == "string":
        yield from _string(node, value, path)
    elif found in ("integer", "number"):
        yield from _number(node, value, path)
    elif found == "array":
        yield from _array(node, value, path)
    elif found == "object":
        yield from _object(node, value, path)


def _body(path: str, value: Any, text: str) -> FieldError:
    return invalid_value(path, value, f"{path} in body {text}")


def _quoted(text: str) -> str:
    return f'"{text}"'


def _object(node: Mapping[str, Any], value: dict[str, Any], path: str) -> Iterator[FieldError]:
    prefix = f"{path}." if path else ""
    for name in sorted(node.get("required") or ()):
        if name not in value:
            yield required(prefix + name)
    properties, extra = node.get("properties") or {}, node.get("additionalProperties")
    for name in sorted(value):
        if not path and name in _TOP:
            continue
        if name in properties:
            yield from _check(properties[name], value[name], prefix + name)
        elif isinstance(extra, Mapping):
            yield from _check(extra, value[name], prefix + name)
    if len(value) < node.get("minProperties", 0):
        yield _body(path, value, f"should have at least {node['minProperties']} properties")
    if "maxProperties" in node and len(value) > node["maxProperties"]:
        yield _too_many(path, len(value), node["maxProperties"])


def _array(node: Mapping[str, Any], value: list[Any], path: str) -> Iterator[FieldError]:
    if len(value) < node.get("minItems", 0):
        yield invalid_value(path, len(value), f"{path} in body should have at least {node['minItems']} items")
    if "maxItems" in node and len(value) > node["maxItems"]:
        yield _too_many(path, len(value), node["maxItems"])
    items = node.get("items")
    for index, item in enumerate(value) if isinstance(items, Mapping) else ():
        yield from _check(items, item, f"{path}[{index}]")  # type: ignore[arg-type]


def _too_many(path: str, found: int, most: int) -> FieldError:
    noun = "item" if most == 1 else "items"
    return FieldError(path, "FieldValueTooMany", f"Too many: {found}: must have at most {most} {noun}")


def _string(node: Mapping[str, Any], value: str, path: str) -> Iterator[FieldError]:
    if len(value) < node.get("minLength", 0):
        yield _body(path, value, f"should be at least {node['minLength']} chars long")
    if "maxLength" in node and len(value) > node["maxLength"]:
        yield FieldError(path, "FieldValueTooLong", f"Too long: may not be more than {node['maxLength']} bytes")
    if "pattern" in node and not re.search(node["pattern"], value):
        yield _body(path, value, f"should match '{node['pattern']}'")
    if node.get("format") == "date-time" and time_error(value):
        yield _body(path, value, f"must be of type date-time: {_quoted(value)}")


def _number(node: Mapping[str, Any], value: float, path: str) -> Iterator[FieldError]:
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and (value <= low if above else value < low):
        yield _body(path, value, f"should be greater than {'' if above else 'or equal to '}{low}")
    if high is not None and (value >= high if below else value > high):
        yield _body(path, value, f"should be less than {'' if below else 'or equal to '}{high}")
    if node.get("multipleOf") and value % node["multipleOf"]:
        yield _body(path, value, f"should be a multiple of {node['multipleOf']}")
