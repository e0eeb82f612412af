"""Structural schemas of custom resources: pruning, defaults and validation.

Source: apiextensions-apiserver pkg/apiserver/{schema,validation} and kube-openapi pkg/validation of 1.35. Of the CEL
rules (x-kubernetes-validations) only `self == oldSelf` is judged; the others in known vendor CRDs never refuse what the
rest of the schema lets through, so they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from labsim.kube.errors import FieldError, invalid_value, quote, required, unsupported

Schema = Mapping[str, Any]
_TOP = ("apiVersion", "kind", "metadata")


def _child(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def prune(value: Any, schema: Schema, path: str = "", unknown: list[str] | None = None) -> Any:
    """`value` without the fields its schema does not name; their paths are added to `unknown`."""
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        rest = schema.get("additionalProperties")
        known_top = _TOP if not path or schema.get("x-kubernetes-embedded-resource") else ()
        kept = {}
        for key, item in value.items():
            if key in known_top:
                kept[key] = item
            elif key in properties:
                kept[key] = prune(item, properties[key], _child(path, key), unknown)
            elif isinstance(rest, Mapping):
                kept[key] = prune(item, rest, _child(path, key), unknown)
            elif rest or schema.get("x-kubernetes-preserve-unknown-fields"):
                kept[key] = item
            elif unknown is not None:
                unknown.append(_child(path, key))
        return kept
    if isinstance(value, list):
        items = schema.get("items")
        if isinstance(items, Mapping):
            return [prune(item, items, f"{path}[{i}]", unknown) for i, item in enumerate(value)]
    return value


def fill(value: Any, schema: Schema) -> Any:
    """`value` with the schema's defaults; nulls of fields that are not nullable give way to them."""
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        filled = dict(value)
        for key, part in properties.items():
            if "default" in part and (key not in filled or (filled[key] is None and not part.get("nullable"))):
                filled[key] = part["default"]
            if filled.get(key, _ABSENT) is None and not part.get("nullable"):
                del filled[key]
            if key in filled:
                filled[key] = fill(filled[key], part)
        rest = schema.get("additionalProperties")
        if isinstance(rest, Mapping):
            filled = {k: v if k in properties else fill(v, rest) for k, v in filled.items()}
        return filled
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [fill(item, schema["items"]) for item in value]
    return value


_ABSENT: Any = object()


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "null"


def validate(value: Any, schema: Schema, path: str = "", old: Any = _ABSENT) -> list[FieldError]:
    """Errors in the words of the API server."""
    if value is None and schema.get("nullable"):
        return []
    found_type, wanted = _type_of(value), schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        if found_type not in ("integer", "string"):
            return [_wrong_type(path, "integer,string", found_type)]
    elif wanted and found_type != wanted and not (wanted == "number" and found_type == "integer"):
        return [_wrong_type(path, str(wanted), found_type)]
    found = _scalar(value, schema, path) + _rules(value, schema, path, old)
    if isinstance(value, dict):
        found += _object(value, schema, path, old)
    elif isinstance(value, list):
        found += _list(value, schema, path)
    return found


def _wrong_type(path: str, wanted: str, found: str) -> FieldError:
    text = f'Invalid value: "{found}": {path} in body must be of type {wanted}: "{found}"'
    return FieldError(path or "<nil>", "FieldValueTypeInvalid", text)


def _object(value: dict[str, Any], schema: Schema, path: str, old: Any) -> list[FieldError]:
    found = [required(_child(path, key)) for key in schema.get("required") or () if key not in value]
    properties = schema.get("properties") or {}
    rest = schema.get("additionalProperties")
    for key, item in value.items():
        part = properties.get(key, rest if isinstance(rest, Mapping) else None)
        if part is None or (not path and key in _TOP):
            continue
        before = old.get(key, _ABSENT) if isinstance(old, dict) else _ABSENT
        found += validate(item, part, _child(path, key), before)
    return found


def _list(value: list[Any], schema: Schema, path: str) -> list[FieldError]:
    found = []
    if len(value) < int(schema.get("minItems", 0)):
        detail = f"{path} in body should have at least {schema['minItems']} items"
        found.append(invalid_value(path, len(value), detail))
    most = schema.get("maxItems")
    if most is not None and len(value) > most:
        found.append(FieldError(path, "FieldValueTooMany", f"Too many: {len(value)}: must have at most {most} items"))
    items = schema.get("items")
    if isinstance(items, Mapping):
        for index, item in enumerate(value):
            found += validate(item, items, f"{path}[{index}]")
    keys = schema.get("x-kubernetes-list-map-keys") or ()
    seen = []
    for index, item in enumerate(value):
        if schema.get("x-kubernetes-list-type") == "map" and isinstance(item, dict):
            mark: Any = {k: item.get(k) for k in keys}
        elif schema.get("x-kubernetes-list-type") == "set":
            mark = item
        else:
            continue
        if mark in seen:
            found.append(FieldError(f"{path}[{index}]", "FieldValueDuplicate", f"Duplicate value: {quote(mark)}"))
        seen.append(mark)
    return found


@lru_cache(maxsize=512)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _scalar(value: Any, schema: Schema, path: str) -> list[FieldError]:
    found = []
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        found.append(unsupported(path, value, [str(a) for a in allowed]))
    if isinstance(value, str):
        if "pattern" in schema and not _pattern(schema["pattern"]).search(value):
            found.append(invalid_value(path, value, f"{path} in body should match '{schema['pattern']}'"))
        if len(value) < int(schema.get("minLength", 0)):
            detail = f"{path} in body should be at least {schema['minLength']} chars long"
            found.append(invalid_value(path, value, detail))
        most = schema.get("maxLength")
        if most is not None and len(value) > most:
            found.append(FieldError(path, "FieldValueTooLong", f"Too long: may not be more than {most} bytes"))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and (value < low or (schema.get("exclusiveMinimum") and value == low)):
            text = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
            found.append(invalid_value(path, value, f"{path} in body should be {text} {low}"))
        if high is not None and (value > high or (schema.get("exclusiveMaximum") and value == high)):
            text = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
            found.append(invalid_value(path, value, f"{path} in body should be {text} {high}"))
    return found


def _rules(value: Any, schema: Schema, path: str, old: Any) -> list[FieldError]:
    found = []
    for rule in schema.get("x-kubernetes-validations") or ():
        if "".join(str(rule.get("rule", "")).split()) == "self==oldSelf" and old is not _ABSENT and old != value:
            shown = value if not isinstance(value, (dict, list)) else _type_of(value)
            found.append(invalid_value(path, shown, str(rule.get("message") or f"failed rule: {rule['rule']}")))
    return found
