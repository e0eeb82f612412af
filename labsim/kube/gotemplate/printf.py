"""fmt.Sprintf, Sprint and Sprintln for the values a template can have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from labsim.kube import gofmt
from labsim.kube.gotemplate.values import Byte, type_name


@dataclass
class _Spec:
    """Flags, width and precision of one verb."""

    minus: bool = False
    plus: bool = False
    sharp: bool = False
    space: bool = False
    zero: bool = False
    width: int | None = None
    precision: int | None = None


# verb: Python's format, Go's prefix
_BASES = {
    "v": ("d", ""), "d": ("d", ""), "b": ("b", "0b"), "o": ("o", "0"), "O": ("o", "0o"),
    "x": ("x", "0x"), "X": ("X", "0X"),
}  # fmt: skip


def sprint(args: Sequence[Any]) -> str:
    """Blanks only between two operands that are both no strings."""
    made = ""
    for at, arg in enumerate(args):
        if at and not isinstance(arg, str) and not isinstance(args[at - 1], str):
            made += " "
        made += gofmt.plain(arg)
    return made


def sprintln(args: Sequence[Any]) -> str:
    return " ".join(map(gofmt.plain, args)) + "\n"


def sprintf(text: str, args: Sequence[Any]) -> str:
    return _Formatter(text, args).run()


class _Formatter:
    def __init__(self, text: str, args: Sequence[Any]) -> None:
        self.text, self.args = text, args
        self.at = self.number = 0
        self.reordered = self.good_index = False

    def run(self) -> str:
        made = ""
        while self.at < len(self.text):
            literal = self.text.find("%", self.at)
            if literal < 0:
                made += self.text[self.at :]
                break
            made += self.text[self.at : literal]
            self.at = literal + 1
            made += self.verb()
        if not self.reordered and self.number < len(self.args):
            extra = [
                "<nil>" if arg is None else f"{type_name(arg)}={gofmt.plain(arg)}" for arg in self.args[self.number :]
            ]
            made += f"%!(EXTRA {', '.join(extra)})"
        return made

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def verb(self) -> str:
        spec = _Spec()
        self.good_index = True
        while self.peek() and self.peek() in "-+# 0":
            name = {"-": "minus", "+": "plus", "#": "sharp", " ": "space", "0": "zero"}[self.peek()]
            setattr(spec, name, True)
            self.at += 1
        made = ""
        after_index = self.index()
        if self.peek() == "*":
            self.at += 1
            width = self.star()
            if width is None:
                made += "%!(BADWIDTH)"
            else:
                spec.width, spec.minus = abs(width), spec.minus or width < 0
            after_index = False
        else:
            spec.width = self.digits()
            if after_index and spec.width is not None:
                self.good_index = False
        if self.peek() == ".":
            self.at += 1
            if after_index:
                self.good_index = False
            after_index = self.index()
            if self.peek() == "*":
                self.at += 1
                spec.precision = self.star()
                if spec.precision is None or spec.precision < 0:
                    spec.precision = None
                    made += "%!(BADPREC)"
                after_index = False
            else:
                spec.precision = self.digits() or 0
        if not after_index:
            self.index()
        verb = self.peek()
        self.at += 1
        if not verb:
            return made + "%!(NOVERB)"
        if verb == "%":
            return made + "%"
        if not self.good_index:
            return f"{made}%!{verb}(BADINDEX)"
        if self.number >= len(self.args):
            return f"{made}%!{verb}(MISSING)"
        arg = self.args[self.number]
        self.number += 1
        return made + _argument(arg, verb, spec)

    def digits(self) -> int | None:
        start = self.at
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        value = int(self.text[start : self.at]) if self.at > start else None
        return value if value is None or value <= 1_000_000 else None

    def star(self) -> int | None:
        if self.number >= len(self.args):
            return None
        value = self.args[self.number]
        self.number += 1
        fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 1_000_000
        return int(value) if fits else None

    def index(self) -> bool:
        """An explicit argument number: [2]."""
        if self.peek() != "[":
            return False
        self.reordered = True
        end = self.text.find("]", self.at)
        inside = self.text[self.at + 1 : end] if end > 0 else ""
        self.at = end + 1 if end > 0 else self.at + 1
        if inside.isdecimal() and 1 <= int(inside) <= len(self.args):
            self.number = int(inside) - 1
            return True
        self.good_index = False
        return True


def _argument(arg: Any, verb: str, spec: _Spec) -> str:
    if verb == "T":
        return _pad(type_name(arg), spec)
    if arg is None:
        return _pad("<nil>", spec) if verb == "v" else f"%!{verb}(<nil>)"
    if verb == "v":
        if spec.sharp:
            return _source(arg, spec)
        spec = replace(spec, plus=False)  # %+v is about struct fields, of which there are none
    return _value(arg, verb, spec)


def _source(arg: Any, spec: _Spec) -> str:
    if isinstance(arg, Byte):
        return f"0x{int(arg):x}"
    return _pad(gofmt.source(arg), spec) if not isinstance(arg, dict | list) else gofmt.source(arg)


def _value(arg: Any, verb: str, spec: _Spec) -> str:
    if arg is None:
        return _pad("<nil>", replace(spec, zero=False)) if verb == "v" else "<nil>"
    if isinstance(arg, dict):
        plain = _Spec(width=spec.width, minus=spec.minus) if verb == "v" else spec
        return "map[" + " ".join(f"{_value(k, verb, plain)}:{_value(arg[k], verb, spec)}" for k in sorted(arg)) + "]"
    if isinstance(arg, list):
        return "[" + " ".join(_value(item, verb, spec) for item in arg) + "]"
    if isinstance(arg, bool):
        return _pad("true" if arg else "false", spec) if verb in "tv" else _bad(arg, verb, spec)
    if isinstance(arg, str):
        return _string(arg, verb, spec)
    if isinstance(arg, float):
        return _float(arg, verb, spec)
    return _integer(int(arg), verb, spec, arg)


def _bad(arg: Any, verb: str, spec: _Spec) -> str:
    return f"%!{verb}({type_name(arg)}={_value(arg, 'v', spec)})"


def _pad(text: str, spec: _Spec) -> str:
    width = spec.width or 0
    if spec.minus:
        return text.ljust(width)
    return text.rjust(width, "0" if spec.zero else " ")


def _string(text: str, verb: str, spec: _Spec) -> str:
    cut = text if spec.precision is None else text[: spec.precision]
    if verb in "sv":
        return _pad(cut, spec)
    if verb == "q":
        if spec.sharp and "`" not in cut and all(char.isprintable() or char == "\t" for char in cut):
            return _pad(f"`{cut}`", spec)
        return _pad(_ascii(gofmt.quote(cut)) if spec.plus else gofmt.quote(cut), spec)
    if verb in "xX":
        data = text.encode()[: spec.precision]
        prefix = f"0{verb}" if spec.sharp and data else ""
        between = " " + prefix if spec.space else ""
        digits = between.join(f"{byte:02x}" for byte in data)
        return _pad(prefix + (digits.upper() if verb == "X" else digits), spec)
    return _bad(text, verb, spec)


def _ascii(quoted: str) -> str:
    return "".join(c if c < "\x7f" else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in quoted)


def _integer(value: int, verb: str, spec: _Spec, arg: Any) -> str:
    if verb in "cqU":
        return _rune(value, verb, spec)
    if verb not in _BASES:
        return _bad(arg, verb, spec)
    form, prefix = _BASES[verb]
    digits = format(abs(value), form)
    sign = "-" if value < 0 else "+" if spec.plus else " " if spec.space else ""
    if spec.precision is not None:
        digits = "" if spec.precision == 0 and value == 0 else digits.rjust(spec.precision, "0")
    elif spec.zero and not spec.minus and spec.width is not None:
        digits = digits.rjust(spec.width - len(sign), "0")
    if verb == "O" or (spec.sharp and prefix):
        digits = digits if verb == "o" and digits.startswith("0") else prefix + digits
    return _pad(sign + digits, replace(spec, zero=False))


def _rune(value: int, verb: str, spec: _Spec) -> str:
    char = chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000 else "\ufffd"
    if verb == "c":
        return _pad(char, spec)
    if verb == "q":
        quoted = gofmt.quote(char, "'")
        return _pad(_ascii(quoted) if spec.plus else quoted, spec)
    shown = f"U+{value:04X}" + (f" '{char}'" if spec.sharp and char.isprintable() else "")
    return _pad(shown, replace(spec, zero=False))


def _float(value: float, verb: str, spec: _Spec) -> str:
    if verb not in "veEfFgG":
        return _bad(value, verb, spec)
    sign = "-" if math.copysign(1, value) < 0 else "+" if spec.plus else " " if spec.space else ""
    if math.isnan(value) or math.isinf(value):
        shown = "NaN" if math.isnan(value) else "Inf"
        return _pad((sign or ("+" if math.isinf(value) else "")) + shown, replace(spec, zero=False))
    digits = _digits(abs(value), verb, spec)
    if spec.zero and not spec.minus and spec.width is not None:
        digits = digits.rjust(spec.width - len(sign), "0")
    return _pad(sign + digits, replace(spec, zero=False))


def _digits(value: float, verb: str, spec: _Spec) -> str:
    kind = {"v": "g", "F": "f"}.get(verb, verb)
    if kind in "gG" and spec.precision is None:
        digits = gofmt.number(value)
        return digits.upper() if kind == "G" else digits
    precision = 6 if spec.precision is None else spec.precision
    return f"{value:{'#' if spec.sharp else ''}.{precision}{kind}}"
