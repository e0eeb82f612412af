"""Go's view of values while a template runs.

A value is concrete (a Python one), `Boxed` (what a map or list holds: Go's static type there is interface {}), or
INVALID (a missing key).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from labsim.kube import gofmt


class Int(int):
    """int: a constant, a length, a list index. Numbers of the object are int64."""


class Byte(int):
    """uint8, from the index of a string."""


class Boxed(NamedTuple):
    value: Any


class _Invalid:
    pass


INVALID = _Invalid()


def unbox(value: Any) -> Any:
    """The thing inside; a boxed null is no value at all."""
    if isinstance(value, Boxed):
        return INVALID if value.value is None else value.value
    return value


def as_any(value: Any) -> Any:
    """The value as an argument of type interface {}: None where there is none."""
    inside = unbox(value)
    return None if inside is INVALID else inside


def type_name(value: Any) -> str:
    if isinstance(value, Boxed):
        return "interface {}"
    for kind, name in ((Int, "int"), (Byte, "uint8")):
        if isinstance(value, kind):
            return name
    return gofmt.type_name(value)


def is_true(value: Any) -> bool:
    value = unbox(value)
    return value is not INVALID and bool(value)


def printed(value: Any) -> str:
    """What an action prints."""
    value = unbox(value)
    return "<no value>" if value is INVALID else gofmt.plain(value)
