"""Resource quantities ("500m", "1Gi", "12e6") as apimachinery's resource.Quantity reads, keeps and prints them.

Amounts are exact decimals. Nothing finer than a billionth (`n`) exists: what is finer is rounded away from zero.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal
from functools import lru_cache

DECIMAL_SI, BINARY_SI, DECIMAL_EXPONENT = "DecimalSI", "BinarySI", "DecimalExponent"

_PATTERN = re.compile(r"([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_EXPONENTS = {suffix: exponent for exponent, suffix in _DECIMAL.items()}
_INT64 = 2**63 - 1
_EXACT = Context(prec=4096, Emax=10**15, Emin=-(10**15))

FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMBER_ERROR = "unable to parse numeric part of quantity"
SUFFIX_ERROR = "unable to parse quantity's suffix"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` in the unit itself (cores, bytes, pieces); `format` decides how it prints.

    `text` is what was typed, where Go keeps that instead of printing anew.
    """

    value: Decimal
    format: str = DECIMAL_SI
    text: str = ""

    def __str__(self) -> str:
        return self.text or _canonical(self)


@lru_cache(maxsize=8192)
def parse(text: str) -> Quantity:
    """Raises ValueError with apimachinery's text."""
    found = _PATTERN.fullmatch(text)
    if not text or found is None:
        raise ValueError(FORMAT_ERROR)
    sign, zeros, whole, fraction, suffix = found.groups(default="")
    base, exponent, form = _suffix(suffix)
    fast = _is_fast(whole or "0", fraction, base, exponent)
    if not fast and not zeros + whole + fraction:
        raise ValueError(NUMBER_ERROR)
    whole = whole or "0"
    digits = whole + fraction
    if base == 10:
        value = _decimal(int(digits), exponent - len(fraction))
    else:
        value = _decimal(int(digits) << exponent, -len(fraction))
    kept = text if fast and _looks_canonical(whole, fraction, base, exponent) else ""
    if value.as_tuple().exponent < -9:  # type: ignore[operator]  # finite, so the exponent is a number
        value = _round_up(value, -9)
    if form == BINARY_SI:
        value = min(value, Decimal(_INT64))
        if 0 < value < 1:
            form = DECIMAL_SI
    return Quantity(value.copy_negate() if sign == "-" and value else value, form, kept)


def canonical(text: str) -> str:
    """How a cluster gives the quantity back: "1000m" is "1", "1024Mi" is "1Gi"."""
    return str(parse(text))


def value(text: str) -> int:
    """In whole units, rounded up (away from zero)."""
    return _scaled(parse(text).value, 0)


def milli(text: str) -> int:
    """In thousandths, rounded up (away from zero)."""
    return _scaled(parse(text).value, 3)


def compare(left: str | Quantity, right: str | Quantity) -> int:
    """-1, 0 or 1."""
    a, b = _of(left).value, _of(right).value
    return (a > b) - (a < b)


def add(left: str | Quantity, right: str | Quantity) -> Quantity:
    """The sum. It takes the format of the left one, unless that is zero."""
    a, b = _of(left), _of(right)
    return Quantity(_EXACT.add(a.value, b.value), a.format if a.value else b.format)


def subtract(left: str | Quantity, right: str | Quantity) -> Quantity:
    """The difference, in the format that `add` would take."""
    a, b = _of(left), _of(right)
    return Quantity(_EXACT.subtract(a.value, b.value), a.format if a.value else b.format)


def of_milli(thousandths: int, form: str = DECIMAL_SI) -> Quantity:
    return Quantity(_decimal(thousandths, -3), form)


def _of(quantity: str | Quantity) -> Quantity:
    return quantity if isinstance(quantity, Quantity) else parse(quantity)


def _suffix(suffix: str) -> tuple[int, int, str]:
    """(base, exponent, format)."""
    if suffix in _DECIMAL_EXPONENTS:
        return 10, _DECIMAL_EXPONENTS[suffix], DECIMAL_SI
    if suffix in _BINARY:
        return 2, 10 * _BINARY.index(suffix), BINARY_SI
    if re.fullmatch("[eE][+-]?[0-9]{1,18}", suffix):
        return 10, (int(suffix[1:]) + 2**31) % 2**32 - 2**31, DECIMAL_EXPONENT
    raise ValueError(SUFFIX_ERROR)


def _is_fast(whole: str, fraction: str, base: int, exponent: int) -> bool:
    """Whether apimachinery keeps the amount in an int64; only its other way objects to a number without digits."""
    if base == 2:
        return not fraction and 15 - len(whole) - exponent * 3 // 10 - 1 >= 0
    return len(whole + fraction) <= 18 and exponent - len(fraction) >= -9


def _looks_canonical(whole: str, fraction: str, base: int, exponent: int) -> bool:
    """apimachinery's rough test, on its fast way, for keeping what was typed ("1.500" stays)."""
    if base == 2:
        return int(whole) & 7 != 0
    digits = whole + fraction
    return (exponent - len(fraction)) % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _decimal(mantissa: int, exponent: int) -> Decimal:
    sign, digits = int(mantissa < 0), tuple(int(digit) for digit in str(abs(mantissa)))
    return Decimal((sign, digits, exponent))


def _round_up(number: Decimal, exponent: int) -> Decimal:
    """Away from zero to a multiple of 10**exponent; a trace of something is at least one of it."""
    if number and number.adjusted() < exponent:
        return _decimal(-1 if number < 0 else 1, exponent)
    return number.quantize(_decimal(1, exponent), ROUND_UP, _EXACT)


def _scaled(number: Decimal, places: int) -> int:
    """In units of 10**-places, within int64."""
    if number.adjusted() > 20:
        return -_INT64 - 1 if number < 0 else _INT64
    return int(_round_up(number.scaleb(places, _EXACT), 0))


def _canonical(quantity: Quantity) -> str:
    number = quantity.value
    if not number:
        return "0"
    binary = quantity.format == BINARY_SI and abs(number) >= 1024 and number == number.to_integral_value()
    if binary:
        mantissa, times = int(number), 0
        while abs(mantissa) >= 1024 and mantissa % 1024 == 0:
            mantissa, times = mantissa // 1024, times + 1
        return f"{mantissa}{_BINARY[times] if times < len(_BINARY) else ''}"
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0")
    short = text.rstrip("0")
    exponent += len(text) - len(short)
    short += "0" * (exponent % 3)
    exponent -= exponent % 3
    if quantity.format == DECIMAL_EXPONENT:
        suffix = f"e{exponent}" if exponent else ""
    else:
        suffix = _DECIMAL.get(exponent, "")
    return ("-" if sign else "") + short + suffix
