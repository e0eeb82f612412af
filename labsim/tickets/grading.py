"""Grading by results: every check runs on the world as it is, on a fork that runs on, or over the journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from labsim.sim.journal import Write
from labsim.tickets.checks import evaluate, resources_read
from labsim.tickets.scene import Scene, Verdict

# What is left of the score when a guard is tripped (peers-and-tickets.md 4, "Scoring").
FACTORS = {"minor": 0.9, "major": 0.5, "fatal": 0.0}


class Gradable(Protocol):
    """A lab as the grader sees it."""

    def scene(self) -> Scene: ...
    def fork(self) -> Gradable: ...
    def advance(self, steps: int = 1) -> object: ...
    def is_quiet(self) -> bool: ...


@dataclass(frozen=True)
class Cause:
    """The write that made a check false (or a guard trip): its input, time in ms, actor and object."""

    input: int
    time: int
    actor: str
    what: str


@dataclass(frozen=True)
class Judged:
    """One goal or guard. `pending`: not yet true, but the world is still moving (live checklist only)."""

    id: str
    title: str
    verdict: Verdict
    points: int = 0
    severity: str = ""
    pending: bool = False
    cause: Cause | None = None


@dataclass(frozen=True)
class Grade:
    """`score` of 100; `correctness` is goals alone, `safety` the factor of the guards, `cost` what hints took."""

    goals: list[Judged]
    guards: list[Judged]
    correctness: float
    safety: float
    cost: int
    score: int
    ungraded: list[str]

    def data(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "correctness": round(self.correctness, 4),
            "safety": self.safety,
            "hint_cost": self.cost,
            "goals": [_data(j) for j in self.goals],
            "guards": [_data(j) for j in self.guards],
            "ungraded": self.ungraded,
        }


def _data(judged: Judged) -> dict[str, Any]:
    v, cause = judged.verdict, judged.cause
    found = {"id": judged.id, "status": v.status, "read": v.read, "expected": v.expected, "found": v.found}
    if judged.severity:
        found["severity"] = judged.severity
    else:
        found["points"] = str(judged.points)
    if cause is not None:
        found["cause"] = f"input {cause.input}: {cause.what} by {cause.actor}"
    return found


def grade(ticket: dict[str, Any], lab: Gradable, hint_cost: int = 0) -> Grade:
    """The score now. Waiting goals are judged on forks; the learner's world does not move."""
    goals = [_goal(goal, lab) for goal in ticket["goals"]]
    guards = [_guard(guard, lab.scene()) for guard in ticket["guards"]]
    total = sum(j.points for j in goals)
    correctness = sum(j.points for j in goals if j.verdict.holds) / total
    safety = 1.0
    for judged in guards:
        if judged.verdict.status == "fail":
            safety *= FACTORS[judged.severity]
    ungraded = [j.id for j in (*goals, *guards) if j.verdict.status == "error"]
    score = max(0, round(100 * correctness * safety) - hint_cost)
    return Grade(goals, guards, correctness, safety, hint_cost, score, ungraded)


def checklist(ticket: dict[str, Any], lab: Gradable) -> list[Judged]:
    """The live, advisory view: goals as they are now; one that may still come true says so."""
    scene, moving = lab.scene(), not lab.is_quiet()
    found = []
    for goal in ticket["goals"]:
        verdict = evaluate(goal["check"], scene)
        pending = moving and not verdict.holds and goal["when"] == "converge"
        found.append(Judged(goal["id"], goal["title"], verdict, goal["points"], pending=pending))
    return found


def _goal(goal: dict[str, Any], lab: Gradable) -> Judged:
    check, when = goal["check"], goal["when"]
    verdict = evaluate(check, lab.scene())
    if when == "converge" and verdict.status == "fail":
        verdict = _run_on(check, lab.fork(), goal["within"], until=True)
    elif when == "hold" and verdict.holds:
        verdict = _run_on(check, lab.fork(), goal["within"], until=False)
    return Judged(goal["id"], goal["title"], verdict, goal["points"])


def _run_on(check: dict[str, Any], fork: Gradable, steps: int, *, until: bool) -> Verdict:
    """Advance a fork until the check becomes true (`until`), or watch that it stays true.

    A quiet world may still change: refused creates and crashed containers are tried again at growing intervals.
    """
    verdict = evaluate(check, fork.scene())
    for _ in range(steps):
        if verdict.holds == until or verdict.status == "error":
            break
        fork.advance(1)
        verdict = evaluate(check, fork.scene())
    return verdict


def _guard(guard: dict[str, Any], scene: Scene) -> Judged:
    check, when = guard["check"], guard["when"]
    cause = None
    if when == "now":
        verdict = evaluate(check, scene)
    else:
        verdict, cause = _over_time(check, scene, never=when == "never")
    return Judged(guard["id"], guard["title"], verdict, severity=guard["severity"], cause=cause)


def _over_time(check: dict[str, Any], scene: Scene, *, never: bool) -> tuple[Verdict, Cause | None]:
    """`always`: true at the start and after each write; `never`: false all along. With the write that broke it."""
    ((kind, _),) = check.items()
    if kind == "history":
        return _history(check, scene, never=never)
    wanted: Callable[[Verdict], bool] = (lambda v: v.status == "fail") if never else (lambda v: v.holds)
    frame = scene.baseline.copy()
    verdict = evaluate(check, scene.at(frame))
    if verdict.status == "error" or not wanted(verdict):
        return _told(verdict, never), None
    keys = resources_read(check, scene)
    for write in scene.writes:
        frame.apply(write)
        if keys is None or write.resource not in keys:
            continue
        verdict = evaluate(check, scene.at(frame))
        if verdict.status == "error" or not wanted(verdict):
            return _told(verdict, never), _cause(write)
    return _told(verdict, never), None


def _history(check: dict[str, Any], scene: Scene, *, never: bool) -> tuple[Verdict, Cause | None]:
    verdict = evaluate(check, scene)
    if not (never and verdict.holds):
        return _told(verdict, never), None
    for write in scene.writes:
        one = Scene(scene.api, scene.reader, scene.baseline, [write])
        if evaluate(check, one).holds:
            return _told(verdict, never), _cause(write)
    return _told(verdict, never), None


def _told(verdict: Verdict, never: bool) -> Verdict:
    if not never or verdict.status == "error":
        return verdict
    return Verdict("fail" if verdict.holds else "pass", verdict.read, f"never {verdict.expected}", verdict.found)


def _cause(write: Write) -> Cause:
    place = f"{write.resource}/{write.name}" + (f" -n {write.namespace}" if write.namespace else "")
    return Cause(write.input, write.time, write.actor, f"{write.verb} of {place}")
