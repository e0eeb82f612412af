"""The parts of a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class JSONPathError(ValueError):
    """The message is client-go's. `passes`: whether an exists-filter that meets the error keeps its item, as there."""

    def __init__(self, message: str, passes: bool = True) -> None:
        super().__init__(message)
        self.passes = passes


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A bare number or boolean."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class Identifier:
    """`range`, `end`, or a word that fails when it is reached."""

    name: str


@dataclass(frozen=True, slots=True)
class Field:
    name: str


@dataclass(frozen=True, slots=True)
class Wildcard:
    pass


@dataclass(frozen=True, slots=True)
class Recursive:
    pass


class Bound(NamedTuple):
    """A number of a slice. `derived`: the end of a plain index, one past its start."""

    value: int = 0
    known: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    start: Bound
    end: Bound
    step: Bound


@dataclass(frozen=True, slots=True)
class Action:
    """Nodes applied one after another."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Union:
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """`operator` is "exists" when there is nothing to compare with."""

    left: Action
    operator: str
    right: Action


Node = Text | Literal | Identifier | Field | Wildcard | Recursive | Array | Action | Union | Filter
