"""The functions a template can call: those of text/template, and kubectl's exists and base64decode."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from labsim.kube.gotemplate.printf import sprint, sprintf, sprintln
from labsim.kube.gotemplate.values import INVALID, Boxed, Byte, Int, is_true, type_name, unbox


class CallError(ValueError):
    """What comes after `error calling NAME: `."""


class Builtin(NamedTuple):
    """`params`: Go types of the fixed parameters; `rest`: that of the variadic ones, or empty.

    "value" hands over the value as the template has it, "any" its inside with None for nothing, "string" a string.
    """

    run: Callable[..., Any] | None
    params: tuple[str, ...]
    rest: str = ""


def length(item: Any) -> int:
    item = _inside(item, "len of nil pointer")
    if isinstance(item, str):
        return Int(len(item.encode()))
    if isinstance(item, dict | list):
        return Int(len(item))
    raise CallError(f"len of type {type_name(item)}")


def index(item: Any, *keys: Any) -> Any:
    found = unbox(item)
    if found is INVALID:
        raise CallError("index of untyped nil")
    for key in keys:
        found = unbox(found)
        if found is INVALID:
            raise CallError("index of nil pointer")
        key = unbox(key)
        if isinstance(found, dict):
            if key is INVALID:
                raise CallError("value is nil; should be of type string")
            if not isinstance(key, str):
                raise CallError(f"value has type {type_name(key)}; should be string")
            found = Boxed(found.get(key))
        elif isinstance(found, list | str):
            items = found.encode() if isinstance(found, str) else found
            at = _position(key, len(items))
            if at == len(items):
                raise CallError(f"reflect: {'string' if isinstance(found, str) else 'slice'} index out of range")
            found = Byte(items[at]) if isinstance(items, bytes) else Boxed(items[at])
        else:
            raise CallError(f"can't index item of type {type_name(found)}")
    return found


def cut(item: Any, *bounds: Any) -> Any:
    item = unbox(item)
    if item is INVALID:
        raise CallError("slice of untyped nil")
    if len(bounds) > 3:
        raise CallError(f"too many slice indexes: {len(bounds)}")
    if isinstance(item, str):
        if len(bounds) == 3:
            raise CallError("cannot 3-index slice a string")
    elif not isinstance(item, list):
        raise CallError(f"can't slice item of type {type_name(item)}")
    items = item.encode() if isinstance(item, str) else item
    found = [_position(unbox(bound), len(items)) for bound in bounds]
    for low, high in itertools.pairwise(found):
        if low > high:
            raise CallError(f"invalid slice index: {low} > {high}")
    start, end = found[0] if found else 0, found[1] if len(found) > 1 else len(items)
    return items[start:end].decode("utf-8", "replace") if isinstance(items, bytes) else items[start:end]


def _position(key: Any, length: int) -> int:
    if key is INVALID:
        raise CallError("cannot index slice/array with nil")
    if isinstance(key, bool) or not isinstance(key, int):
        raise CallError(f"cannot index slice/array with type {type_name(key)}")
    if not 0 <= key <= length:
        raise CallError(f"index out of range: {key}")
    return int(key)


def _inside(item: Any, nil: str) -> Any:
    if isinstance(item, Boxed) and item.value is None:
        raise CallError(nil)
    item = unbox(item)
    if item is INVALID:
        raise CallError("reflect: call of reflect.Value.Type on zero Value")
    return item


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else "string" if isinstance(value, str) else ""


def equal(left: Any, *others: Any) -> bool:
    """Whether the first is equal to any of the others."""
    if not others:
        raise CallError("missing argument for comparison")
    left = unbox(left)
    for other in others:
        right = unbox(other)
        if _kind(left) != _kind(right):
            if left is not INVALID and right is not INVALID:
                raise _incompatible(left, right)
            continue
        if left is INVALID or right is INVALID:
            same = left is right
        elif not _kind(left):
            if type(left) is not type(right):
                raise CallError(sprintf("non-comparable types %s: %T, %T: %v", (left, left, right, right)))
            raise CallError(sprintf("non-comparable type %s: %T", (right, right)))
        else:
            same = left == right
        if same:
            return True
    return False


def _incompatible(left: Any, right: Any) -> CallError:
    return CallError(f"incompatible types for comparison: {type_name(left)} and {type_name(right)}")


def not_equal(left: Any, right: Any) -> bool:
    return not equal(left, right)


def less(left: Any, right: Any) -> bool:
    left, right = unbox(left), unbox(right)
    kind = _kind(left)
    if not kind or not _kind(right):
        raise CallError("invalid type for comparison")
    if kind != _kind(right):
        raise _incompatible(left, right)
    if kind == "bool":
        raise CallError("invalid type for comparison")
    return bool(left < right)


def less_or_equal(left: Any, right: Any) -> bool:
    return less(left, right) or equal(left, right)


def negate(value: Any) -> bool:
    return not is_true(value)


def exists(item: Any, *keys: Any) -> bool:
    """kubectl's: whether there is something at `keys`."""
    found = item
    for key in keys:
        found = unbox(found)
        if isinstance(found, dict) and isinstance(key, str):
            if key not in found:
                return False
            found = Boxed(found[key])
        elif isinstance(found, list | str) and isinstance(key, int) and not isinstance(key, bool):
            items = found.encode() if isinstance(found, str) else found
            if not 0 <= key < len(items):
                return False
            found = Boxed(items[key])
        else:
            return False
    return not isinstance(found, Boxed) or found.value is not None


