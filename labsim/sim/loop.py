"""The event loop: writes push keys to controllers' queues; timers move the clock; nothing else happens by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from labsim.sim.clock import Clock
from labsim.sim.journal import Journal, Write
from labsim.sim.timers import Key, Timer, Timers

MAX_RECONCILES_AT_ONE_INSTANT = 10_000
# A reconcile that fails is tried again, as by a rate-limited workqueue; one fixed pause keeps it without a memory.
RETRY = 10_000
MAX_FAILURES_KEPT = 200


class SimulationError(Exception):
    """A fault of labsim itself (two controllers that never agree), not of the learner."""


@dataclass(frozen=True, slots=True)
class After:
    """What a reconcile may return: look at this key again in `ms`. `periodic` does not delay quiet."""

    ms: int
    periodic: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """`keys(write)` names what to reconcile when an object of `resource` was written. May read the store."""

    resource: str
    keys: Callable[[Write], Iterable[Key]]


class Controller:
    """A stateless reconciler. Subclasses set `name` (unique; also its identity) and `watches`, and write `reconcile`.

    `reconcile(key)` reads the store, makes at most the writes that are due now, and returns when to look again;
    the key's timer is replaced by that answer, so nothing is remembered outside objects and timers.
    """

    name: str = ""
    watches: tuple[Watch, ...] = ()

    def reconcile(self, key: Key) -> After | None:
        raise NotImplementedError


class Loop:
    def __init__(self, clock: Clock, journal: Journal, timers: Timers) -> None:
        self.clock, self.journal, self.timers = clock, journal, timers
        self.controllers: dict[str, Controller] = {}
        self._watches: dict[str, list[tuple[str, Watch]]] = {}
        self._queue: dict[tuple[str, Key], None] = {}  # FIFO with merged duplicates
        # What a failed reconcile may raise and be retried for; anything else is a fault of labsim.
        self.retryable: tuple[type[Exception], ...] = ()
        self.failures: list[tuple[int, str, Key, str]] = []  # (time, controller, key, text), for `labsim explain`
        self.trace: Callable[[str, Key, int], None] | None = None  # for `labsim explain`: (controller, key, time)
        journal.subscribers.append(self._on_write)

    def register(self, controller: Controller) -> None:
        if controller.name in self.controllers:
            raise ValueError(f"controller {controller.name} is registered twice")
        self.controllers[controller.name] = controller
        for watch in controller.watches:
            self._watches.setdefault(watch.resource, []).append((controller.name, watch))

    def _on_write(self, write: Write) -> None:
        for name, watch in self._watches.get(write.resource, ()):
            for key in watch.keys(write):
                self._queue.setdefault((name, key))

    def enqueue(self, controller: str, key: Key) -> None:
        self._queue.setdefault((controller, key))

    def drain(self) -> None:
        """Reconcile until the queue is empty, at the present instant."""
        seen: Counter[str] = Counter()
        while self._queue:
            name, key = next(iter(self._queue))
            del self._queue[(name, key)]
            seen[name] += 1
            if seen.total() > MAX_RECONCILES_AT_ONE_INSTANT:
                first, second = ([n for n, _ in seen.most_common(2)] + [name])[:2]
                self._queue.clear()
                raise SimulationError(f"{first} and {second} do not come to rest (last key {'/'.join(key)})")
            if self.trace is not None:
                self.trace(name, key, self.clock.now)
            after = self._reconcile(name, key)
            timer = None
            if after is not None:
                timer = Timer(self.clock.now + max(after.ms, 1), "periodic" if after.periodic else "progress")
            self.timers.set(name, key, timer)

    def _reconcile(self, name: str, key: Key) -> After | None:
        try:
            return self.controllers[name].reconcile(key)
        except self.retryable as error:
            self.failures.append((self.clock.now, name, key, str(error)))
            del self.failures[:-MAX_FAILURES_KEPT]
            return After(RETRY, periodic=True)

    def advance_to(self, target: int, stop: Callable[[], bool] | None = None) -> bool:
        """Move the clock to `target` ms, event by event. True when `stop` became true on the way."""
        self.drain()
        if stop is not None and stop():
            return True
        while (due := self.timers.next_due()) is not None and due <= target:
            self.clock.now = max(self.clock.now, due)
            while self.timers.next_due() == due:
                self.enqueue(*self.timers.pop())
            self.drain()
            if stop is not None and stop():
                return True
        self.clock.now = max(self.clock.now, target)
        return False

    def quiet(self) -> bool:
        """Nothing is queued and no timer stands for progress still to come."""
        return not self._queue and self.timers.progress == 0
