"""JSON as Go's encoding/json writes it and, with its error texts, reads it."""

from __future__ import annotations

import json
import re
from typing import Any

from labsim.kube.codec.scalars import json_float, to_json_number

_HTML = re.compile("[<>&\u2028\u2029]")
_string = json.encoder.encode_basestring
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonSyntaxError(ValueError):
    """`plain` is Go's message; `str(error)` has the offset before it, as kubectl prints it."""

    def __init__(self, offset: int, plain: str) -> None:
        # the end of the input is not a syntax error in Go, and has no offset
        super().__init__(plain if plain == "unexpected EOF" else f"json: offset {offset}: {plain}")
        self.offset, self.plain = offset, plain


def dump_compact(obj: Any) -> str:
    """json.Marshal: no spaces, sorted keys, `<>&` and the two Unicode line separators escaped.

    Raises ValueError for NaN and infinities, with Go's text.
    """
    return _HTML.sub(_escape, _dump(obj, "", "", ":"))


def dump_json(obj: Any) -> str:
    """`kubectl -o json`: four spaces of indent, sorted keys, a line break at the end."""
    return _HTML.sub(_escape, _dump(obj, "\n", "    ", ": ")) + "\n"


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _dump(value: Any, line: str, step: str, colon: str) -> str:
    """`line` is what stands before the closing bracket: nothing, or a line break and the indent."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = line + step
        rows = [f"{inner}{_string(key)}{colon}{_dump(value[key], inner, step, colon)}" for key in sorted(value)]
        return "{" + ",".join(rows) + line + "}"
    if isinstance(value, list | tuple):
        if not value:
            return "[]"
        inner = line + step
        return "[" + ",".join([inner + _dump(item, inner, step, colon) for item in value]) + line + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return json_float(value) if isinstance(value, float) else str(value)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


def _int(text: str) -> int | float:
    # Python limits the digits of huge integers; beyond int64 it is a float for kubectl anyway
    return to_json_number(int(text)) if len(text) < 25 else _float(text)


def _float(text: str) -> int | float:
    return to_json_number(float(text))


_DECODER = json.JSONDecoder(parse_int=_int, parse_float=_float, parse_constant=_refuse_constant)


def decode_next(text: str, at: int) -> tuple[Any, int] | None:
    """The next value of a JSON stream and where it ends; None at the end. Raises JsonSyntaxError."""
    found = _SPACE.match(text, at)
    start = found.end() if found else at
    if start >= len(text):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        offset, plain = _Scanner(text, start).error()
        raise JsonSyntaxError(len(text[:offset].encode()), plain) from None
    return value, end


class _Scanner:
    """Finds the first character Go's scanner objects to, and its words."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def error(self) -> tuple[int, str]:
        """(characters read up to and with the bad one, message)."""
        try:
            self._value("looking for beginning of value")
        except _BadError as bad:
            return bad.args[0], bad.args[1]
        except RecursionError:
            return self.at, "exceeded max depth"
        return self.at, "unexpected EOF"

    def _peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _space(self) -> str:
        while self._peek() and self._peek() in " \t\r\n":
            self.at += 1
        return self._peek()

    def _bad(self, context: str) -> _BadError:
        char = self._peek()
        if not char:
            return _BadError(self.at, "unexpected EOF")
        return _BadError(self.at + 1, f"invalid character {quote_char(char)} {context}")

    def _value(self, context: str) -> None:
        char = self._space()
        if char == "{":
            self._object()
        elif char == "[":
            self._array()
        elif char == '"':
            self._string()
        elif char == "-" or char.isdecimal():
            self._number()
        elif char and char in "tfn":
            self._literal({"t": "true", "f": "false", "n": "null"}[char])
        else:
            raise self._bad(context)

    def _object(self) -> None:
        self.at += 1
        if self._space() == "}":
            self.at += 1
            return
        while True:
            if self._space() != '"':
                raise self._bad("looking for beginning of object key string")
            self._string()
            if self._space() != ":":
                raise self._bad("after object key")
            self.at += 1
            self._value("looking for beginning of value")
            char = self._space()
            if char == "}":
                self.at += 1
                return
            if char != ",":
                raise self._bad("after object key:value pair")
            self.at += 1

    def _array(self) -> None:
        self.at += 1
        if self._space() == "]":
            self.at += 1
            return
        while True:
            self._value("looking for beginning of value")
            char = self._space()
            if char == "]":
                self.at += 1
                return
            if char != ",":
                raise self._bad("after array element")
            self.at += 1

    def _string(self) -> None:
        self.at += 1
        while True:
            char = self._peek()
            if char == '"':
                self.at += 1
                return
            if not char or char < " ":
                raise self._bad("in string literal")
            self.at += 1
            if char == "\\":
                self._escape()

    def _escape(self) -> None:
        char = self._peek()
        if not char or char not in '"\\/bfnrtu':
            raise self._bad("in string escape code")
        self.at += 1
        if char == "u":
            for _ in range(4):
                if not self._peek() or self._peek() not in "0123456789abcdefABCDEF":
                    raise self._bad("in \\u hexadecimal character escape")
                self.at += 1

    def _digits(self, context: str) -> None:
        if not self._is_digit():
            raise self._bad(context)
        while self._is_digit():
            self.at += 1

    def _is_digit(self) -> bool:
        return bool(self._peek()) and self._peek() in "0123456789"

    def _number(self) -> None:
        if self._peek() == "-":
            self.at += 1
            if not self._is_digit():
                raise self._bad("in numeric literal")
        if self._peek() == "0":
            self.at += 1
        else:
            self._digits("in numeric literal")
        if self._peek() == ".":
            self.at += 1
            self._digits("after decimal point in numeric literal")
        if self._peek() and self._peek() in "eE":
            self.at += 1
            if self._peek() and self._peek() in "+-":
                self.at += 1
            self._digits("in exponent of numeric literal")

    def _literal(self, word: str) -> None:
        self.at += 1
        for char in word[1:]:
            if self._peek() != char:
                raise self._bad(f"in literal {word} (expecting {quote_char(char)})")
            self.at += 1


class _BadError(Exception):
    pass


def quote_char(char: str) -> str:
    """Go's quoteChar: single quotes, with the two quote marks as they read best."""
    if char == "'":
        return r"'\''"
    if char == '"':
        return "'\"'"
    return "'" + json.dumps(char, ensure_ascii=False)[1:-1].replace("\\u00", "\\x") + "'"
