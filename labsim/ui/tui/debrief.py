"""After handing in: the score, what was reached, what was harmed, one way to do it."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static


class DebriefScreen(ModalScreen[str]):
    """The result is `stay`, `pick` or `quit`."""

    DEFAULT_CSS = """
    DebriefScreen { background: $background; }
    DebriefScreen VerticalScroll { padding: 1 2; }
    """
    BINDINGS = [
        Binding("escape,enter", "leave('stay')", "Back to the lab"),
        Binding("p", "leave('pick')", "Pick another"),
        Binding("q,f10,ctrl+q", "leave('quit')", "Quit", priority=True),
    ]

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.lines = lines

    def compose(self) -> ComposeResult:
        page = Text()
        for number, line in enumerate(self.lines):
            bold = number == 0 or line.startswith(("[", "One way", "See:"))
            page.append(line + "\n", style="bold" if bold else "")
        with VerticalScroll():
            yield Static(page, id="debrief")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_leave(self, how: str) -> None:
        self.dismiss(how)
