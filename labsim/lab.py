"""Lab: one learner, one world. Everything a face, a script or a test does with a cluster goes through here.

One class on purpose, and so a little over the usual size: its inputs, undo and forks share every field.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labsim import recipe as recipes
from labsim import telling
from labsim.hands import Hands
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.pace import Pace
from labsim.recipe import Input, Recipe
from labsim.shell import kubeconfig
from labsim.shell.shell import LineResult, Mark, Shell
from labsim.sim.journal import Write
from labsim.tickets.scene import Frame, Scene
from labsim.worlds import cache as world_cache

if TYPE_CHECKING:
    from labsim.tickets.grading import Grade, Judged

LEARNER = "kubernetes-admin"
SETUP = "system:labsim:setup"
GRADER = "system:labsim:grader"


class LabError(Exception):
    """The lab cannot do that. One line."""


@dataclass(frozen=True)
class Outcome:
    """What one input did. `step` counts the steps since the lab opened; `time` is RFC 3339; `changes` its writes.

    `screen` is both streams in the order in which a terminal shows them: (stream, text), (stream, text) ...
    """

    stdout: str
    stderr: str
    exit_code: int
    step: int
    time: str
    changes: list[Write] = field(default_factory=list)
    void: bool = False
    ended: bool = False
    screen: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Before:
    """What undo of one input goes back to."""

    entry: Input
    now: int
    step: int
    shell: Mark
    answers: dict[str, str]
    remarks: tuple[Input, ...] = ()
    more: tuple[Input, ...] = ()  # later API requests of the same session


class Lab:
    """Open one with `Lab.open`. Not a constructor call: opening builds or loads a world first."""

    def __init__(self, cluster: Cluster, settings: Any, header: dict[str, Any], ticket: dict[str, Any] | None) -> None:
        self.cluster, self.settings, self.ticket = cluster, settings, ticket
        self.recipe = Recipe(header)
        self.client: Client = cluster.client(LEARNER)
        self.pace = Pace(cluster, settings.step)
        self.lock = threading.RLock()
        self.pace.yielding = self._yielding
        self.pace.on_reply = lambda reply: self.note({"kind": "reply", "value": reply})
        self.hands = Hands(self)
        self.step = 0
        self.answers: dict[str, str] = {}
        self.hints: list[int] = []
        self.submitted: Grade | None = None
        self.undone = 0
        self._past: list[Before] = []
        self._future: list[Before] = []
        self._remarks: list[Input] = []
        self._replaying = False
        self.baseline = Frame({})
        self.shell = self._new_shell(self.client)

    def _new_shell(self, client: Client) -> Shell:
        files = {".kube/config": kubeconfig.text(self.settings.api)}
        if self.ticket is not None:
            files.update(self.ticket["files"])
        home = "/root" if self.settings.user == "root" else f"/home/{self.settings.user}"
        return Shell(
            seed=self.cluster.seed,
            clock=lambda: self.cluster.clock.now,
            hooks=self.pace,
            client=client,
            host=self.settings.host,
            user=self.settings.user,
            home=home,
            start_files={path if path.startswith("/") else f"{home}/{path}": text for path, text in files.items()},
        )

    # -- opening and keeping -----------------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        world: str | None = None,
        ticket: str | None = None,
        seed: int = 1,
        start: int | None = None,
        *,
        packs: str = "",
        freeze_objects: bool = False,
    ) -> Lab:
        """A fresh lab. `world` and `ticket` by name or path (a ticket brings its world); `start` in ms.

        Raises labsim.documents.DocumentError (a file that cannot be used), LabError (a set-up that does not work).
        """
        from labsim import __version__
        from labsim.tickets import catalogue
        from labsim.tickets.load import instance

        rendered = instance(catalogue.find(ticket, packs), seed) if ticket else None
        if rendered is not None and world is not None and world != rendered["world"]:
            raise LabError(f"ticket {rendered['id']} brings its own world ({rendered['world']})")
        name = rendered["world"] if rendered is not None else (world or "dgx-h100-busy")
        cluster, settings = world_cache.opened(name, seed, start, freeze_objects=freeze_objects)
        header = {
            "labsim": __version__, "format": recipes.FORMAT, "world": name, "ticket": ticket, "seed": seed,
            "start": start, "ticket_digest": rendered["digest"] if rendered is not None else None, "packs": packs,
        }  # fmt: skip
        lab = cls(cluster, settings, header, rendered)
        with lab.lock:
            lab._set_up()
        return lab

    def _set_up(self) -> None:
        """Set-up lines of a hidden admin, faults, a symptom that shows; then the baseline is taken."""
        if self.ticket is not None and (self.ticket["setup"] or self.ticket["faults"]):
            self._set_up_ticket(self.ticket)
        self.cluster.forget()
        self.cluster.begin_input(0)
        self.baseline = Frame(self.cluster.store.dump())
        self.step = 0

    def _set_up_ticket(self, ticket: dict[str, Any]) -> None:
        from labsim.tickets.checks import evaluate

        for fault in ticket["faults"]:
            if fault.get("when") != "after-setup":
                self._inject(fault)
        admin = self._new_shell(self.cluster.client(SETUP))
        for line in ticket["setup"]:
            self.pace.begin()
            result = admin.run(line)
            self.pace.finish(result.ran)
            if result.exit_code:
                told = (result.stderr or result.stdout).strip().splitlines()
                raise LabError(
                    f"ticket {ticket['id']}: set-up line {line.splitlines()[0]!r}: {(told or ['failed'])[-1]}"
                )
        self._settle(120)
        for fault in ticket["faults"]:
            if fault.get("when") == "after-setup":
                self._inject(fault)
        self._settle(120)
        fresh = self.shell.mark()
        self.shell.rewind(replace(fresh, files=admin.mark().files))
        self.baseline = Frame(self.cluster.store.dump())
        for check in ticket["symptom"]:
            verdict = evaluate(check, self.scene())
            if not verdict.holds:
                raise LabError(
                    f"ticket {ticket['id']}: symptom not there: {verdict.read}: "
                    f"expected {verdict.expected}, found {verdict.found}"
                )

    def save(self, path: str | Path) -> None:
        """Keep the lab as its inputs; from here on each input is appended to the file before it takes effect."""
        with self.lock:
            self.hands.flush()
            self.recipe.save(Path(path))

    @classmethod
    def resume(cls, path: str | Path, *, freeze_objects: bool = False) -> Lab:
        """Open a saved lab by replaying it. `lab.resumed` says in one line what differs, or is ''.

        Raises labsim.recipe.RecipeError for a file that is no lab file.
        """
        kept = recipes.load(Path(path))
        header = kept.header
        lab = cls.open(
            None if header["ticket"] else header["world"], header["ticket"], header["seed"], header["start"],
            packs=header.get("packs", ""), freeze_objects=freeze_objects,
        )  # fmt: skip
        with lab.lock:
            lab.resumed = lab._replay(kept)
        lab.recipe = kept
        if not lab.resumed:
            lab.recipe.save(Path(path))
        return lab

    resumed = ""

    def _replay(self, kept: Recipe) -> str:
        self._replaying = True
        told = ""
        try:
            entries = kept.inputs
            for index, entry in enumerate(entries):
                kind = entry["kind"]
                if kind == "mark":
                    if entry["hash"] != self.state_hash() and not told:
                        told = f"this labsim plays it differently; the state differs by input {entry['after']}"
                    continue
                if kind in recipes.REMARKS:
                    continue
                self._replay_one(entry, _remarks(entries, index))
            self.hands.flush()
        finally:
            self._replaying = False
            self.pace.replies.clear()
        if kept.header["labsim"] != self.recipe.header["labsim"] and told:
            told = f"saved by labsim {kept.header['labsim']}: {told}"
        return told

    def _replay_one(self, entry: Input, remarks: list[Input]) -> None:
        if any(remark["kind"] == "void" for remark in remarks):
            return
        if entry["kind"] in ("pass", "api"):
            self.hands.replay(entry)
        elif entry["kind"] in ("undo", "redo", "hint", "submit", "reset"):
            getattr(self, entry["kind"])()
        else:
            self._do(entry, remarks)

    # -- inputs ------------------------------------------------------------------------------------------------------

    def run(self, line: str) -> Outcome:
        """One typed line (several joined by newlines when it was continued)."""
        return self._input({"kind": "line", "line": line})

    def edit(self, path: str, text: str) -> Outcome:
        """Write a file of the learner's host as an editor would."""
        return self._input({"kind": "edit", "path": path, "text": text})

    def answer(self, question: str, value: str) -> Outcome:
        """Answer a question of the ticket. Raises LabError for a question or option that is not there."""
        asked = {q["id"]: q for q in (self.ticket or {}).get("questions", ())}
        if question not in asked:
            raise LabError(f"the ticket asks no question {question}")
        options = [o["id"] for o in asked[question]["options"]]
        if options and value not in options:
            raise LabError(f"question {question} takes one of {', '.join(options)}")
        return self._input({"kind": "answer", "id": question, "value": value})

    def execute(self, what: dict[str, Any]) -> Outcome:
        """Run a program in a container: `what` has namespace, pod, container, command and stdin (text or None)."""
        return self._input({"kind": "exec", **what})

    def advance(self, steps: int = 1) -> Outcome:
        """Let the world run for so many steps."""
        return self._input({"kind": "advance", "steps": steps})

    def settle(self, max_steps: int = 60) -> Outcome:
        """Let the world run until it is quiet, for at most so many steps. Exit code 1 when it is not quiet then."""
        self.cluster.loop.drain()
        if self.is_quiet():
            return self._outcome("", "", 0, 0)
        return self._input({"kind": "settle", "steps": max_steps})

    def fault(self, kind: str, **where: Any) -> Outcome:
        """Inject a fault (the vocabulary of a ticket's `faults`). Raises labsim.faults.FaultError."""
        from labsim import faults

        faults.check(self.cluster.client(faults.ACTOR), kind, where)
        return self._input({"kind": "fault", "fault": {"kind": kind, **where}})

    def _inject(self, fault: dict[str, Any]) -> None:
        from labsim import faults

        faults.inject(self.cluster, fault["kind"], **{k: v for k, v in fault.items() if k != "kind"})

    def _input(self, entry: Input) -> Outcome:
        with self.lock:
            self._future.clear()
            return self._do(entry, [])

    # What `hands` does with the lab, under its lock.

    def forget_undone(self) -> None:
        self._future.clear()

    def last_input(self) -> Before | None:
        return self._past[-1] if self._past else None

    def replace_last(self, before: Before) -> None:
        self._past[-1] = before

    def drop_last(self, entry: Input) -> None:
        """The last input, if it is this one, changed nothing and is none for undo."""
        if self._past and self._past[-1].entry is entry:
            self._past.pop()
            self.cluster.begin_input(len(self._past))

    def play(self, entry: Input) -> Outcome:
        return self._do(entry, [])

    def _do(self, entry: Input, remarks: list[Input]) -> Outcome:
        """Record, then act. `remarks` are what a replay knows about this input (replies, an interrupt)."""
        self.record(entry)
        cluster = self.cluster
        before = Before(entry, cluster.clock.now, self.step, self.shell.mark(), dict(self.answers))
        number = len(self._past) + 1
        cluster.begin_input(number)
        revision = cluster.journal.revision
        self._remarks = []
        self.pace.begin()
        self.pace.replies = [r["value"] for r in remarks if r["kind"] == "reply"]
        self.pace.interrupt_at = next((r["at"] for r in remarks if r["kind"] == "interrupt"), None)
        self.hands.begin(remarks)
        try:
            did = self._act(entry)
            if did.void:
                self._go_back(before, number)
                self.note({"kind": "void"})
                return replace(self._outcome(did.stdout, did.stderr, did.exit_code, revision), void=True)
        except Exception as error:
            # A fault of labsim itself must not leave a half-done input behind, nor end the lab.
            self._go_back(before, number)
            self.note({"kind": "void"})
            if self.cluster.store.freeze_objects:
                raise  # under tests
            told = f"labsim: internal error, the line was taken back: {telling.place_of(error)}\n"
            return replace(self._outcome("", told, 1, revision), void=True)
        finally:
            self.pace.interrupt_at = None
            self.hands.end()
        if self.pace.seen_at is not None:
            self.note({"kind": "interrupt", "at": self.pace.seen_at})
        self.step += -(-(cluster.clock.now - before.now) // self.settings.step)
        self._past.append(replace(before, remarks=(*remarks, *self._remarks)))
        if len(self._past) % recipes.MARK_EVERY == 0 and not self._replaying and self.recipe.stream is not None:
            self.recipe.append({"kind": "mark", "after": len(self._past), "hash": self.state_hash()})
        outcome = self._outcome(did.stdout, did.stderr, did.exit_code, revision)
        return replace(outcome, ended=did.ended, screen=did.screen or outcome.screen)

    def _act(self, entry: Input) -> LineResult:
        kind = entry["kind"]
        if kind == "line":
            result = self.shell.run(entry["line"])
            if not result.void:
                self.pace.finish(result.ran)
            return result
        if kind == "edit":
            try:
                self.shell.write_file(entry["path"], entry["text"])
            except OSError as error:
                return LineResult("", f"{entry['path']}: {error.strerror}\n", 1)
        elif kind == "answer":
            self.answers[entry["id"]] = entry["value"]
        elif kind == "advance":
            for _ in range(entry["steps"]):
                self.cluster.loop.advance_to(self.cluster.clock.now + self.settings.step)
        elif kind == "settle":
            self._settle(entry["steps"])
            return LineResult("", "", 0 if self.is_quiet() else 1)
        elif kind == "fault":
            self._inject(entry["fault"])
        elif kind == "api":
            self.hands.serve(entry)
        elif kind == "exec":
            return self._execute(entry)
        return LineResult("", "", 0)

    def _execute(self, entry: Input) -> LineResult:
        """kubectl exec in a fresh shell over the same files: the learner's own session stays as it is."""
        words = ["kubectl", "exec", "--quiet", "-n", entry["namespace"], entry["pod"], "-c", entry["container"]]
        stdin = entry["stdin"]
        line = shlex.join([*words, *(["-i"] if stdin is not None else []), "--", *entry["command"]])
        if stdin is not None:
            line = f"printf %s {shlex.quote(stdin)} | {line}"
        shell = self._new_shell(self.client)
        shell.rewind(replace(shell.mark(), files=self.shell.mark().files))
        result = shell.run(line)
        if not result.void:
            self.shell.rewind(replace(self.shell.mark(), files=shell.mark().files))
            self.pace.finish(result.ran)
        return replace(result, ended=False)

    def _outcome(self, stdout: str, stderr: str, code: int, revision: int) -> Outcome:
        from labsim.sim.clock import rfc3339

        changes = self.cluster.journal.since(revision) if revision else []
        screen = (("stderr", stderr), ("stdout", stdout))
        return Outcome(stdout, stderr, code, self.step, rfc3339(self.cluster.clock.now), changes, screen=screen)

    def record(self, entry: Input) -> None:
        self.hands.flush()
        self.append(entry)

    def append(self, entry: Input) -> None:
        if not self._replaying:
            self.recipe.append(entry)

    def note(self, remark: Input) -> None:
        self._remarks.append(remark)
        self.append(remark)

    def _settle(self, steps: int) -> None:
        self.cluster.loop.drain()
        for _ in range(steps):
            if self.cluster.loop.quiet():
                return
            self.cluster.loop.advance_to(self.cluster.clock.now + self.settings.step)

    @contextmanager
    def _yielding(self) -> Iterator[None]:
        """Between two steps of a wait others may use the lab (design.md 3, "One lab, several hands")."""
        self.lock.release()
        try:
            yield
        finally:
            self.lock.acquire()
        self.hands.yielded()

    # -- undo --------------------------------------------------------------------------------------------------------

    def undo(self) -> Outcome:
        """Take back the last input. Exit code 1 when there is none."""
        with self.lock:
            self.record({"kind": "undo"})
            if not self._past:
                return self._outcome("", "nothing to undo\n", 1, 0)
            before = self._past.pop()
            self._future.append(before)
            self._go_back(before, len(self._past) + 1)
            self.undone += 1
            return self._outcome("", "", 0, 0)

    def redo(self) -> Outcome:
        """Do the last undone input again."""
        with self.lock:
            self.record({"kind": "redo"})
            if not self._future:
                return self._outcome("", "nothing to redo\n", 1, 0)
            before = self._future.pop()
            replaying, self._replaying = self._replaying, True
            try:
                outcome = self._do(before.entry, list(before.remarks))
                future, self._future = self._future, []
                for entry in before.more:
                    self.hands.replay(entry)
                self._future = future
                return outcome
            finally:
                self._replaying = replaying

    def reset(self) -> Outcome:
        """Back to the start of the lab; the inputs stay in the recipe (and can be redone one by one)."""
        with self.lock:
            self.record({"kind": "reset"})
            while self._past:
                before = self._past.pop()
                self._future.append(before)
                self._go_back(before, len(self._past) + 1)
            return self._outcome("", "", 0, 0)

    def _go_back(self, before: Before, number: int) -> None:
        self.cluster.undo_to(number - 1, before.now)
        self.hands.epoch += 1
        self.shell.rewind(before.shell)
        self.step = before.step
        self.answers = dict(before.answers)

    def fork(self) -> Lab:
        """An independent copy, as it is now; nothing that happens to it reaches this lab."""
        with self.lock:
            store, journal = self.cluster.store, self.cluster.journal
            state = world_cache.Built(self.settings, journal.revision, store.dump(), self.cluster.timers.dump())
            cluster = world_cache.restore(state, self.cluster.seed, store.freeze_objects)
            cluster.clock.now = self.cluster.clock.now
            cluster.journal.writes = list(journal.writes)
            cluster.begin_input(len(self._past))
            other = Lab(cluster, self.settings, dict(self.recipe.header), self.ticket)
            other.shell.rewind(self.shell.mark())
            other.recipe.inputs = list(self.recipe.inputs)
            other.baseline, other.step, other.answers = self.baseline, self.step, dict(self.answers)
            other.hints = list(self.hints)
            return other

    # -- looking -----------------------------------------------------------------------------------------------------

    def past_input(self, number: int) -> Input | None:
        """The input that journal writes of this number belong to; None when it was undone."""
        return self._past[number - 1].entry if 0 < number <= len(self._past) else None

    @property
    def inputs(self) -> int:
        """How many inputs stand (undone ones do not)."""
        return len(self._past)

    def last_changes(self) -> list[str]:
        """What the last input changed, one line a write, without what learners cannot see."""
        return telling.changes(self.cluster, len(self._past))

    def is_quiet(self) -> bool:
        return self.cluster.loop.quiet()

    def state_hash(self) -> str:
        """Objects, timers, clock, shell, answers: equal hashes mean equal labs."""
        self.hands.flush()
        parts = (
            self.cluster.store.hash(), self.cluster.journal.revision, self.cluster.timers.dump(),
            self.cluster.clock.now, self.shell.hash(), sorted(self.answers.items()), self.step,
        )  # fmt: skip
        return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def scene(self) -> Scene:
        """What checks look at."""
        from labsim.kubelet import runtime

        grader = self.cluster.client(GRADER)

        def read_log(namespace: str, pod: str, container: str) -> str | None:
            lines = runtime.read_logs(grader, namespace, pod, container)
            return "".join(f"{line}\n" for line in lines) if lines is not None else None

        return Scene(
            self.cluster.api, self.cluster.store, self.baseline, self.cluster.journal.writes, self.answers,
            self._read_file, read_log,
        )  # fmt: skip

    def _read_file(self, path: str) -> str | None:
        home = self.shell.sessions[0].spec.home
        files = self.shell.files(self.shell.sessions[0].spec.files)
        from labsim.shell.files import View

        try:
            return View(files, home).read_text(path)
        except (OSError, UnicodeError):
            return None

    def checklist(self) -> list[Judged]:
        """The live, advisory state of the goals; empty without a ticket."""
        from labsim.tickets import grading

        with self.lock:
            return grading.checklist(self.ticket, self) if self.ticket is not None else []

    def grade(self) -> Grade:
        """The score as it is now (waiting goals are judged on forks). Raises LabError without a ticket."""
        from labsim.tickets import grading

        if self.ticket is None:
            raise LabError("there is no ticket to grade")
        with self.lock:
            cost = sum(self.ticket["hints"][i]["cost"] for i in self.hints)
            return grading.grade(self.ticket, self, cost)

    def submit(self) -> Grade:
        """Hand in: the grade of this moment is final."""
        with self.lock:
            self.record({"kind": "submit"})
            self.submitted = self.grade()
            return self.submitted

    def hint(self) -> str | None:
        """The next hint that still helps, at its cost; None when there is none left."""
        from labsim.tickets.checks import evaluate

        with self.lock:
            self.record({"kind": "hint"})
            for index, hint in enumerate((self.ticket or {}).get("hints", ())):
                if index in self.hints or (hint["unless"] and evaluate(hint["unless"], self.scene()).holds):
                    continue
                self.hints.append(index)
                return str(hint["text"]).strip()
            return None


def _remarks(entries: list[Input], index: int) -> list[Input]:
    found = []
    for entry in entries[index + 1 :]:
        if entry["kind"] not in recipes.REMARKS:
            break
        found.append(entry)
    return found
