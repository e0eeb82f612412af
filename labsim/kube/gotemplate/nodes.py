"""The parsed template. `pos` is where a node begins in the text; str() is how Go's error texts show it."""

from __future__ import annotations

from dataclasses import dataclass

from labsim.kube.gofmt import quote


class TemplateError(ValueError):
    """The message is text/template's, beginning with `template: `."""


@dataclass(frozen=True, slots=True)
class Text:
    pos: int
    text: str


@dataclass(frozen=True, slots=True)
class Dot:
    pos: int

    def __str__(self) -> str:
        return "."


@dataclass(frozen=True, slots=True)
class Nil:
    pos: int

    def __str__(self) -> str:
        return "nil"


@dataclass(frozen=True, slots=True)
class Constant:
    """A boolean, number, character or string; `text` as written."""

    pos: int
    text: str
    value: bool | int | float | str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Field:
    pos: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


@dataclass(frozen=True, slots=True)
class Variable:
    """`$x` or `$x.field`; the first name has the dollar."""

    pos: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.names)


@dataclass(frozen=True, slots=True)
class Function:
    pos: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Chain:
    """Fields of something in parentheses, or of a function's result."""

    pos: int
    node: Operand
    names: tuple[str, ...]

    def __str__(self) -> str:
        return _shown(self.node) + "".join(f".{name}" for name in self.names)


@dataclass(frozen=True, slots=True)
class Command:
    pos: int
    args: tuple[Operand, ...]

    def __str__(self) -> str:
        return " ".join(map(_shown, self.args))


@dataclass(frozen=True, slots=True)
class Pipe:
    pos: int
    variables: tuple[Variable, ...]
    assign: bool
    commands: tuple[Command, ...]

    def __str__(self) -> str:
        shown = " | ".join(map(str, self.commands))
        if not self.variables:
            return shown
        return f"{', '.join(map(str, self.variables))} {'=' if self.assign else ':='} {shown}"


@dataclass(frozen=True, slots=True)
class Action:
    pos: int
    pipe: Pipe


@dataclass(frozen=True, slots=True)
class Branch:
    """if, with or range (`kind`); `otherwise` is None without an else."""

    pos: int
    kind: str
    pipe: Pipe
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] | None


@dataclass(frozen=True, slots=True)
class Jump:
    """break or continue."""

    pos: int
    kind: str


@dataclass(frozen=True, slots=True)
class Call:
    """{{template "name" pipe}}"""

    pos: int
    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        return f"{{{{template {quote(self.name)}{f' {self.pipe}' if self.pipe else ''}}}}}"


Operand = Dot | Nil | Constant | Field | Variable | Function | Chain | Pipe
Node = Text | Action | Branch | Jump | Call


def _shown(operand: Operand) -> str:
    return f"({operand})" if isinstance(operand, Pipe) else str(operand)
