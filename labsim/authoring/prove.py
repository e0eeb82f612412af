"""`labsim ticket prove`: untouched scores 0, answers 100, every reject fails for its stated reason, on every seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labsim.lab import Lab, LabError, Outcome
from labsim.tickets import catalogue

if TYPE_CHECKING:
    from labsim.tickets.grading import Grade


@dataclass(frozen=True)
class Proof:
    """One route on one seed. `problems` is empty when it behaves as the ticket says; `hash` is the state it ends in."""

    ticket: str
    seed: int
    route: str
    score: int
    problems: tuple[str, ...]
    hash: str


def act(lab: Lab, step: dict[str, Any]) -> Outcome:
    """One step of a route, in the words of the recipe."""
    ((kind, value),) = [(k, v) for k, v in step.items() if v is not None]
    if kind == "line":
        return lab.run(value)
    if kind == "edit":
        return lab.edit(value["path"], value["text"])
    if kind == "answer":
        return lab.answer(value["id"], value["value"])
    return lab.settle(value) if kind == "settle" else lab.advance(value)


def prove(ticket: str, seeds: list[int] | None = None, packs: str = "") -> Iterator[Proof]:
    """Every route of a ticket on its seeds (the deployed and exam-only ones by default). Set-up runs once a seed."""
    source = catalogue.find(ticket, packs)["source"]
    for seed in seeds or [*source["seeds"]["deployed"], *source["seeds"]["exam_only"]]:
        try:
            fresh = Lab.open(ticket=ticket, seed=seed, packs=packs)
        except LabError as error:
            yield Proof(source["id"], seed, "set-up", 0, (str(error),), "")
            continue
        yield from prove_seed(fresh)


def prove_seed(fresh: Lab) -> Iterator[Proof]:
    """All routes of a lab that was just opened; each plays on a fork, so the lab itself stays untouched."""
    assert fresh.ticket is not None
    ticket, seed = fresh.ticket, int(fresh.ticket["seed"])
    failed: set[str] = set()
    tripped: set[str] = set()
    yield _judge(fresh, "untouched", fresh.grade(), _untouched)
    for answer in ticket["answers"]:
        lab = fresh.fork()
        stuck = _play(lab, answer["steps"])
        yield _judge(lab, f"answer {answer['id']}", lab.grade(), _full, stuck)
    for reject in ticket["rejects"]:
        lab = fresh.fork()
        _play(lab, reject["steps"])
        grade = lab.grade()
        failed |= {j.id for j in grade.goals if not j.verdict.holds}
        tripped |= {j.id for j in grade.guards if j.verdict.status == "fail"}
        yield _judge(lab, f"reject {reject['id']}", grade, lambda g, r=reject: _rejected(g, r))
    dead = [f"no reject fails goal {g['id']}" for g in ticket["goals"] if g["id"] not in failed]
    dead += [f"no reject trips guard {g['id']}" for g in ticket["guards"] if g["id"] not in tripped]
    yield Proof(ticket["id"], seed, "every check matters", 0, tuple(dead), "")


def _play(lab: Lab, steps: list[dict[str, Any]]) -> str:
    """Play a route; the last refused line and why ('' when all went well)."""
    stuck = ""
    for step in steps:
        outcome = act(lab, step)
        if outcome.exit_code:
            told = (outcome.stderr or outcome.stdout).strip().split("\n")[-1]
            stuck = f"{step.get('line') or step}: exit {outcome.exit_code}: {told}"
    return stuck


def _judge(lab: Lab, route: str, grade: Grade, wanted: Any, stuck: str = "") -> Proof:
    assert lab.ticket is not None
    problems = [f"{name} cannot be judged" for name in grade.ungraded] + wanted(grade)
    if problems and stuck:
        problems.append(stuck)
    return Proof(lab.ticket["id"], int(lab.ticket["seed"]), route, grade.score, tuple(problems), lab.state_hash())


def _untouched(grade: Grade) -> list[str]:
    held = [f"goal {j.id} is true before anything is done" for j in grade.goals if j.verdict.holds]
    return held + [f"guard {j.id} is tripped before anything is done" for j in grade.guards if not j.verdict.holds]


def _full(grade: Grade) -> list[str]:
    return [
        f"{j.id}: {j.verdict.read}: expected {j.verdict.expected}, found {j.verdict.found}"
        for j in (*grade.goals, *grade.guards)
        if not j.verdict.holds
    ]


def _rejected(grade: Grade, reject: dict[str, Any]) -> list[str]:
    """The stated reasons and no others, so that a reject proves what it says."""
    failed = {j.id for j in grade.goals if not j.verdict.holds}
    tripped = {j.id for j in grade.guards if j.verdict.status == "fail"}
    problems = [f"goal {g} does not fail" for g in reject["fails"] if g not in failed]
    problems += [f"guard {g} is not tripped" for g in reject["trips"] if g not in tripped]
    problems += [f"goal {g} fails and is not named" for g in sorted(failed - set(reject["fails"]))]
    problems += [f"guard {g} is tripped and is not named" for g in sorted(tripped - set(reject["trips"]))]
    return problems
