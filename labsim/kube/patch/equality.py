"""Equality as Go sees it: true is not 1, and 1 is not 1.0."""

from __future__ import annotations

from typing import Any


def kind_of(value: Any) -> str:
    """The JSON type of a value: null, bool, int, float, string, map or list."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "string"
    return "map" if isinstance(value, dict) else "list"


def equal(a: Any, b: Any) -> bool:
    """Deep equality with types."""
    if a is b:
        return True
    kind = kind_of(a)
    if kind != kind_of(b):
        return False
    if kind == "map":
        return len(a) == len(b) and all(key in b and equal(value, b[key]) for key, value in a.items())
    if kind == "list":
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    return bool(a == b)


def go_text(value: Any) -> str:
    """Go's `%v` of a decoded JSON value."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{go_text(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(go_text(item) for item in value) + "]"
    if isinstance(value, float):
        from labsim.kube.codec.scalars import go_float

        return go_float(value)
    return str(value)
