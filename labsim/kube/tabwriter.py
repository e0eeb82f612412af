"""Elastic tabstops, as Go's text/tabwriter lays them out with the settings that kubectl uses.

A cell is text ended by a tab; what follows the last tab of a line is no cell and never padded. A column is a run of
consecutive lines that have a cell there; it is as wide as its longest cell plus the padding. Widths count runes.
"""

from __future__ import annotations

import re

_BREAKS = re.compile(r"([\t\v\n\f])")


class TabWriter:
    """Collects text and gives it back aligned. With `remember`, columns never get narrower again after a flush."""

    def __init__(self, minwidth: int, padding: int, remember: bool = False) -> None:
        self.minwidth, self.padding, self.remember = minwidth, padding, remember
        self._lines: list[list[str]] = [[]]
        self._cell = ""
        self._done: list[str] = []
        self._widest: list[int] = []

    def write(self, text: str) -> None:
        for part in _BREAKS.split(text):
            if part in ("\t", "\v"):
                self._end_cell()
            elif part in ("\n", "\f"):
                self._end_cell()
                lone = len(self._lines[-1]) == 1
                self._lines.append([])
                # a line without a tab ends all columns, so what is above can be laid out; \f does that on purpose
                if lone or part == "\f":
                    self._lay_out()
            else:
                self._cell += part

    def flush(self) -> str:
        """The text written since the last flush, aligned."""
        if self._cell:
            self._end_cell()
        self._lay_out()
        text = "".join(self._done)
        self._done = []
        return text

    def _end_cell(self) -> None:
        self._lines[-1].append(self._cell)
        self._cell = ""

    def _lay_out(self) -> None:
        self._format(0, len(self._lines), [])
        self._lines = [[]]

    def _format(self, first: int, last: int, widths: list[int]) -> None:
        """Prints lines first..last, whose columns before len(widths) are settled."""
        column, at = len(widths), first
        while at < last:
            if column >= len(self._lines[at]) - 1:
                at += 1
                continue
            self._print(first, at, widths)
            first = at
            width = self.minwidth
            while at < last and column < len(self._lines[at]) - 1:
                width = max(width, len(self._lines[at][column]) + self.padding)
                at += 1
            if self.remember:
                width = self._remembered(column, width, widths)
            self._format(first, at, [*widths, width])
            first = at
        self._print(first, last, widths)

    def _remembered(self, column: int, width: int, widths: list[int]) -> int:
        self._widest += widths[len(self._widest) :]
        if column == len(self._widest):
            self._widest.append(width)
        self._widest[column] = max(self._widest[column], width)
        return self._widest[column]

    def _print(self, first: int, last: int, widths: list[int]) -> None:
        for at in range(first, last):
            for column, cell in enumerate(self._lines[at]):
                self._done.append(cell.ljust(widths[column]) if column < len(widths) else cell)
            if at + 1 < len(self._lines):
                self._done.append("\n")


def get_writer() -> TabWriter:
    """What `get`, `top`, `api-resources` and custom-columns print through."""
    return TabWriter(6, 3, remember=True)


def describe_writer() -> TabWriter:
    """What `describe` and `rollout history` print through."""
    return TabWriter(0, 2)
