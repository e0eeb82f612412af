"""`-o kyaml` (kubectl 1.35): flow-style YAML with quoted strings, trailing commas and folded line breaks."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from labsim.kube.codec.scalars import WORDS, json_float, resolve, to_json_number

_SEXAGESIMAL = re.compile(r"[+-]?[1-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?\Z")
_AMBIGUOUS = frozenset({word.lower() for word in WORDS} | {"t", "f", "0", "1"})
_INF = re.compile(r"[+-]?(inf|infinity|nan)\Z", re.IGNORECASE)
_HEX_FLOAT = re.compile(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+\Z")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\r": "\\r", "\v": "\\v", "\0": "\\0", "\x1b": "\\e",
            "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P", '"': '\\"', "\\": "\\\\"}  # fmt: skip
_FOLD = "\\\n"


def dump_kyaml(obj: Any) -> str:
    """One document with its `---` header and a line break at the end."""
    return f"---\n{_node(obj, 0)}\n"


def _node(value: Any, indent: int) -> str:
    if isinstance(value, dict):
        if not value:
            return "{}"
        pad = "  " * (indent + 1)
        rows = [f"{pad}{_key(key)}: {_node(value[key], indent + 1)},\n" for key in sorted(value)]
        return "{\n" + "".join(rows) + "  " * indent + "}"
    if isinstance(value, list | tuple):
        if not value:
            return "[]"
        if all(isinstance(item, dict | list | tuple) for item in value):
            return "[" + ", ".join(_node(item, indent) for item in value) + "]"
        pad = "  " * (indent + 1)
        return "[\n" + "".join(f"{pad}{_node(item, indent + 1)},\n" for item in value) + "  " * indent + "]"
    if isinstance(value, str):
        return _quoted(value, indent + 1)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    number = to_json_number(value)
    return str(number) if isinstance(number, int) else json_float(number)


def _key(key: str) -> str:
    return _compact(key) if _needs_quotes(key) else key


def _needs_quotes(text: str) -> bool:
    if not text or text.lower() in _AMBIGUOUS or _is_number(text):
        return True
    if _SEXAGESIMAL.match(text) or resolve(text)[0] == "timestamp":
        return True
    last = len(text) - 1
    return any(
        not (char == "_" or unicodedata.category(char)[0] in "LN" or (0 < at < last and char in "-./"))
        for at, char in enumerate(text)
    )


def _is_number(text: str) -> bool:
    plain = text.replace("_", "")
    return resolve(plain)[0] in ("int", "float") or any(p.match(plain) for p in (_INF, _HEX_FLOAT, _FLOAT))


def _is_printable(char: str) -> bool:
    """Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space."""
    return char == " " or unicodedata.category(char)[0] in "LMNPS"


def _escape(char: str) -> str:
    if char in '"\\':
        return _ESCAPES[char]
    if _is_printable(char):
        return char
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _compact(text: str) -> str:
    body = (("\\n" if char == "\n" else "\\t" if char == "\t" else _escape(char)) for char in text)
    return '"' + "".join(body) + '"'


def _quoted(text: str, indent: int) -> str:
    """A string; one with line breaks is folded over several lines, with a space kept before each."""
    if "\n" not in text:
        return '"' + "".join("\t" if char == "\t" else _escape(char) for char in text) + '"'
    pad = "  " * indent
    out = ['"', _FOLD]
    for char in text:
        if out[-1].endswith("\n"):
            out.append(pad + ("\\" if char.isspace() and char != "\n" else " "))
        out.append("\\n" + _FOLD if char == "\n" else "\t" if char == "\t" else _escape(char))
    if not out[-1].endswith("\n"):
        out.append(_FOLD)
    return "".join(out) + pad + '"'
