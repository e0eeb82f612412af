"""How Go's fmt prints the values that JSON decodes to: %v, %#v, %q, and the names of their types."""

from __future__ import annotations

import re
from typing import Any

from labsim.kube.codec.scalars import go_float

_ESCAPES = {
    "\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v", "\\": r"\\", '"': r"\"",
}  # fmt: skip


def quote(text: str, mark: str = '"') -> str:
    """%q of a string, or with `mark` "'" of a rune."""
    return mark + "".join(_escaped(char, mark) for char in text) + mark


def plain(value: Any) -> str:
    """%v: maps as map[k:v], keys sorted, lists as [a b], null as <nil>."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{plain(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(plain, value))}]"
    return str(value)


def source(value: Any) -> str:
    """%#v: the value as Go source."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        return f"map[string]interface {{}}{{{', '.join(f'{quote(k)}:{source(value[k])}' for k in sorted(value))}}}"
    if isinstance(value, list | tuple):
        return f"[]interface {{}}{{{', '.join(map(source, value))}}}"
    return plain(value)


def type_name(value: Any) -> str:
    """%T of a decoded value."""
    if value is None:
        return "<nil>"
    for kind, name in (
        (bool, "bool"),
        (int, "int64"),
        (float, "float64"),
        (str, "string"),
        (dict, "map[string]interface {}"),
    ):
        if isinstance(value, kind):
            return name
    return "[]interface {}"


def number(value: float) -> str:
    """%v of a float64."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return go_float(value)


def _escaped(char: str, mark: str) -> str:
    if char in "\"'":
        return "\\" + char if char == mark else char
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_UNQUOTE = re.compile(r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_SIMPLE = {escape[1]: char for char, escape in _ESCAPES.items()}


def unquote(inside: str, mark: str) -> str:
    """strconv.Unquote of what stands between two `mark`s. Raises ValueError("invalid syntax")."""
    made, at = b"", 0
    while at < len(inside):
        found = _UNQUOTE.match(inside, at)
        if found is None and inside[at] == "\\":
            raise ValueError("invalid syntax")
        made += _unescaped(found, mark) if found else inside[at].encode("utf-8", "surrogatepass")
        at = found.end() if found else at + 1
    return made.decode("utf-8", "replace")


def _unescaped(found: re.Match[str], mark: str) -> bytes:
    simple, hexadecimal, octal, short, long = found.groups()
    if simple in ("'", '"'):
        if simple == mark:
            return mark.encode()
    elif simple:
        return _SIMPLE[simple].encode()
    else:
        code = int(hexadecimal or short or long, 16) if not octal else int(octal, 8)
        if hexadecimal or octal:
            if code < 256:
                return bytes([code])
        elif code <= 0x10FFFF and not 0xD800 <= code < 0xE000:
            return chr(code).encode()
    raise ValueError("invalid syntax")
