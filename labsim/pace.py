"""How time passes while a line runs: one second a program call, steps while waiting, limits that are counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from labsim.commands.base import Interrupted, WaitEnd
from labsim.kube.cluster import Cluster
from labsim.sim.clock import SECOND

CALL_COST = SECOND
STEP_LIMIT = 360
QUIET_STEPS = 12


class Pace:
    """The clock of one lab. The shell calls it before and after each program and when a program waits.

    `step` ms is the world's step. `on_step` is called after each step of a wait, with the lock given up round it
    (`yielding`), so that a view can be shown and an HTTP request served.
    """

    def __init__(self, cluster: Cluster, step: int) -> None:
        self.cluster, self.step = cluster, step
        self.on_step: Callable[[int], None] | None = None
        self.yielding: Callable[[], AbstractContextManager[None]] = nullcontext
        self.interrupted: Callable[[], bool] = lambda: False
        self.interrupt_at: int | None = None  # replay: the look at which Ctrl-C was seen
        self.begin()

    def begin(self) -> None:
        """A new line starts now."""
        self.started = self.cluster.clock.now
        self.calls = 0
        self.steps = 0
        self.looks = 0
        self.silent = 0
        self.seen_at: int | None = None

    def finish(self) -> None:
        """The line ends: a line that called a program takes at least one step."""
        if self.calls:
            self.cluster.loop.advance_to(max(self.cluster.clock.now, self.started + self.step))

    def before_program(self, argv: tuple[str, ...]) -> None:
        if self._look():
            raise Interrupted(130)

    def after_program(self, argv: tuple[str, ...], exit_code: int) -> None:
        self.calls += 1
        self.silent = 0
        self.cluster.loop.advance_to(self.cluster.clock.now + CALL_COST)

    def printed(self) -> None:
        """Something was shown while waiting: what follows is not a wait for nothing."""
        self.silent = 0

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
            target = clock.now + self.step
            short = deadline is not None and deadline < target
            if loop.advance_to(deadline if short and deadline is not None else target, until):
                return WaitEnd.DONE
            if not short:
                self.steps += 1
            self.silent += 1
            if self.on_step is not None:
                self.on_step(self.steps)
            with self.yielding():
                pass

    def _look(self) -> bool:
        """Ctrl-C is seen only here; which look it was belongs to the recipe."""
        self.looks += 1
        if self.seen_at is not None or self.interrupt_at == self.looks or self.interrupted():
            self.seen_at = self.seen_at or self.looks
            return True
        return False
