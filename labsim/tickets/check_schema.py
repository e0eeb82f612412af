"""What a check may say (design.md 6). A check is one mapping with exactly one key: its kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Operator = Literal["==", "!=", ">", ">=", "<", "<=", "in", "not in", "contains", "matches", "exists", "absent"]
Scalar = str | int | float | bool | None


class Strict(BaseModel):
    """Unknown keys are refused; strings are never guessed into numbers or back."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Comparison(Strict):
    """`op` compares what was found with `value`; quantities (`100m`, `1Gi`) compare by value, sets as sets."""

    op: Operator = "=="
    value: Any = None

    @model_validator(mode="after")
    def _value_fits(self) -> Comparison:
        takes_none = self.op in ("exists", "absent")
        if takes_none and "value" in self.model_fields_set:
            raise ValueError(f"no value with op {self.op}")
        if not takes_none and "value" not in self.model_fields_set:
            raise ValueError(f"a value for op {self.op}")
        if self.op in ("in", "not in") and not isinstance(self.value, (list, str)):
            raise ValueError(f"a list as value of op {self.op}")
        return self


class ObjectCheck(Comparison):
    """One object, one kubectl JSONPath. A missing object or field is `absent`, never false: `op: absent` accepts it."""

    resource: str
    name: str
    namespace: str = ""
    path: str = ""


class ObjectsCheck(Comparison):
    """All objects of a selection. An empty selection is an error unless `allow_empty` is written."""

    resource: str
    namespace: str = ""
    selector: str = ""
    field_selector: str = ""
    path: str = ""
    quantifier: Literal["every", "any", "none", "count"] = "every"
    allow_empty: bool = False


class AllocatableCheck(Strict):
    """A node's Allocatable for one resource name, by value. A missing key counts as 0."""

    node: str
    resource: str
    op: Literal["==", "!=", ">", ">=", "<", "<="] = "=="
    value: int | str


class MigCheck(Strict):
    """Hardware truth of a node's GPUs: MIG mode and the multiset of MIG devices on each GPU named."""

    node: str
    gpus: Literal["all"] | list[int] = "all"
    mode: Literal["Enabled", "Disabled"] | None = None
    devices: dict[str, int] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> MigCheck:
        if self.mode is None and self.devices is None:
            raise ValueError("mode or devices")
        return self


class PodOnCheck(Strict):
    """Pods of a selection and where they are. `count` is how many must match (default: every one, at least one)."""

    namespace: str
    name: str = ""
    selector: str = ""
    node: str = ""
    not_node: str = ""
    phase: Literal["Pending", "Running", "Succeeded", "Failed"] = "Running"
    ready: bool | None = None
    count: int | None = None

    @model_validator(mode="after")
    def _one_way(self) -> PodOnCheck:
        if bool(self.name) == bool(self.selector):
            raise ValueError("either name or selector")
        return self


class LogCheck(Strict):
    """A container's log, current attempt."""

    namespace: str
    name: str = ""
    selector: str = ""
    container: str = ""
    contains: str | None = None
    matches: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> LogCheck:
        if bool(self.name) == bool(self.selector):
            raise ValueError("either name or selector")
        if (self.contains is None) == (self.matches is None):
            raise ValueError("either contains or matches")
        return self


class FileCheck(Strict):
    """A file in the learner's home (or an absolute path). `equals` ignores trailing blank space."""

    path: str
    equals: str | None = None
    contains: str | None = None
    matches: str | None = None
    absent: bool | None = None

    @model_validator(mode="after")
    def _one_way(self) -> FileCheck:
        if sum(v is not None for v in (self.equals, self.contains, self.matches, self.absent)) != 1:
            raise ValueError("exactly one of equals, contains, matches, absent")
        return self


class AnswerCheck(Strict):
    """A question answered in the ticket panel: `id` of the question; right when the value is one of `values`."""

    id: str
    values: Annotated[list[str], Field(min_length=1)]


class HistoryCheck(Strict):
    """A write that was made since the start. True when at least one write matches all that is said here."""

    resource: str
    name: str = ""
    namespace: str = ""
    selector: str = ""
    verb: Literal["create", "update", "delete"] | None = None
    actor: Literal["learner", "any"] = "learner"
    path: str = ""
    before: Any = None
    after: Any = None


class UnchangedCheck(Strict):
    """Objects equal to the baseline, but for what labsim/tickets/ignored.yaml lists (ages, heartbeats, versions).

    `paths` narrows the comparison to these fields; `except_names` leaves objects out; new and missing objects count.
    """

    resource: str
    names: list[str] = []
    namespace: str = ""
    selector: str = ""
    except_names: list[str] = []
    paths: list[str] = []
    allow_new: bool = False


class Check(Strict):
    """Exactly one kind."""

    object: ObjectCheck | None = None
    objects: ObjectsCheck | None = None
    allocatable: AllocatableCheck | None = None
    mig: MigCheck | None = None
    pod_on: PodOnCheck | None = None
    log: LogCheck | None = None
    file: FileCheck | None = None
    answer: AnswerCheck | None = None
    history: HistoryCheck | None = None
    unchanged: UnchangedCheck | None = None
    all: Annotated[list[Check], Field(min_length=1)] | None = None
    any: Annotated[list[Check], Field(min_length=1)] | None = None
    not_: Annotated[Check | None, Field(alias="not")] = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Check:
        if len(self.model_fields_set) != 1:
            kinds = ", ".join("not" if name == "not_" else name for name in type(self).model_fields)
            raise ValueError(f"exactly one kind of check, one of: {kinds}")
        return self
