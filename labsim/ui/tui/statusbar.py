"""The bottom line: simulated clock, step, checklist, hints, and what runs."""

from __future__ import annotations

from textual.widgets import Static

from labsim.pace import STEP_LIMIT
from labsim.ui.tui.view import View


class StatusBar(Static):
    DEFAULT_CSS = "StatusBar { height: 1; background: $panel; color: $foreground; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__("", id="status", markup=False)
        self.line = ""

    def show(self, view: View, running: str, steps: int) -> None:
        """`running` is what runs ("" for nothing); `steps` how many steps it waits already."""
        clock = view.time.replace("T", " ").replace("Z", "")
        parts = [clock, f"step {view.step}"]
        if view.goals:
            parts.append(f"goals {view.reached}/{len(view.goals)}")
        if view.hints:
            parts.append(f"hints {view.hints} (-{view.hint_cost})")
        if view.score is not None:
            parts.append(f"handed in: {view.score}")
        if running:
            parts.append(f"step {steps} of {STEP_LIMIT}, Ctrl-C stops" if steps else running)
        self.line = "  ".join(parts)
        self.update(self.line)
