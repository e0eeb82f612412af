"""What the function keys do. Each is refused while a line runs, but for looking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from textual.binding import Binding, BindingType
from textual.widgets import TabbedContent

from labsim.tickets.grading import Grade
from labsim.ui import texts
from labsim.ui.tui.confirm import Confirm
from labsim.ui.tui.debrief import DebriefScreen

if TYPE_CHECKING:
    from labsim.ui.tui.labscreen import LabScreen

PAGES = ("page-ticket", "page-checklist", "page-map", "page-timeline", "page-keys")
BINDINGS: list[BindingType] = [
    Binding("f1", "keys", "Keys"),
    Binding("f2", "hint", "Hint"),
    Binding("f3", "step", "Step"),
    Binding("f4", "page(1)", "View"),
    Binding("shift+f4", "page(-1)", "View before", show=False),
    Binding("f5", "undo", "Undo"),
    Binding("f6", "redo", "Redo"),
    Binding("f7", "reset", "Reset"),
    Binding("f8", "submit", "Submit"),
    Binding("f9", "other_side", "Side", show=False),
    Binding("escape", "terminal", "Terminal", show=False),
    Binding("f10", "leave", "Quit"),
    Binding("ctrl+q", "leave", "Quit", show=False, priority=True),
]
# Words of the prompt that are keys as well.
WORDS = {
    "help": "keys", "hint": "hint", "step": "step", "undo": "undo", "redo": "redo", "reset": "reset",
    "submit": "submit", "quit": "leave", "q": "leave",
}  # fmt: skip


class Actions:
    """Mixed into LabScreen."""

    @property
    def _me(self) -> LabScreen:
        return cast("LabScreen", self)

    def may_act(self) -> bool:
        """May the lab be asked for something now?"""
        me = self._me
        if not me.work.running:
            return True
        me.app.bell()
        me.notify("A line is running: Ctrl-C stops it.", timeout=3)
        return False

    # Looking

    def action_keys(self) -> None:
        self._open("page-keys")

    def action_page(self, by: int) -> None:
        """The next page; on a narrow screen the terminal is one of them."""
        me = self._me
        tabs = me.query_one("#side", TabbedContent)
        place = PAGES.index(tabs.active or PAGES[0])
        if me.has_class("-narrow"):
            if not me.has_class("aside"):
                self._open(PAGES[0 if by > 0 else -1])
                return
            if not 0 <= place + by < len(PAGES):
                self.action_terminal()
                return
        self._open(PAGES[(place + by) % len(PAGES)])

    def _open(self, page: str) -> None:
        me = self._me
        me.query_one("#side", TabbedContent).active = page
        if me.has_class("-narrow"):
            me.add_class("aside")
            me.call_after_refresh(self.action_focus_page)

    def action_focus_page(self) -> None:
        """Keys go to the first thing on the page that takes them (a question), else to the page itself."""
        me = self._me
        pane = me.query_one("#side", TabbedContent).active_pane
        if pane is not None:
            questions = pane.query("OptionList, Input")
            (questions.first() if questions else pane.query("Panel, TicketPanel").first()).focus()

    def action_other_side(self) -> None:
        me = self._me
        if me.focused is me.terminal:
            if me.has_class("-narrow"):
                me.add_class("aside")
            me.call_after_refresh(self.action_focus_page)
        else:
            self.action_terminal()

    def action_terminal(self) -> None:
        me = self._me
        me.remove_class("aside")
        me.call_after_refresh(me.terminal.focus)

    # Doing

    def action_hint(self) -> None:
        if self.may_act():
            self._me.job("hint", self._me.lab.hint, self._hinted)

    def _hinted(self, hint: str | None) -> None:
        lab = self._me.lab
        if hint is None or lab.ticket is None:
            self._me.terminal.note("There is no further hint.")
        else:
            cost = lab.ticket["hints"][lab.hints[-1]]["cost"]
            self._me.terminal.note(f"Hint (costs {cost}): {hint}")

    def action_step(self) -> None:
        me = self._me
        if self.may_act():
            me.job("a step", me.lab.advance, lambda outcome: me.terminal.note(f"a step passed: {outcome.time}"))

    def action_undo(self) -> None:
        me, lab = self._me, self._me.lab
        if not self.may_act():
            return
        what = texts.typed(lab, lab.cluster.journal.input)

        def told(outcome: Any) -> None:
            me.terminal.note(outcome.stderr.strip() or f"undone: {what}")

        me.job("undo", lab.undo, told)

    def action_redo(self) -> None:
        me = self._me
        if not self.may_act():
            return

        def told(outcome: Any) -> None:
            if outcome.stderr == "nothing to redo\n":
                me.terminal.note("nothing to redo")
            else:
                me.terminal.note(f"done again: {texts.typed(me.lab, me.lab.cluster.journal.input)}")
                me._ran(outcome)

        me.job("redo", me.lab.redo, told)

    def action_reset(self) -> None:
        me = self._me

        def answered(choice: str | None) -> None:
            if choice == "y":
                note = "back at the start; F6 redoes line by line"
                me.job("reset", me.lab.reset, lambda outcome: me.terminal.note(note))

        if self.may_act():
            me.app.push_screen(Confirm("Reset the lab to its start?", {"y": "Reset", "n": "No"}), answered)

    def action_submit(self) -> None:
        me = self._me
        if not self.may_act():
            return
        if me.lab.ticket is None:
            me.terminal.note("A free lab has nothing to submit.")
            return
        question = f"Submit now? {me.view.reached} of {len(me.view.goals)} goals are reached."

        def answered(choice: str | None) -> None:
            if choice == "y":
                me.job("submit", me.lab.submit, self._debrief)

        me.app.push_screen(Confirm(question, {"y": "Submit", "n": "No"}), answered)

    def _debrief(self, grade: Grade) -> None:
        me = self._me

        def left(how: str | None) -> None:
            if how in ("pick", "quit"):
                me.dismiss(how)

        me.terminal.note(f"handed in: {grade.score} of 100")
        me.app.push_screen(DebriefScreen(texts.debrief(me.lab, grade)), left)

    def action_leave(self) -> None:
        """Only a ticket that is not handed in is asked about; the lab is kept in any case."""
        me = self._me
        if not self.may_act():
            return
        if me.lab.ticket is None or me.lab.submitted is not None:
            me.dismiss("quit")
            return

        def answered(choice: str | None) -> None:
            if choice in ("q", "p"):
                me.dismiss("quit" if choice == "q" else "pick")

        question = "The ticket is not handed in. The lab is kept: `labsim resume` goes on with it."
        me.app.push_screen(Confirm(question, {"q": "Quit", "p": "Pick another", "s": "Stay"}), answered)
