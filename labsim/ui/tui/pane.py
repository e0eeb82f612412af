"""The drawing half of the terminal pane: scrollback, and below it the line being typed, as in a real terminal."""

from __future__ import annotations

from concurrent.futures import Future

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from labsim.ui.tui.lineedit import LineEditor
from labsim.ui.tui.promptrows import PromptRows, layout
from labsim.ui.tui.rows import Row, Rows

KINDS = {"typed": Style(bold=True), "note": Style(italic=True), "output": Style()}


class TerminalPane(ScrollView, can_focus=True):
    """While `busy` there is no prompt; `_question` is what a running program asks."""

    DEFAULT_CSS = "TerminalPane { height: 1fr; overflow-y: scroll; overflow-x: hidden; background: $background; }"
    ALLOW_SELECT = True

    def __init__(self) -> None:
        super().__init__(id="terminal")
        self.rows = Rows()
        self.editor = LineEditor([])
        self.prompt = ""
        self.busy = False
        self._question: tuple[str, Future[str]] | None = None

    # Output

    def write(self, text: str, kind: str = "output") -> None:
        following = self.following
        self.rows.write(text, kind)
        self._changed(following)

    def note(self, text: str) -> None:
        """A line of labsim itself, marked so that it is not taken for a program's output."""
        following = self.following
        for line in text.split("\n"):
            self.rows.write_line(f"-- {line}", "note")
        self._changed(following)

    @property
    def following(self) -> bool:
        """The end is in view, so what comes is to be shown."""
        return self.scroll_offset.y >= self.max_scroll_y

    def _changed(self, follow: bool) -> None:
        height = len(self.rows.rows) + len(self._prompt_rows().texts)
        self.virtual_size = Size(self.rows.width, max(height, self.rows.top + self.size.height))
        if follow:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width > 0:
            self.rows.resize(width)
            self._changed(True)

    # Drawing

    def _shown_prompt(self) -> str:
        editor = self.editor
        if self._question is not None:
            return self._question[0]
        if editor.search is not None:
            return f"({'failed ' if editor.failed() else ''}reverse-i-search)`{editor.search}': "
        return self.prompt

    def _prompt_rows(self) -> PromptRows:
        if self.busy and self._question is None:
            return layout(self.rows.partial[-1000:], "", 0, self.rows.width)
        head = self.rows.partial[-1000:] + self._shown_prompt()
        return layout(head, self.editor.text, self.editor.cursor, self.rows.width)

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        rows, width = self.rows.rows, self.scrollable_content_region.width
        base = self.rich_style
        if index < len(rows):
            segments = self._selected(rows[index], index, base)
        else:
            segments = self._prompt_segments(index - len(rows), base)
        return Strip(segments).adjust_cell_length(width, base).apply_offsets(0, index)

    def _selected(self, row: Row, index: int, base: Style) -> list[Segment]:
        style = base + KINDS.get(row.kind, KINDS["output"])
        selection = self.text_selection
        span = selection.get_span(index) if selection is not None else None
        if span is None:
            return [Segment(row.text, style)]
        start, end = span[0], len(row.text) if span[1] == -1 else span[1]
        marked = style + self.screen.get_component_rich_style("screen--selection") + Style(reverse=True)
        return [Segment(row.text[:start], style), Segment(row.text[start:end], marked), Segment(row.text[end:], style)]

    def _prompt_segments(self, index: int, base: Style) -> list[Segment]:
        shown = self._prompt_rows()
        if index >= len(shown.texts):
            return []
        text = shown.texts[index]
        lead = min(shown.lead, len(text)) if index == 0 else 0
        if index != shown.row or (self.busy and self._question is None):
            return [Segment(text[:lead], base + Style(bold=True)), Segment(text[lead:], base)]
        column = shown.column
        under = text[column : column + 1] or " "
        if self.has_focus:
            region = self.content_region
            x = region.x + cell_len(text[:column])
            y = region.y + len(self.rows.rows) + index - self.scroll_offset.y
            self.app.cursor_position = Offset(x, y)
        return [
            Segment(text[: min(lead, column)], base + Style(bold=True)),
            Segment(text[min(lead, column) : column], base),
            Segment(under, base + (Style(reverse=True) if self.has_focus else Style(underline=True))),
            Segment(text[column + 1 :], base),
        ]

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The marked text; rows of one wrapped line are joined again."""
        rows = self.rows.rows
        parts = []
        for index, row in enumerate(rows):
            span = selection.get_span(index)
            if span is not None:
                start, end = span[0], len(row.text) if span[1] == -1 else span[1]
                parts.append(row.text[start:end] + ("" if row.goes_on else "\n"))
        return ("".join(parts).removesuffix("\n"), "\n") if parts else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def text(self) -> str:
        """Everything in the pane as plain text (tests, screen dumps)."""
        parts = ["".join(row.text + ("" if row.goes_on else "\n") for row in self.rows.rows)]
        return "".join(parts) + "\n".join(self._prompt_rows().texts)
