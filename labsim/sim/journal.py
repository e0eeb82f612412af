"""The journal: every write, in order. Undo, watches, history guards and reports all read this one stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """One change of one object.

    `input` is the number of the learner's input during which it happened (0 = the world's building),
    `time` simulated ms, `actor` the identity that wrote, `verb` one of create, update, delete;
    `before` is None for a create, `after` is None for a delete.
    """

    revision: int
    input: int
    time: int
    actor: str
    verb: str
    resource: str
    namespace: str
    name: str
    before: Object | None
    after: Object | None


class Journal:
    """An append-only list of writes, cut only by undo or when a baseline is taken."""

    def __init__(self) -> None:
        self.writes: list[Write] = []
        self.revision = 0
        self.input = 0
        self.subscribers: list[Callable[[Write], None]] = []
        self.enqueueing = True  # off while undo applies inverse writes

    def append(self, write: Write) -> None:
        self.writes.append(write)
        if self.enqueueing:
            for subscriber in self.subscribers:
                subscriber(write)

    def since(self, revision: int) -> list[Write]:
        """The writes with a greater revision, oldest first. Cost: the number returned."""
        writes = self.writes
        low, high = 0, len(writes)
        while low < high:
            mid = (low + high) // 2
            if writes[mid].revision > revision:
                high = mid
            else:
                low = mid + 1
        return writes[low:]

    @property
    def oldest(self) -> int:
        """The smallest revision that `since` can still answer for; older asks are 410 Gone."""
        return self.writes[0].revision - 1 if self.writes else self.revision

    def forget(self) -> None:
        """Drop the history (the baseline is taken here); the revision counter goes on."""
        self.writes.clear()
