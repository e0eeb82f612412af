"""The first screen: pick a ticket or a free lab, or go on with the last lab."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from labsim.ui.tui.entries import Entry, entries


class Picker(Screen[None]):
    DEFAULT_CSS = """
    Picker #picker-head { padding: 1 2; height: auto; }
    Picker OptionList, Picker OptionList:focus { height: 1fr; border: none; padding: 0 1; background: $background; }
    Picker OptionList > .option-list--option-disabled { color: $foreground; }
    Picker #picker-foot { padding: 0 2; height: auto; }
    """
    BINDINGS = [
        Binding("v", "variant", "Next variant"),
        Binding("q,f10,escape,ctrl+q", "app.quit", "Quit", priority=True),
    ]

    class Picked(Message):
        def __init__(self, entry: Entry, seed: int) -> None:
            super().__init__()
            self.entry, self.seed = entry, seed

    def __init__(self, packs: str) -> None:
        super().__init__()
        self.packs = packs
        self.entries: list[Entry] = []
        self.variant: dict[str, int] = {}
        self.said = ""

    def compose(self) -> ComposeResult:
        head = Text("labsim", style="bold")
        head.append("  a GPU cluster in your terminal\n", style="not bold")
        head.append("Nothing typed in a lab reaches a real machine. Up, Down choose, Enter opens.", style="not bold")
        yield Static(head, id="picker-head")
        yield OptionList(id="picker")
        yield Static("", id="picker-foot", markup=False)
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.fill()
        self.query_one(OptionList).focus()

    def fill(self) -> None:
        self.entries = entries(self.packs)
        options: list[Option | None] = []
        group = ""
        for number, entry in enumerate(self.entries):
            if entry.group != group:
                options.append(Option(Text(f"--- {entry.group}", style="italic"), disabled=True))
            group = entry.group
            options.append(Option(self._row(entry), id=str(number), disabled=entry.kind == "broken"))
        chooser = self.query_one(OptionList)
        chooser.clear_options()
        chooser.add_options(options)
        chooser.highlighted = next((i for i, option in enumerate(chooser.options) if not option.disabled), None)

    def _row(self, entry: Entry) -> Text:
        text = Text(entry.titled(self.variant.get(entry.name, 0)), style="bold")
        return text.append(f"\n    {entry.facts}", style="not bold")

    def say(self, text: str) -> None:
        self.said = text
        self.query_one("#picker-foot", Static).update(text)

    def _seed(self, entry: Entry) -> int:
        return entry.seeds[self.variant.get(entry.name, 0) % len(entry.seeds)]

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        entry = self.entries[int(str(event.option.id))]
        many = len(entry.seeds) > 1
        place = self.variant.get(entry.name, 0) % len(entry.seeds)
        self.say(f"Variant {place + 1} of {len(entry.seeds)} (v: the next one)" if many else "")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        entry = self.entries[int(str(event.option.id))]
        self.post_message(self.Picked(entry, self._seed(entry)))

    def action_variant(self) -> None:
        chooser = self.query_one(OptionList)
        place = chooser.highlighted
        if place is None:
            return
        entry = self.entries[int(str(chooser.get_option_at_index(place).id))]
        if len(entry.seeds) > 1:
            self.variant[entry.name] = self.variant.get(entry.name, 0) + 1
            chooser.replace_option_prompt_at_index(place, self._row(entry))
            number = self.variant[entry.name] % len(entry.seeds)
            self.say(f"Variant {number + 1} of {len(entry.seeds)} (v: the next one)")
