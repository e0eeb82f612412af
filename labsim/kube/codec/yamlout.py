"""`-o yaml`: the block style of go-yaml v2 as sigs.k8s.io/yaml uses it, byte for byte (judged by kubectl 1.35)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cmp_to_key, lru_cache
from typing import Any

from labsim.kube.codec.scalars import go_float, json_float, must_quote, to_json_number

MAX_SIMPLE_KEY = 128
"""Bytes of a key that may stand before its colon; a longer one gets a line of its own after `? `."""

BEST_WIDTH = 80
"""A scalar in quotes or plain is folded at the first single space past this column."""

_PRINTABLE = "\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd"
_SPECIAL = re.compile(f"[^{_PRINTABLE}]")
_ESCAPED = re.compile(f'[^{_PRINTABLE}]|["\\\\\n\u2028\u2029]')
_ESCAPES = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e", '"': '"',
    "\\": "\\", "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P",
}  # fmt: skip
_CONTROL = re.compile("[\x7f-\x84\x86-\x9f\ufffe\uffff]")
_BREAK = re.compile("[\n\u2028\u2029]")
_KEY_BREAK = re.compile("[\n\r\x85\u2028\u2029]")
_LINE_START = re.compile("([\n\u2028\u2029])(?=[^\n\u2028\u2029])")
_WORD = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*\Z")
_INDICATOR = re.compile(
    r"""[#,\[\]{}&*!|>'"%@`]|[-?:](?:[ \t]|\Z)|---|\.\.\.|.+?(?::(?:[ \t]|\Z)|[ \t\r\n\x85\u2028\u2029\0]#)""",
    re.DOTALL,
)
_SPACE_BEFORE_BREAK = re.compile(" [\n\u2028\u2029]")
_SPACE_AFTER_BREAK = re.compile("[\n\u2028\u2029] ")


def dump_yaml(obj: Any) -> str:
    """The YAML text of a JSON-like value, with a line break at the end. Keys are in go-yaml's natural order.

    Raises ValueError for NaN and infinities, and for the control characters that JSON leaves bare and YAML refuses
    (kubectl makes JSON first and reads it as YAML), with Go's texts.
    """
    out: list[str] = []
    _emit(obj, 0, "", False, out)
    return "\n".join(out) + "\n"


def _emit(value: Any, indent: int, head: str, inline: bool, out: list[str]) -> None:
    """Append the lines of `value`. `head` is what stands already on the current line (`  key:`, `  -`).

    A block collection begins on the line of `head` if `inline`, else below it; its lines begin at column `indent`.
    """
    if not isinstance(value, dict | list | tuple) or not value:
        column = len(head) + 1 if head else 0
        text = _fold(_scalar(value, indent if head else 2), column, indent if head else 2)
        out.append(f"{head} {text}" if head else text)
        return
    if head and not inline:
        out.append(head)
    start = f"{head} " if head and inline else " " * indent
    if isinstance(value, dict):
        for key in sort_keys(value):
            _pair(key, value[key], indent, start, out)
            start = " " * indent
        return
    for item in value:
        _emit(item, indent + 2, f"{start}-", True, out)
        start = " " * indent


def _pair(key: str, value: Any, indent: int, start: str, out: list[str]) -> None:
    if len(key.encode()) > MAX_SIMPLE_KEY or _KEY_BREAK.search(key):
        out.append(f"{start}? {_fold(_string(key, indent + 2), len(start) + 2, indent + 2)}")
        _emit(value, indent + 2, " " * indent + ":", True, out)
        return
    # a list stands under its key, not to the right of it
    below = indent if isinstance(value, list | tuple) and value else indent + 2
    _emit(value, below, f"{start}{_string(key, indent + 2)}:", False, out)


def sort_keys(keys: Iterable[str]) -> list[str]:
    """go-yaml's order: letters after everything else, runs of digits by their number."""
    names = list(keys)
    if all(name.isalpha() for name in names):
        return sorted(names)
    return sorted(names, key=cmp_to_key(_compare))


def _compare(a: str, b: str) -> int:
    return -1 if _less(a, b) else 1