def decode(text: str) -> str:
    """kubectl's base64decode; line breaks in the text are skipped."""
    stripped = re.sub(r"[\r\n]", "", text)
    bad = re.search(r"[^A-Za-z0-9+/]", stripped.rstrip("="))
    try:
        return base64.b64decode(stripped, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        at = bad.start() if bad else len(stripped) // 4 * 4  # else the group that lacks something
        raise CallError(f"base64 decode failed: illegal base64 data at input byte {at}") from None


def _html(*args: Any) -> str:
    marks = {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"}
    return "".join(marks.get(char, char) for char in sprint(args))


_JS = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}


def _js(*args: Any) -> str:
    return "".join(_JS.get(char) or (char if char.isprintable() else f"\\u{ord(char):04X}") for char in sprint(args))


def _urlquery(*args: Any) -> str:
    from urllib.parse import quote_plus

    return quote_plus(sprint(args), safe="~")


def no_function(shown: str, value: Any) -> CallError:
    """`call` has nothing to call: objects hold no functions."""
    value = unbox(value)
    return CallError("call of nil" if value is INVALID else f"non-function {shown} of type {type_name(value)}")


BUILTINS: dict[str, Builtin] = {
    # the executor runs these three itself: two stop at the argument that decides, one shows the argument's name
    "and": Builtin(None, ("value",), "value"),
    "or": Builtin(None, ("value",), "value"),
    "call": Builtin(None, ("value",), "value"),
    "base64decode": Builtin(decode, ("string",)),
    "eq": Builtin(equal, ("value",), "value"),
    "exists": Builtin(exists, ("any",), "any"),
    "ge": Builtin(lambda left, right: not less(left, right), ("value", "value")),
    "gt": Builtin(lambda left, right: not less_or_equal(left, right), ("value", "value")),
    "html": Builtin(_html, (), "any"),
    "index": Builtin(index, ("value",), "value"),
    "js": Builtin(_js, (), "any"),
    "le": Builtin(less_or_equal, ("value", "value")),
    "len": Builtin(length, ("value",)),
    "lt": Builtin(less, ("value", "value")),
    "ne": Builtin(not_equal, ("value", "value")),
    "not": Builtin(negate, ("value",)),
    "print": Builtin(lambda *args: sprint(args), (), "any"),
    "printf": Builtin(lambda text, *args: sprintf(text, args), ("string",), "any"),
    "println": Builtin(lambda *args: sprintln(args), (), "any"),
    "slice": Builtin(cut, ("value",), "value"),
    "urlquery": Builtin(_urlquery, (), "any"),
}
