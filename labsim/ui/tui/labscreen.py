"""The lab: terminal on the left, pages on the right, status and keys below."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Footer, TabbedContent, TabPane

from labsim.lab import Lab, Outcome
from labsim.shell.completion import Completion
from labsim.ui.repl import words
from labsim.ui.tui import actions, pages
from labsim.ui.tui.clustermap import cluster_map
from labsim.ui.tui.editor import EditorScreen
from labsim.ui.tui.face import TuiFace
from labsim.ui.tui.panel import Panel
from labsim.ui.tui.statusbar import StatusBar
from labsim.ui.tui.terminal import Terminal
from labsim.ui.tui.ticketpanel import TicketPanel
from labsim.ui.tui.view import View, build_view
from labsim.ui.tui.work import Work

WIDE = 120  # columns from which terminal and pages stand side by side
FLUSH_SECONDS = 0.05
OTHERS_SECONDS = 1.0  # how often the screen looks for what others (an API client) did


class LabScreen(actions.Actions, Screen[str]):
    """The result is `pick` or `quit`."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    DEFAULT_CSS = """
    LabScreen #body { height: 1fr; }
    LabScreen Terminal { width: 3fr; padding: 0 0 0 1; }
    LabScreen #side { width: 2fr; min-width: 58; border-left: solid $foreground 40%; }
    LabScreen #side Panel, LabScreen #side TicketPanel { padding: 0 1; }
    LabScreen #side TabPane { padding: 0; }
    LabScreen .page { width: 1fr; height: auto; }
    LabScreen.-narrow #side { display: none; }
    LabScreen.-narrow.aside #side { display: block; width: 1fr; border-left: none; }
    LabScreen.-narrow.aside Terminal { display: none; }
    """
    BINDINGS = actions.BINDINGS

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.lab = lab
        self.terminal = Terminal()
        self.status = StatusBar()
        self.face = TuiFace(lab, self)
        self.work = Work(lab, self.face, self._post)
        with lab.lock:
            self.view = build_view(lab)
        self._outbox: list[str] = []
        self._outbox_lock = threading.Lock()

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self.terminal
            with TabbedContent(id="side"):
                with TabPane("Ticket", id="page-ticket"):
                    yield TicketPanel(self.lab)
                with TabPane("Checklist", id="page-checklist"):
                    yield Panel("checklist")
                with TabPane("Map", id="page-map"):
                    yield Panel("map")
                with TabPane("Timeline", id="page-timeline"):
                    yield Panel("timeline")
                with TabPane("Keys", id="page-keys"):
                    yield Panel("keys")
        yield self.status
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        self.face.attach()
        shell, terminal = self.lab.shell, self.terminal
        terminal.editor.history = list(shell.history)
        terminal.editor.take()
        terminal.prompt = self.view.prompt
        terminal.complete = self._complete
        terminal.is_whole = lambda text: words.is_word(text) or shell.complete_line(text)
        title = self.lab.ticket["title"] if self.lab.ticket is not None else f"A free lab: {self.lab.settings.title}"
        terminal.note(f"{title}. F1 shows the keys, F4 the pages.")
        if self.lab.resumed:
            terminal.note(self.lab.resumed)
        self.query_one("#keys", Panel).show(pages.keys())
        self.show(self.view)
        terminal.focus()
        self.set_interval(FLUSH_SECONDS, self._flush)
        self.set_interval(OTHERS_SECONDS, self._look_again)

    def on_unmount(self) -> None:
        self.face.leave()
        self.lab.recipe.close()

    def _complete(self, text: str, cursor: int) -> Completion:
        """Tab is a convenience: a fault in it is kept for the end and costs nobody the lab."""
        try:
            return self.lab.shell.complete(text, cursor)
        except Exception:
            self.work.faults.append(traceback.format_exc())
            return Completion(cursor)

    # Showing

    def show(self, view: View) -> None:
        self.view = view
        self.status.show(view, self.work.running, self.work.steps)
        self.query_one(TicketPanel).show(view.answers)
        self.query_one("#checklist", Panel).show(pages.checklist(view, self.lab.ticket is None))
        self.query_one("#timeline", Panel).show(pages.timeline(view))
        self._show_map()

    def _show_map(self) -> None:
        panel = self.query_one("#map", Panel)
        width = panel.scrollable_content_region.width or self.query_one("#side").size.width - 4
        panel.show(cluster_map(self.view, max(width, 30)))

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width >= WIDE:
            self.remove_class("aside")
        self.call_after_refresh(self._show_map)

    def on_tabbed_content_tab_activated(self) -> None:
        self.call_after_refresh(self._show_map)

    def _look_again(self) -> None:
        """Somebody else may have changed the world (the API); while a line runs its steps tell."""
        if self.work.running or not self.lab.lock.acquire(blocking=False):
            return
        try:
            if self.lab.cluster.journal.revision != self.view.revision:
                self.show(build_view(self.lab))
        finally:
            self.lab.lock.release()

    def refresh_view(self) -> None:
        with self.lab.lock:
            self.show(build_view(self.lab))

    # What the worker thread calls (labsim.ui.tui.face.Screen)

    def _post(self, call: Callable[[], None]) -> None:
        if self.is_attached and self.app.is_running:
            self.app.call_later(call)

    def printed(self, text: str) -> None:
        with self._outbox_lock:
            self._outbox.append(text)

    def stepped(self, view: View, steps: int) -> None:
        def shown() -> None:
            if self.work.running:
                self.work.steps = steps
                self.show(view)

        self._post(shown)

    def open_editor(self, name: str, text: str, reply: Future[str | None]) -> None:
        def answered(result: str | None) -> None:
            if not reply.cancelled():
                reply.set_result(result)

        self._post(lambda: self._edit(name, text, answered))

    def _edit(self, name: str, text: str, answered: Callable[[str | None], None]) -> None:
        self._flush()
        self.app.push_screen(EditorScreen(name, text), answered)

    def open_question(self, prompt: str, reply: Future[str]) -> None:
        def shown() -> None:
            self._flush()
            self.terminal.ask(prompt, reply)

        self._post(shown)

    def _flush(self) -> None:
        with self._outbox_lock:
            text = "".join(self._outbox)
            self._outbox.clear()
        if text:
            self.terminal.write(text)

    # Lines

    def on_terminal_entered(self, event: Terminal.Entered) -> None:
        text = event.text
        if words.is_word(text):
            self._word(text.strip())
        elif not text.strip():
            self.terminal.ready(self.lab.shell.prompt())
        else:
            self.job(text.split("\n")[0], lambda: self.lab.run(text), self._ran)

    def on_terminal_interrupted(self) -> None:
        self.face.stop.set()
        self.terminal.write("^C\n")

    def on_terminal_ended(self) -> None:
        self.terminal.write(self.terminal.prompt + "\n", "typed")
        self.terminal.start()
        self.job("exit", lambda: self.lab.run("exit"), self._ran)

    def _ran(self, outcome: Outcome) -> None:
        self._flush()
        self.terminal.write(self.face.rest(outcome.screen))
        if outcome.ended:
            self.action_leave()

    def on_ticket_panel_answered(self, event: TicketPanel.Answered) -> None:
        note = f"answered {event.question}: {event.value}"
        if self.may_act():
            self.job(
                "answer", lambda: self.lab.answer(event.question, event.value), lambda out: self.terminal.note(note)
            )

    def _word(self, text: str) -> None:
        """The words of the plain prompt; those that ask or lead elsewhere are keys here."""
        name = text[1:].split()[0]
        action = actions.WORDS.get(name)
        if action is not None and text[1:] == name:
            self.terminal.ready(self.lab.shell.prompt())
            getattr(self, f"action_{action}")()
        else:
            self.job(text, lambda: words.run(self.lab, text), lambda lines: self.terminal.note("\n".join(lines)))

    def job(self, what: str, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Run on the worker; the terminal waits."""
        before = self.view.goals
        self.terminal.start()

        def always(view: View) -> None:
            self._flush()
            self.show(view)
            for (title, old), (_, new) in zip(before, view.goals):
                if old != new:
                    self.terminal.note(f"{'[x] reached' if new else '[ ] no longer'}: {title}")
            self.terminal.ready(view.prompt)

        self.work.start(what, work, done, self.terminal.note, always)
        self.status.show(self.view, self.work.running, 0)
