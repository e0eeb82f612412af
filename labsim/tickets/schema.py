"""The ticket file, schema labsim.ticket/v1 (design.md 6). Published by `labsim ticket schema`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from labsim.tickets.check_schema import Check, Strict

# What a level means, in seconds of `target_seconds` (an opinion is not enough: the band is checked).
LEVEL_BANDS = {"quick": (30, 240), "core": (241, 540), "deep": (541, 1200)}

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]


class Objective(Strict):
    exam: str
    objective: str
    share: float | int = 1


class Edit(Strict):
    path: str
    text: str


class Answered(Strict):
    id: str
    value: str


class Step(Strict):
    """One step of an answer or reject, in the words of the recipe. A bare string in the file is a `line`."""

    line: str | None = None
    edit: Edit | None = None
    answer: Answered | None = None
    settle: int | None = None
    advance: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _bare_line(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"line": value}
        return value

    @model_validator(mode="after")
    def _exactly_one(self) -> Step:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one of line, edit, answer, settle, advance")
        return self


class Fault(Strict):
    """`kind` from labsim/faults; the other keys are its parameters."""

    model_config = {"extra": "allow", "strict": True}
    kind: str


class Says(Strict):
    """What a learner reads beside the verdict; the verdict itself always names object, expected and found."""

    todo: str = ""
    fail: str = ""


class Goal(Strict):
    id: Identifier
    title: str
    points: Annotated[int, Field(gt=0)]
    when: Literal["now", "converge", "hold"] = "now"
    within: Annotated[int, Field(ge=1, le=60)] = 12
    check: Check
    explain: str = ""
    references: list[Identifier] = []


class Guard(Strict):
    id: Identifier
    title: str
    severity: Literal["minor", "major", "fatal"]
    when: Literal["now", "always", "never"] = "always"
    check: Check
    explain: str = ""


class Hint(Strict):
    text: str
    cost: Annotated[int, Field(ge=0, le=100)] = 0
    unless: Check | None = None


class Route(Strict):
    id: Identifier
    title: str = ""
    steps: list[Step] = []


class Reject(Route):
    kind: Literal["no-op", "shortcut", "wrong-target", "misconception"]
    fails: list[Identifier] = []
    trips: list[Identifier] = []
    misconception: str = ""

    @model_validator(mode="after")
    def _has_a_reason(self) -> Reject:
        if not self.fails and not self.trips:
            raise ValueError("a reason: goals it fails or guards it trips")
        return self


class Option(Strict):
    id: Identifier
    text: str
    why: str = ""


class Question(Strict):
    """Asked in the ticket panel; graded by a goal with an `answer` check. Without options the answer is free text."""

    id: Identifier
    ask: str
    options: list[Option] = []


class Reference(Strict):
    id: Identifier
    title: str
    url: str = ""
    checked: str


class Param(Strict):
    """Exactly one source: `value` is fixed, `choice` and `range` (both ends included) are drawn by the seed."""

    value: Any = None
    choice: Annotated[list[Any], Field(min_length=1)] | None = None
    range: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Param:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one of value, choice, range")
        return self


class Seeds(Strict):
    """Only proven seeds are served."""

    deployed: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    exam_only: list[Annotated[int, Field(ge=0)]] = []


class Ticket(Strict):
    version: Annotated[Literal["labsim.ticket/v1"], Field(alias="schema")]
    id: Identifier
    revision: Annotated[int, Field(ge=1)]
    title: str
    level: Literal["quick", "core", "deep"]
    target_seconds: int
    blueprint: list[Objective] = []
    tags: list[str] = []
    world: str
    params: dict[str, Param] = {}
    seeds: Seeds
    story: str
    files: dict[str, str] = {}
    setup: list[str] = []
    faults: list[Fault] = []
    symptom: list[Check] = []
    goals: Annotated[list[Goal], Field(min_length=1)]
    guards: list[Guard] = []
    hints: list[Hint] = []
    questions: list[Question] = []
    answers: Annotated[list[Route], Field(min_length=1)]
    rejects: list[Reject] = []
    references: list[Reference] = []
    authors: list[str] = []
    license: str = ""

    @model_validator(mode="after")
    def _names_agree(self) -> Ticket:
        low, high = LEVEL_BANDS[self.level]
        if not low <= self.target_seconds <= high:
            raise ValueError(f"target_seconds between {low} and {high} for level {self.level}")
        goals = [g.id for g in self.goals]
        guards = [g.id for g in self.guards]
        for what, ids in (("goal", goals), ("guard", guards), ("question", [q.id for q in self.questions])):
            for one in ids:
                if ids.count(one) > 1:
                    raise ValueError(f"{what} ids that differ ({one} is there twice)")
        for reject in self.rejects:
            for one in reject.fails:
                if one not in goals:
                    raise ValueError(f"reject {reject.id}: fails names goals (no goal {one})")
            for one in reject.trips:
                if one not in guards:
                    raise ValueError(f"reject {reject.id}: trips names guards (no guard {one})")
        return self
