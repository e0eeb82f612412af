"""The application: from the picker to a lab and back. `run` and `run_lab` are what labsim/ui/play.py calls."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable

from textual.app import App

from labsim.lab import Lab
from labsim.ui import keeping
from labsim.ui.play import seed_for
from labsim.ui.tui.entries import Entry
from labsim.ui.tui.labscreen import LabScreen
from labsim.ui.tui.picker import Picker


def run(ticket: str | None, world: str | None, seed: int | None, packs: str) -> int:
    """A ticket or world at once, else the picker. Raises DocumentError, LabError before the screen opens."""
    if ticket is None and world is None:
        return _run(LabsimApp(packs))
    return _run(LabsimApp(packs, opened(ticket, world, seed_for(ticket, seed, packs), packs)))


def run_lab(lab: Lab) -> int:
    return _run(LabsimApp(str(lab.recipe.header.get("packs", "")), lab))


def opened(ticket: str | None, world: str | None, seed: int, packs: str) -> Lab:
    lab = Lab.open(world, ticket, seed, packs=packs)
    keeping.keep(lab)
    return lab


def _run(app: LabsimApp) -> int:
    app.run()
    for fault in app.faults:
        print(fault, file=sys.stderr)
    return app.return_code or 0


def light_background() -> bool:
    """Many terminals tell their colours as `foreground;background` in COLORFGBG; 7 and 9 to 15 are light."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background.isdigit() and int(background) in (7, *range(9, 16))


class LabsimApp(App[None]):
    """`lab` is opened at once; without one the picker comes first. Faults of labsim are printed at the end."""

    TITLE = "labsim"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, packs: str = "", lab: Lab | None = None) -> None:
        super().__init__()
        self.packs, self.first = packs, lab
        self.faults: list[str] = []
        self.opening = ""

    def on_mount(self) -> None:
        self.theme = "textual-light" if light_background() else "textual-dark"
        if self.first is not None:
            self.enter(self.first)
        else:
            self.push_screen(Picker(self.packs))

    def enter(self, lab: Lab) -> None:
        screen = LabScreen(lab)

        def left(how: str | None) -> None:
            self.faults += screen.work.faults
            if how == "quit":
                self.exit()
            elif any(isinstance(one, Picker) for one in self.screen_stack):
                picker = self.screen
                assert isinstance(picker, Picker)
                picker.fill()
            else:
                self.push_screen(Picker(self.packs))

        self.push_screen(screen, left)

    # Opening takes up to some seconds (the first time a world is built), so it is done beside the screen.

    def on_picker_picked(self, event: Picker.Picked) -> None:
        if self.opening:
            return
        entry, seed = event.entry, event.seed
        self.opening = entry.title
        self._say(f"Opening {entry.title} ... (the first time takes some seconds)")
        threading.Thread(target=self._open, args=(entry, seed), name="open", daemon=True).start()

    def _open(self, entry: Entry, seed: int) -> None:
        try:
            lab = self._lab(entry, seed)
        except Exception as error:
            if type(error).__name__ not in ("DocumentError", "LabError", "RecipeError", "FaultError", "BuildError"):
                self.faults.append(traceback.format_exc())
            message = f"Cannot be opened: {error}"
            self._later(lambda: self._opened(message))
            return
        self._later(lambda: self._opened("", lab))

    def _lab(self, entry: Entry, seed: int) -> Lab:
        if entry.kind == "resume":
            from pathlib import Path

            return Lab.resume(Path(entry.name))
        ticket = entry.name if entry.kind == "ticket" else None
        return opened(ticket, None if ticket else entry.name, seed, self.packs)

    def _later(self, call: Callable[[], None]) -> None:
        if self.is_running:
            self.call_later(call)

    def _opened(self, message: str, lab: Lab | None = None) -> None:
        self.opening = ""
        self._say(message)
        if lab is not None:
            self.enter(lab)

    def _say(self, text: str) -> None:
        if isinstance(self.screen, Picker):
            self.screen.say(text)
