"""Several hands in one lab: API requests and time that passes by itself, both as inputs that replay (design.md 3).

Time passed between two inputs is one `pass` of the recipe, written when the next input comes. A request that comes
while a line waits is kept as a `meanwhile` of that line, with the number of the step; it is undone with the line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from labsim.kube.errors import ApiError, internal
from labsim.kube.rest.writes import Answer, changes, perform, refusal
from labsim.recipe import Input
from labsim.telling import place_of

if TYPE_CHECKING:
    from labsim.lab import Lab


class Hands:
    """One for each lab (`lab.hands`). `epoch` changes whenever history is taken back: what watches must end then."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.epoch = 0
        self.active = False  # an input is being carried out (and may wait)
        self.faults: list[str] = []  # faults of labsim that a request met, one line each
        self._pending = 0
        self._yields = 0
        self._meanwhile: list[Input] = []
        self._answer = Answer(200, {})

    # -- requests ----------------------------------------------------------------------------------------------------

    def request(self, entry: Input) -> Answer:
        """Carry out a request (`{"kind": "api", "session", "method", "path", "query", "type", "body"}`); never raises.

        It is an input of the lab, unless it can change nothing. Requests with one session that follow one another are
        one input for undo.
        """
        lab = self.lab
        with lab.lock:
            try:
                if not changes(lab.client, entry):
                    return self._perform(entry)
            except ApiError as error:
                return refusal(error)
            lab.forget_undone()
            if self.active:
                lab.note({**entry, "kind": "meanwhile", "at": self._yields})
                return self.serve(entry)
            last = lab.last_input()
            if last is not None and last.entry["kind"] == "api" and last.entry["session"] == entry["session"] != "":
                passed = [{"kind": "pass", "ms": self._pending}] if self._pending else []
                lab.record(entry)
                lab.replace_last(replace(last, more=(*last.more, *passed, entry)))
                return self.serve(entry)
            revision = lab.cluster.journal.revision
            outcome = lab.play(entry)
            if outcome.void:
                self.faults.append(f"{entry['method']} {entry['path']}: {outcome.stderr.strip()}")
                return refusal(internal("a fault of labsim, the request was taken back"))
            if self._answer.code >= 400 and lab.cluster.journal.revision == revision:
                lab.drop_last(entry)  # undo should not have to go back over what was refused
            return self._answer

    def serve(self, entry: Input) -> Answer:
        """Carry out and let the controllers act on it, at the same instant."""
        self._answer = self._perform(entry)
        self.lab.cluster.loop.drain()
        return self._answer

    def _perform(self, entry: Input) -> Answer:
        try:
            return perform(self.lab.client, entry)
        except ApiError as error:
            return refusal(error)
        except Exception as error:
            # One write is one step of the store, so a fault on the way to it leaves nothing half done.
            self.faults.append(f"{entry['method']} {entry['path']}: {place_of(error)}")
            return refusal(internal("a fault of labsim, the request was not carried out"))

    # -- time --------------------------------------------------------------------------------------------------------

    def pass_time(self, ms: int) -> None:
        """Let so much time pass, unless a line is being played: that has its own time."""
        with self.lab.lock:
            if not self.active:
                self._pending += ms
                self.lab.cluster.loop.advance_to(self.lab.cluster.clock.now + ms)

    def flush(self) -> None:
        """Put the time that has passed since the last input into the recipe."""
        if self._pending:
            ms, self._pending = self._pending, 0
            self.lab.step += -(-ms // self.lab.settings.step)
            self.lab.append({"kind": "pass", "ms": ms})

    def replay(self, entry: Input) -> None:
        """A `pass`, or a request that belonged to the input before it (redo)."""
        if entry["kind"] == "pass":
            self.pass_time(entry["ms"])
        else:
            self.request(entry)

    # -- while an input is carried out -------------------------------------------------------------------------------

    def begin(self, remarks: list[Input]) -> None:
        self.active, self._yields = True, 0
        self._meanwhile = [remark for remark in remarks if remark["kind"] == "meanwhile"]

    def end(self) -> None:
        self.active = False

    def yielded(self) -> None:
        """The line has the lock again after a step of its wait."""
        for remark in self._meanwhile:
            if remark["at"] == self._yields:
                self.serve(remark)
        self._yields += 1
