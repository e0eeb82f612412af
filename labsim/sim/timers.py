"""Timers: what will be looked at again, and when. One per (controller, key); kept with its own undo log."""

from __future__ import annotations

import heapq
from typing import NamedTuple

Key = tuple[str, ...]


class Timer(NamedTuple):
    """`kind` is `progress` (the world is not quiet before it fires) or `periodic` (it only repeats)."""

    due: int
    kind: str


class Timers:
    def __init__(self) -> None:
        self.active: dict[tuple[str, Key], Timer] = {}
        self.progress = 0
        self._heap: list[tuple[int, str, Key]] = []
        self._log: list[tuple[int, tuple[str, Key], Timer | None]] = []
        self.input = 0

    def set(self, controller: str, key: Key, timer: Timer | None) -> None:
        """Replace or (None) cancel the timer of this key."""
        at = (controller, key)
        before = self.active.get(at)
        if before == timer:
            return
        self._log.append((self.input, at, before))
        self._put(at, timer)

    def _put(self, at: tuple[str, Key], timer: Timer | None) -> None:
        before = self.active.pop(at, None)
        if before is not None and before.kind == "progress":
            self.progress -= 1
        if timer is not None:
            self.active[at] = timer
            heapq.heappush(self._heap, (timer.due, *at))
            if timer.kind == "progress":
                self.progress += 1

    def next_due(self) -> int | None:
        """When the earliest timer fires, or None. Stale heap entries are dropped on the way."""
        heap = self._heap
        while heap:
            due, controller, key = heap[0]
            timer = self.active.get((controller, key))
            if timer is not None and timer.due == due:
                return due
            heapq.heappop(heap)
        return None

    def pop(self) -> tuple[str, Key]:
        """Take the earliest timer out (ties: controller, then key) and return whose it was."""
        assert self.next_due() is not None
        _, controller, key = heapq.heappop(self._heap)
        self.set(controller, key, None)
        return controller, key

    def undo_to(self, input_number: int) -> None:
        """Restore the timers as they were when `input_number` ended."""
        while self._log and self._log[-1][0] > input_number:
            _, at, before = self._log.pop()
            self._put(at, before)

    def forget(self) -> None:
        self._log.clear()

    def dump(self) -> list[list[object]]:
        """JSON form, sorted: [controller, key, due, kind]."""
        return [[c, list(k), t.due, t.kind] for (c, k), t in sorted(self.active.items())]

    def load(self, rows: list[list[object]]) -> None:
        for controller, key, due, kind in rows:
            self._put((str(controller), tuple(key)), Timer(int(due), str(kind)))  # type: ignore[arg-type,call-overload]
        self._log.clear()
