"""The lab's side of a shell, faked: a clock that obeys and counts."""

from __future__ import annotations

from collections.abc import Callable

from labsim.commands.base import Interrupted, NoTerminal, Stream, WaitEnd
from labsim.shell.shell import Shell
from tests.fakes.context import START


class FakeHooks:
    """One second a program call, ten seconds a step, 360 steps a line."""

    def __init__(self) -> None:
        self.time = START
        self.calls: list[tuple[str, ...]] = []
        self.emitted: list[str] = []
        self.edits: list[str | None] = []
        self.answers: list[str] = []
        self.steps = 0
        self.interrupt_at = -1  # the number of the call at which Ctrl-C is seen
        self.step: Callable[[], None] | None = None

    def clock(self) -> int:
        return self.time

    def before_program(self, argv: tuple[str, ...]) -> None:
        if len(self.calls) == self.interrupt_at:
            raise Interrupted(130)

    def after_program(self, argv: tuple[str, ...], exit_code: int) -> None:
        self.calls.append(argv)
        self.time += 1000

    def advance(self, until: Callable[[], bool] | None = None, timeout_ms: int | None = None) -> WaitEnd:
        deadline = None if timeout_ms is None else self.time + timeout_ms
        while True:
            if until is not None and until():
                return WaitEnd.DONE
            if deadline is not None and self.time >= deadline:
                return WaitEnd.TIMEOUT
            if self.steps >= 360:
                return WaitEnd.LIMIT
            self.time = self.time + 10_000 if deadline is None else min(self.time + 10_000, deadline)
            self.steps += 1
            if self.step is not None:
                self.step()

    def emit(self, text: str, stream: Stream) -> None:
        self.emitted.append(text)

    def edit(self, name: str, text: str) -> str | None:
        if not self.edits:
            raise NoTerminal
        return self.edits.pop(0)

    def ask(self, prompt: str) -> str:
        if not self.answers:
            raise NoTerminal
        return self.answers.pop(0)


def shell(seed: int = 1, client: object = None, **more: object) -> tuple[Shell, FakeHooks]:
    hooks = FakeHooks()
    return Shell(seed=seed, clock=hooks.clock, hooks=hooks, client=client, **more), hooks  # type: ignore[arg-type]