def _less(a: str, b: str) -> bool:
    for i, (x, y) in enumerate(zip(a, b)):
        if x == y:
            continue
        if x.isalpha() and y.isalpha():
            return x < y
        if x.isalpha() or y.isalpha():
            return y.isalpha()
        start = 1 if "0" in (x, y) and _follows_number(a, i) else 0
        a_number, a_end = _number(a, i, start)
        b_number, b_end = _number(b, i, start)
        if a_number != b_number:
            return a_number < b_number
        return a_end < b_end if a_end != b_end else x < y
    return len(a) < len(b)


def _follows_number(text: str, at: int) -> bool:
    """Whether the digits before `at` have one that is not 0."""
    while at and text[at - 1].isdecimal():
        at -= 1
        if text[at] != "0":
            return True
    return False


def _number(text: str, at: int, value: int) -> tuple[int, int]:
    while at < len(text) and text[at].isdecimal():
        value = value * 10 + ord(text[at]) - 48
        at += 1
    return (value + 2**63) % 2**64 - 2**63, at  # Go's int64 wraps


def _scalar(value: Any, indent: int) -> str:
    if isinstance(value, str):
        return _string(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if isinstance(value, float):
            json_float(value)  # refuses what JSON cannot say: the text passes through JSON
        number = to_json_number(value)
        return str(number) if isinstance(number, int) else go_float(number)
    return "{}" if isinstance(value, dict) else "[]"


@lru_cache(maxsize=8192)
def _string(text: str, indent: int) -> str:
    if _CONTROL.search(text):
        raise ValueError("yaml: control characters are not allowed")
    if "\n" in text:
        if text.endswith(" ") or _SPECIAL.search(text) or _SPACE_BEFORE_BREAK.search(text):
            return _double(text)
        return _literal(text, indent)
    if must_quote(text):
        return _double(text)
    if _WORD.match(text):
        return text
    if _SPECIAL.search(text) or _SPACE_BEFORE_BREAK.search(text):
        return _double(text)
    if text[0] in " \u2028\u2029" or text[-1] in " \u2028\u2029" or _BREAK.search(text) or _INDICATOR.match(text):
        return _double(text) if _SPACE_AFTER_BREAK.search(text) else _single(text, indent)
    return text


def _fold(text: str, column: int, indent: int) -> str:
    """Fold a scalar that begins at `column`; block scalars stay as they are."""
    if column + len(text) <= BEST_WIDTH or " " not in text or text[0] == "|":
        return text
    quote = text[0] if text[0] in "'\"" else ""
    first, last = len(quote), len(text) - len(quote) - 1
    out: list[str] = []
    spaces = False
    for at, char in enumerate(text):
        folds = char == " " and not spaces and column > BEST_WIDTH and first < at < last
        if folds and (quote == '"' or text[at + 1] != " "):
            out.append("\n" + " " * indent)
            column = indent
            if text[at + 1] == " ":
                out.append("\\")
                column += 1
        else:
            out.append(char)
            column += 1
        spaces = char == " "
    return "".join(out)


def _double(text: str) -> str:
    if text.startswith("\ufeff"):  # go-yaml looks for a byte order mark at the start, whatever character it is at
        return '"' + "".join(_escape(char) for char in text) + '"'
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), text) + '"'


def _escape(char: str) -> str:
    known = _ESCAPES.get(char)
    if known is not None:
        return "\\" + known
    code = ord(char)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _single(text: str, indent: int) -> str:
    return "'" + _indented(text.replace("'", "''"), indent) + "'"


def _literal(text: str, indent: int) -> str:
    hint = "2" if text[0] in " \n\u2028\u2029" else ""
    if not _BREAK.match(text[-1]):
        chomp = "-"
    elif len(text) == 1 or _BREAK.match(text[-2]):
        chomp = "+"
    else:
        chomp = ""
    body = text.removesuffix("\n")
    first = "" if not body or _BREAK.match(body[0]) else " " * indent
    return f"|{hint}{chomp}\n{first}{_indented(body, indent)}"


def _indented(text: str, indent: int) -> str:
    return _LINE_START.sub(lambda found: found[0] + " " * indent, text)
