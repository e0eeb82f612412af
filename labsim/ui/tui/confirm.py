"""A question with few answers."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirm(ModalScreen[str]):
    """`choices` maps a key to its words; the result is the key, "" for Escape."""

    DEFAULT_CSS = """
    Confirm { align: center middle; background: $background 60%; }
    Confirm > Vertical {
        width: auto; max-width: 76; height: auto; border: solid $foreground; padding: 1 2; background: $surface;
    }
    Confirm Static { width: auto; max-width: 70; }
    Confirm Horizontal { height: auto; width: auto; margin-top: 1; }
    Confirm Button { margin-right: 2; }
    """

    def __init__(self, question: str, choices: dict[str, str]) -> None:
        super().__init__()
        self.question, self.choices = question, choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text(self.question))
            with Horizontal():
                for key, words in self.choices.items():
                    yield Button(Text(f"{key}  {words}"), id=f"choice-{key}", compact=True)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" or event.character in self.choices:
            event.stop()
            self.dismiss("" if event.key == "escape" else str(event.character))
        elif event.key in ("left", "right"):
            event.stop()
            if event.key == "left":
                self.focus_previous()
            else:
                self.focus_next()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(str(event.button.id).removeprefix("choice-"))
