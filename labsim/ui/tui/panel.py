"""A scrolling page of lines: what the tabs on the right are made of."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static


class Panel(VerticalScroll):
    """`show` replaces the page; the place scrolled to stays."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Text] = []
        self.page = Static(Text(""), classes="page")

    def compose(self) -> ComposeResult:
        yield self.page

    def show(self, lines: list[Text]) -> None:
        if lines != self._lines:
            self._lines = lines
            self.page.update(Text("\n").join(lines))

    def text(self) -> str:
        """The page as plain text."""
        return "\n".join(line.plain for line in self._lines)
