"""The editor that vi, nano and kubectl edit open."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea


class EditorScreen(ModalScreen[str | None]):
    """The result is the text to be saved, or None when it was left without saving."""

    DEFAULT_CSS = """
    EditorScreen > Static { height: 1; background: $panel; color: $foreground; padding: 0 1; }
    EditorScreen TextArea, EditorScreen TextArea:focus { height: 1fr; border: none; padding: 0; }
    """
    BINDINGS = [
        Binding("ctrl+s", "save", "Save and close", priority=True),
        Binding("f2", "save", "Save and close", priority=True, show=False),
        Binding("escape", "cancel", "Leave", priority=True),
        Binding("ctrl+x", "finish", "Leave", priority=True, show=False),
        Binding("f10", "cancel", "Leave", priority=True, show=False),
        Binding("ctrl+q", "cancel", "Leave", priority=True, show=False),
    ]

    def __init__(self, name: str, text: str) -> None:
        super().__init__()
        self.file, self.before = name, text
        self._warned = False

    def compose(self) -> ComposeResult:
        yield Static(Text(f"Editing {self.file}"), id="editor-title")
        # A final newline is the end of the last line, not an empty line after it.
        shown = self.before.removesuffix("\n")
        yield TextArea(shown, show_line_numbers=True, tab_behavior="indent", soft_wrap=False, id="editor")
        yield Static("", id="editor-keys", markup=False)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.indent_type, area.indent_width = "spaces", 2
        area.focus()
        self._say("Ctrl-S saves and closes   Escape leaves without saving   Ctrl-Z undoes")

    def _say(self, text: str) -> None:
        self.query_one("#editor-keys", Static).update(text)

    @property
    def edited(self) -> str:
        text = self.query_one(TextArea).text
        return text if not text or text.endswith("\n") else text + "\n"

    def _unchanged(self) -> bool:
        return self.query_one(TextArea).text == self.before.removesuffix("\n")

    def action_save(self) -> None:
        self.dismiss(self.before if self._unchanged() else self.edited)

    def action_cancel(self) -> None:
        if self._unchanged() or self._warned:
            self.dismiss(None)
        else:
            self._warned = True
            self._say("There are changes. Escape again drops them, Ctrl-S saves them.")

    def action_finish(self) -> None:
        """Ctrl-X, as in nano: leaves; changes are asked about."""
        self.action_cancel()

    def on_text_area_changed(self) -> None:
        self._warned = False
