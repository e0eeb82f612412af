"""What the shell asks of the lab while a line runs: time (a second a call, steps while waiting), editor, questions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from labsim.commands.base import Interrupted, NoTerminal, Stream, WaitEnd
from labsim.kube.cluster import Cluster
from labsim.sim.clock import SECOND

CALL_COST = SECOND
STEP_LIMIT = 360
QUIET_STEPS = 12


class Face(Protocol):
    """The people's side: a TUI, a REPL, or nobody (headless)."""

    def emit(self, text: str, stream: Stream) -> None: ...
    def edit(self, name: str, text: str) -> str | None: ...
    def ask(self, prompt: str) -> str: ...
    def step(self, steps: int) -> None: ...


class Nobody:
    """Headless: output is collected by the line, and there is no terminal to edit or answer at."""

    def emit(self, text: str, stream: Stream) -> None:
        pass

    def edit(self, name: str, text: str) -> str | None:
        raise NoTerminal

    def ask(self, prompt: str) -> str:
        raise NoTerminal

    def step(self, steps: int) -> None:
        pass


class Pace:
    """The clock of one lab. The shell calls it before and after each program and when a program waits.

    `step` ms is the world's step. After each step of a wait the face is told and the lock given up for a moment
    (`yielding`), so that a view can be shown and an HTTP request served. `replies` are recorded answers of editor and
    questions (a replay); new ones are handed to `on_reply`.
    """

    def __init__(self, cluster: Cluster, step: int) -> None:
        self.cluster, self.step = cluster, step
        self.face: Face = Nobody()
        self.replies: list[str | None] = []
        self.on_reply: Callable[[str | None], None] = lambda reply: None
        self.yielding: Callable[[], AbstractContextManager[None]] = nullcontext
        self.interrupted: Callable[[], bool] = lambda: False
        self.interrupt_at: int | None = None  # replay: the look at which Ctrl-C was seen
        self.begin()

    def begin(self) -> None:
        """A new line starts now."""
        self.started = self.cluster.clock.now
        self.waited = 0
        self.looks = 0
        self.silent = 0
        self.seen_at: int | None = None

    @property
    def steps(self) -> int:
        """Steps waited in this line; short waits (`sleep 5` in a loop) add up."""
        return self.waited // self.step

    def finish(self, ran: bool) -> None:
        """The line ends: a line that was executed takes at least one step."""
        if ran:
            self.cluster.loop.advance_to(max(self.cluster.clock.now, self.started + self.step))

    def before_program(self, argv: tuple[str, ...]) -> None:
        if self._look():
            raise Interrupted(130)

    def after_program(self, argv: tuple[str, ...], exit_code: int) -> None:
        self.silent = 0
        self.cluster.loop.advance_to(self.cluster.clock.now + CALL_COST)

    def emit(self, text: str, stream: Stream) -> None:
        """Something is shown while waiting: what follows is not a wait for nothing."""
        self.silent = 0
        self.face.emit(text, stream)

    def edit(self, name: str, text: str) -> str | None:
        return self._reply(lambda: self.face.edit(name, text))

    def ask(self, prompt: str) -> str:
        return self._reply(lambda: self.face.ask(prompt)) or ""

    def _reply(self, question: Callable[[], str | None]) -> str | None:
        if self.replies:
            return self.replies.pop(0)
        reply = question()
        self.on_reply(reply)
        return reply

    def advance(self, until: Callable[[], bool] | None = None, timeout_ms: int | None = None) -> WaitEnd:
        """Move the clock until the condition holds, the timeout is over, or the wait is pointless."""
        loop, clock = self.cluster.loop, self.cluster.clock
        deadline = None if timeout_ms is None else clock.now + timeout_ms
        while True:
            loop.drain()
            if until is not None and until():
                return WaitEnd.DONE
            if deadline is not None and clock.now >= deadline:
                return WaitEnd.TIMEOUT
            if self._look():
                return WaitEnd.INTERRUPTED
            if self.steps >= STEP_LIMIT:
                return WaitEnd.LIMIT
            if deadline is None and self.silent >= QUIET_STEPS and loop.quiet():
                return WaitEnd.QUIET
            begun = clock.now
            target = begun + self.step
            done = loop.advance_to(target if deadline is None else min(target, deadline), until)
            self.waited += clock.now - begun
            if done:
                return WaitEnd.DONE
            self.silent += 1
            self.face.step(self.steps)
            with self.yielding():
                pass

    def _look(self) -> bool:
        """Ctrl-C is seen only here; which look it was belongs to the recipe."""
        self.looks += 1
        if self.seen_at is not None or self.interrupt_at == self.looks or self.interrupted():
            self.seen_at = self.seen_at or self.looks
            return True
        return False
