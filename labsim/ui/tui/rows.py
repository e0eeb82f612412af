"""Scrollback: logical lines wrapped to rows of a width in cells, with a cap."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells

from labsim.ui.tui import clean

CAP = 5_000  # logical lines, and rows


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the screen. `kind` names its style; `goes_on`: the next row is the same logical line."""

    text: str
    kind: str
    goes_on: bool = False


def wrap(text: str, width: int) -> list[str]:
    """Cut after `width` cells, as terminals do; a wide character is never halved."""
    if text.isascii():
        return [text[i : i + width] for i in range(0, len(text), width)] or [""]
    if cell_len(text) <= width:
        return [text]
    return list(chop_cells(text, max(width, 2)))


def wrap_words(text: str, width: int) -> list[str]:
    """The same, but at blanks where there are some: for what labsim itself says."""
    rows = [""]
    for word in text.split(" "):
        if cell_len(rows[-1]) + cell_len(word) + 1 <= width or not rows[-1]:
            rows[-1] += (" " if rows[-1] else "") + word
        else:
            rows.append("   " + word)
    return [part for row in rows for part in wrap(row, width)]


class Rows:
    """`partial` is the last output's end without newline: what is printed next goes on there."""

    def __init__(self, width: int = 80) -> None:
        self.width = width
        self.lines: deque[tuple[str, str]] = deque(maxlen=CAP)
        self.rows: list[Row] = []
        self.partial = ""
        self.top = 0  # the row at which the cleared screen begins
        self._fresh_top: int | None = None  # the same, when this line of input cleared it
        self.dropped = 0

    def begin(self) -> None:
        """A new line of input starts: what it clears is a new screen."""
        self._fresh_top = None

    def write(self, text: str, kind: str = "output") -> None:
        first, *screens = clean.split_screens(text)
        self._add(first, kind)
        for screen in screens:
            self.clear()
            self._add(screen, kind)

    def _add(self, text: str, kind: str) -> None:
        if not text:
            return
        *whole, last = (self.partial + text).rsplit("\n", CAP)
        if whole and "\n" in whole[0]:  # more than the cap: only the end can be kept
            whole = whole[1:]
        for one in whole:
            shown = clean.line(one)
            self.lines.append((shown, kind))
            self._push(shown, kind)
        self.partial = last[-clean.LONGEST :]
        self._trim()

    def write_line(self, text: str, kind: str) -> None:
        """A line of the face itself; it starts on a row of its own."""
        self._add(("\n" if self.partial else "") + text + "\n", kind)

    def clear(self) -> None:
        """An empty screen. A program that clears again and again (watch) replaces its own screen."""
        self.partial = ""
        if self._fresh_top is not None:
            gone = len(self.rows) - self._fresh_top
            del self.rows[self._fresh_top :]
            logical = 0
            while gone > 0 and self.lines:
                logical += 1
                gone -= len(self._wrap(*self.lines.pop()))
        self.top = self._fresh_top = len(self.rows)

    def resize(self, width: int) -> None:
        if width == self.width:
            return
        above = sum(1 for row in self.rows[: self.top] if not row.goes_on)
        self.width = width
        self.rows = []
        self.top = 0
        for number, (text, kind) in enumerate(self.lines):
            if number == above:
                self.top = len(self.rows)
            self._push(text, kind)
        if above >= len(self.lines):
            self.top = len(self.rows)
        self._fresh_top = None
        self._trim()

    def _push(self, text: str, kind: str) -> None:
        parts = self._wrap(text, kind)
        self.rows += [Row(part, kind, index < len(parts) - 1) for index, part in enumerate(parts)]

    def _wrap(self, text: str, kind: str) -> list[str]:
        return wrap_words(text, self.width) if kind == "note" else wrap(text, self.width)

    def _trim(self) -> None:
        gone = len(self.rows) - CAP
        if gone > 0:
            del self.rows[:gone]
            self.dropped += gone
            self.top = max(self.top - gone, 0)
            if self._fresh_top is not None:
                self._fresh_top = max(self._fresh_top - gone, 0)
