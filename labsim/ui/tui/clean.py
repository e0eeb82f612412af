"""Making output safe to draw: a terminal would obey control characters, this one shows them (as `cat -v` does)."""

from __future__ import annotations

import re

CLEAR = re.compile(r"\x1b\[H\x1b\[2?J(?:\x1b\[3J)?|\x1bc")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Control characters, C1, surrogates of undecodable bytes, and what turns the direction of writing.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
LONGEST = 100_000  # characters of one line


def split_screens(text: str) -> list[str]:
    """The text between orders to clear the screen; each part after the first begins on an empty screen."""
    return CLEAR.split(text)


def line(text: str) -> str:
    """One line, without its newline, as it may be drawn."""
    cut = len(text) - LONGEST
    if cut > 0:
        text = text[:LONGEST]
    if not text.isascii() or not text.isprintable():
        text = _COLOUR.sub("", text)
        text = text.expandtabs(8) if "\t" in text else text
        text = _returned(text.rstrip("\r")) if "\r" in text else text
        text = _UNSAFE.sub(_shown, text)
    return f"{text} [{cut} more characters not shown]" if cut > 0 else text


def _returned(text: str) -> str:
    """A carriage return goes back to the first column; what follows overwrites."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return "^" + chr(code + 0x40)
    if code == 0x7F:
        return "^?"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"<U+{code:04X}>"
