"""The worker's side of the screen: what a running line prints, asks and edits reaches the UI thread from here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from typing import Any, Protocol, TypeVar

from labsim.commands.base import NoTerminal, Stream
from labsim.lab import Lab
from labsim.ui.texts import remaining
from labsim.ui.tui.view import View, build_view

# Real time a simulated step takes on the screen, so that a wait can be watched and stopped; long ones hurry.
STEP_SECONDS = 0.12
HURRIED_SECONDS, HURRY_AFTER = 0.04, 40


T = TypeVar("T")


class Screen(Protocol):
    """What the face needs of the lab's screen. Every method may be called from the worker thread."""

    def printed(self, text: str) -> None: ...
    def stepped(self, view: View, steps: int) -> None: ...
    def open_editor(self, name: str, text: str, reply: Future[str | None]) -> None: ...
    def open_question(self, prompt: str, reply: Future[str]) -> None: ...


class TuiFace:
    """`stop` is set by Ctrl-C. `hurry` takes the pace away (tests)."""

    def __init__(self, lab: Lab, screen: Screen) -> None:
        self.lab, self.screen = lab, screen
        self.stop = threading.Event()
        self.hurry = False
        self.shown = {"stdout": "", "stderr": ""}
        self._waiting: Future[Any] | None = None

    def attach(self) -> None:
        self.lab.pace.face = self
        self.lab.pace.interrupted = self.stop.is_set

    def begin(self) -> None:
        self.stop.clear()
        self.shown = {"stdout": "", "stderr": ""}

    def emit(self, text: str, stream: Stream) -> None:
        self.shown[stream] += text
        self.screen.printed(text)

    def rest(self, screen: Iterable[tuple[str, str]]) -> str:
        """What of a line's whole output is still to be printed."""
        return "".join(text for _, text in remaining(screen, self.shown))

    def step(self, steps: int) -> None:
        self.screen.stepped(build_view(self.lab, running=True), steps)
        if not self.hurry:
            self.stop.wait(STEP_SECONDS if steps <= HURRY_AFTER else HURRIED_SECONDS)

    def edit(self, name: str, text: str) -> str | None:
        reply: Future[str | None] = Future()
        return self._await(reply, lambda: self.screen.open_editor(name, text, reply))

    def ask(self, prompt: str) -> str:
        self.shown["stdout"] += prompt  # the program prints it as well
        reply: Future[str] = Future()
        return self._await(reply, lambda: self.screen.open_question(prompt, reply))

    def _await(self, reply: Future[T], open_it: Callable[[], None]) -> T:
        self._waiting = reply
        open_it()
        try:
            return reply.result()
        except CancelledError:
            raise NoTerminal from None
        finally:
            self._waiting = None

    def leave(self) -> None:
        """The screen goes away: a line that waits for somebody must not wait for ever."""
        self.stop.set()
        self.hurry = True
        if self._waiting is not None:
            self._waiting.cancel()
