"""Scalars as kubectl reads and prints them: the YAML 1.1 table of go-yaml v2 and Go's number formats.

kubectl turns YAML into JSON first, so `1.0` and `1e3` become integers, and dates stay strings. The reading rules were
compared with kubectl 1.35 (`label --local -o json`); see tests/oracle.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from typing import Any

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1

_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
WORDS: dict[str, tuple[str, Any]] = {
    **dict.fromkeys(_TRUE, ("bool", True)),
    **dict.fromkeys(_FALSE, ("bool", False)),
    **dict.fromkeys(_NULL, ("null", None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), ("float", float("nan"))),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), ("float", float("inf"))),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), ("float", float("-inf"))),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_DOT_FLOAT = re.compile(r"\.[0-9]+([eE][-+]?[0-9]+)?\Z")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_DATE = re.compile(
    r"[0-9]{4}-(1[0-2]|0?[1-9])-(3[01]|[12][0-9]|0?[1-9])"
    r"(?:(?P<t>[Tt ])(2[0-3]|[01]?[0-9]):([0-5]?[0-9]):([0-5]?[0-9])(?:[.,][0-9]+)?"
    r"(?P<zone>Z|[-+][0-9]{2}:[0-9]{2})?)?\Z"
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMERIC_START = frozenset("+-0123456789")


def resolve(text: str) -> tuple[str, Any]:
    """What a plain scalar means: (`str`|`bool`|`null`|`int`|`float`|`timestamp`, value)."""
    word = WORDS.get(text)
    if word is not None:
        return word
    first = text[0]
    if first == ".":
        return _as_float(text) if _DOT_FLOAT.match(text) else ("str", text)
    if first not in _NUMERIC_START:
        return "str", text
    if _is_timestamp(text):
        return "timestamp", text
    plain = text.replace("_", "")
    found = _INTEGER.match(plain)
    if found:
        sign, hexa, binary, octal, decimal = found.groups()
        digits, base = next((d, b) for d, b in ((hexa, 16), (binary, 2), (octal, 8), (decimal, 10)) if d is not None)
        if len(digits) <= 70:  # longer ones are out of range in every base, and Python limits huge conversions
            number = -int(digits, base) if sign == "-" else int(digits, base)
            if INT64_MIN <= number <= INT64_MAX or (not sign and number <= UINT64_MAX):
                return "int", number
    return _as_float(plain, text) if _FLOAT.match(plain) else ("str", text)


def _as_float(text: str, original: str | None = None) -> tuple[str, Any]:
    number = float(text)
    if number in (float("inf"), float("-inf")):  # out of range: go-yaml then keeps the string
        return "str", original if original is not None else text
    return "float", number


def _is_timestamp(text: str) -> bool:
    """One of the four layouts of go-yaml: date only, or date and time (with `T` a zone, with a space none)."""
    if len(text) < 8 or text[4:5] != "-":
        return False
    found = _DATE.match(text)
    if not found:
        return False
    year, month, day = int(text[:4]), int(found[1]), int(found[2])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > _DAYS[month - 1] or (month == 2 and day == 29 and not leap):
        return False
    between, zone = found["t"], found["zone"]
    return between is None or (zone is None) == (between == " ")


def must_quote(text: str) -> bool:
    """Whether a string would be read back as something else, so that go-yaml v2 quotes it."""
    return resolve(text)[0] != "str" or (":" in text and bool(_SEXAGESIMAL.match(text)))


def to_json_number(number: int | float) -> int | float:
    """The number after a trip through JSON: whole floats become integers, integers beyond int64 become floats."""
    if isinstance(number, float):
        if not number.is_integer() or abs(number) > 2.0**63:
            return number
        whole = int(json_float(number))  # of the shortest digits, padded with zeros: not always int(number)
        return whole if INT64_MIN <= whole <= INT64_MAX else number
    return number if INT64_MIN <= number <= INT64_MAX else float(number)


def _digits(number: float) -> tuple[str, str, int]:
    """(sign, shortest digits, position of the decimal point) of a finite float other than zero."""
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits))
    stripped = text.rstrip("0") or "0"
    return "-" if sign else "", stripped, len(text) + int(exponent)


def go_float(number: float, bits: int = 64) -> str:
    """strconv.FormatFloat(number, 'g', -1, bits) in go-yaml's spelling."""
    if number != number:
        return ".nan"
    if number in (float("inf"), float("-inf")):
        return ".inf" if number > 0 else "-.inf"
    if bits == 32:
        number = _shortest32(number)
        if number in (float("inf"), float("-inf")):
            return ".inf" if number > 0 else "-.inf"
    if number == 0:
        return "-0" if str(number).startswith("-") else "0"
    sign, digits, point = _digits(number)
    exponent = point - 1
    return sign + (_scientific(digits, exponent) if exponent < -4 or exponent >= 6 else _fixed(digits, point))


def _shortest32(number: float) -> float:
    try:
        single = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
    for precision in range(1, 10):
        candidate = float(f"{single:.{precision}g}")
        if struct.unpack("f", struct.pack("f", candidate))[0] == single:
            return candidate
    return float(single)


def json_float(number: float) -> str:
    """The float in Go's encoding/json form. Raises ValueError for NaN and infinities, with Go's text."""
    if number != number or number in (float("inf"), float("-inf")):
        shown = "NaN" if number != number else "+Inf" if number > 0 else "-Inf"
        raise ValueError(f"json: unsupported value: {shown}")
    if number == 0:
        return "-0" if str(number).startswith("-") else "0"
    sign, digits, point = _digits(number)
    if 1e-6 <= abs(number) < 1e21:
        return sign + _fixed(digits, point)
    return sign + _scientific(digits, point - 1).replace("e-0", "e-")


def _fixed(digits: str, point: int) -> str:
    if point <= 0:
        return "0." + "0" * -point + digits
    if len(digits) <= point:
        return digits + "0" * (point - len(digits))
    return f"{digits[:point]}.{digits[point:]}"


def _scientific(digits: str, exponent: int) -> str:
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
