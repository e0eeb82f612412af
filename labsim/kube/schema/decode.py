"""What the API server says of a body that does not fit its types: unknown fields and Go's decoding errors.

Lists are left out of Go's field paths (`EnvVar.spec.containers.env.value`) and have their index in those of strict
decoding (`spec.containers[0].foo`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from labsim.kube.quantity import FORMAT_ERROR, parse
from labsim.kube.schema.model import TypeRef

_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_LAYOUT = "2006-01-02T15:04:05Z07:00"
_TIME_PARTS = [
    ("2006", r"[0-9]{4}"), ("-", "-"), ("01", r"0[1-9]|1[0-2]"), ("-", "-"), ("02", r"[0-9]{2}"), ("T", "T"),
    ("15", r"[01][0-9]|2[0-3]"), (":", ":"), ("04", r"[0-5][0-9]"), (":", ":"), ("05", r"[0-5][0-9](?:[.,][0-9]+)?"),
    ("Z07:00", r"Z|[-+][0-9]{2}:[0-9]{2}"),
]  # fmt: skip


def strict_errors(ref: TypeRef, obj: Any) -> list[str]:
    """`unknown field "spec.foo"` for every field the type does not have, in the order of sorted keys."""
    return [f'unknown field "{path}"' for path in _unknown(ref, obj, "")]


def strict_message(errors: list[str]) -> str:
    return "strict decoding error: " + ", ".join(errors)


def prune(ref: TypeRef, obj: Any) -> Any:
    """`obj` without unknown fields; the same object if it has none, and sharing all that was kept."""
    if isinstance(obj, dict):
        if ref.kind in ("any", "quantity"):
            return obj
        kept: dict[str, Any] = {}
        same = True
        for key, value in obj.items():
            inner = ref.field(key)
            if inner is None:
                if ref.keeps_unknown or (ref.embedded and key in ("apiVersion", "kind", "metadata")):
                    kept[key] = value
                else:
                    same = False
                continue
            kept[key] = prune(inner, value)
            same = same and kept[key] is value
        return obj if same else kept
    if isinstance(obj, list):
        inner = ref.items()
        if inner is None:
            return obj
        items = [prune(inner, item) for item in obj]
        return obj if all(new is old for new, old in zip(items, obj)) else items
    return obj


def _unknown(ref: TypeRef, obj: Any, path: str) -> Iterator[str]:
    if isinstance(obj, dict):
        if ref.kind in ("any", "quantity"):
            return
        for key in sorted(obj):
            inner = ref.field(key)
            where = f"{path}.{key}" if path else key
            if inner is not None:
                yield from _unknown(inner, obj[key], where)
            elif not (ref.keeps_unknown or (ref.embedded and key in ("apiVersion", "kind", "metadata"))):
                yield where
    elif isinstance(obj, list):
        inner = ref.items()
        if inner is not None:
            for index, item in enumerate(obj):
                yield from _unknown(inner, item, f"{path}[{index}]")


def type_errors(ref: TypeRef, obj: Any) -> list[str]:
    """Go's decoding error for a built-in type: at most one, the first in the order of sorted keys.

    The server answers 400 with `KIND in version "VERSION" cannot be handled as a KIND: ERROR`.
    """
    return list(_first(_mismatches(ref, obj, ref.short_name, "")))


def _first(errors: Iterator[str]) -> Iterator[str]:
    for error in errors:
        yield error
        return


def _mismatches(ref: TypeRef, value: Any, struct: str, path: str) -> Iterator[str]:
    if value is None:
        return
    kind = ref.kind
    if kind in ("object", "map"):
        if not isinstance(value, dict):
            yield _cannot(value, struct, path, ref.go_type)
            return
        owner = ref.short_name if kind == "object" else struct
        for key in sorted(value):
            inner = ref.field(key)
            if inner is not None:
                where = path if kind == "map" else f"{path}.{key}" if path else key
                yield from _mismatches(inner, value[key], owner, where)
    elif kind == "array":
        if not isinstance(value, list):
            yield _cannot(value, struct, path, ref.go_type)
            return
        item_type = ref.items()
        for item in value if item_type is not None else ():
            yield from _mismatches(item_type, item, struct, path)  # type: ignore[arg-type]
    else:
        error = _scalar(ref, kind, value, struct, path)
        if error:
            yield error


def _scalar(ref: TypeRef, kind: str, value: Any, struct: str, path: str) -> str:
    if kind == "string":
        if not isinstance(value, str):
            return _cannot(value, struct, path, ref.go_type)
        return _base64(value) if ref.node.get("format") == "byte" else ""
    if kind == "boolean":
        return "" if isinstance(value, bool) else _cannot(value, struct, path, "bool")
    if kind in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return _cannot(value, struct, path, ref.go_type)
        low, high = _RANGES.get(ref.go_type, (value, value))
        if kind == "integer" and (isinstance(value, float) or not low <= value <= high):
            return _cannot(value, struct, path, ref.go_type, with_value=True)
        return ""
    if kind == "int-or-string":
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return ""
        return f"json: cannot unmarshal {_json_kind(value)} into Go value of type int32"
    if kind == "quantity":
        return _quantity(value)
    if kind == "time":
        if not isinstance(value, str):
            return f"json: cannot unmarshal {_json_kind(value)} into Go value of type string"
        return time_error(value)
    return ""


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def _cannot(value: Any, struct: str, path: str, go_type: str, with_value: bool = False) -> str:
    shown = _json_kind(value)
    if with_value:
        from labsim.kube.codec.gojson import dump_compact

        shown = f"number {dump_compact(value)}"
    return f"json: cannot unmarshal {shown} into Go struct field {struct}.{path} of type {go_type}"


def _base64(value: str) -> str:
    plain = value.replace("\n", "").replace("\r", "")
    bad = re.search(r"[^A-Za-z0-9+/=\r\n]", value)
    if bad:
        return f"illegal base64 data at input byte {bad.start()}"
    try:
        base64.b64decode(plain, validate=True)
    except (binascii.Error, ValueError):
        return f"illegal base64 data at input byte {len(plain) // 4 * 4}"
    return ""


def _quantity(value: Any) -> str:
    if isinstance(value, dict | list | bool):
        return FORMAT_ERROR
    try:
        parse(str(value).strip())
    except ValueError as error:
        return str(error)
    return ""


def time_error(value: str) -> str:
    """time.Parse's error for RFC 3339, "" if the text is a time."""
    rest = value
    for layout, pattern in _TIME_PARTS:
        found = re.match(pattern, rest)
        if not found:
            return f'parsing time "{value}" as "{_LAYOUT}": cannot parse "{rest}" as "{layout}"'
        rest = rest[found.end() :]
    return f'parsing time "{value}": extra text: "{rest}"' if rest else ""
