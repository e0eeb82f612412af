"""Text to nodes."""

from __future__ import annotations

import re
from functools import lru_cache

from labsim.kube.gofmt import unquote
from labsim.kube.jsonpath.nodes import (
    Action,
    Array,
    Bound,
    Field,
    Filter,
    Identifier,
    JSONPathError,
    Literal,
    Node,
    Recursive,
    Text,
    Union,
    Wildcard,
)

_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+)")
_TERMINATORS = frozenset(" \t\r\n.,[]$@{}")


@lru_cache(maxsize=1024)
def parse(text: str) -> tuple[Text | Action, ...]:
    """The texts and actions of a template. Raises JSONPathError."""
    found: list[Text | Action] = []
    at = 0
    while at < len(text):
        start = text.find("{", at)
        literal = text[at:] if start < 0 else text[at:start]
        if literal:
            found.append(Text(literal))
        if start < 0:
            break
        action = _ActionParser(text, start + 1)
        found.append(action.parse())
        at = action.at
    return tuple(found)


def _action(text: str) -> Action:
    """The action that `text` makes when braces are put round it."""
    return _ActionParser("{" + text + "}", 1).parse()


class _ActionParser:
    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at
        self.nodes: list[Node] = []

    def parse(self) -> Action:
        """Reads to the closing brace and leaves `at` behind it."""
        while not self.text.startswith("}", self.at):
            self.step()
        self.at += 1
        return Action(tuple(self.nodes))

    def step(self) -> None:
        char = self.text[self.at : self.at + 1]
        if self.text.startswith("[?(", self.at):
            self.filter()
        elif self.text.startswith("..", self.at):
            self.recursive()
        elif char in ("", "\r", "\n"):
            raise JSONPathError("unclosed action")
        elif char in " @$":
            self.at += 1
        elif char == "[":
            self.array()
        elif char in "\"'":
            self.quoted(char)
        elif char == ".":
            self.at += 1
            self.field()
        elif char in "+-" or char.isdecimal():
            self.number()
        elif char == "_" or char.isalpha():
            name = self.until_terminator()
            self.nodes.append(Literal(name == "true") if name in ("true", "false") else Identifier(name))
        else:
            shown = f" '{char}'" if char.isprintable() else ""
            raise JSONPathError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def until_terminator(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in _TERMINATORS:
            self.at += 1
        return self.text[start : self.at]

    def field(self) -> None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in _TERMINATORS:
            # an escaped character never ends the name, not even a dot
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at = min(self.at, len(self.text))
        name = self.text[start : self.at]
        self.nodes.append(Wildcard() if name == "*" else Field(name.replace("\\", "")))

    def recursive(self) -> None:
        if self.nodes and isinstance(self.nodes[-1], Recursive):
            raise JSONPathError("invalid multiple recursive descent")
        self.at += 2
        self.nodes.append(Recursive())
        char = self.text[self.at : self.at + 1]
        if char == "_" or char.isalpha() or char.isdecimal():
            self.field()

    def number(self) -> None:
        start = self.at
        self.at += self.text[self.at] in "+-"
        while self.at < len(self.text) and (self.text[self.at] == "." or self.text[self.at].isdecimal()):
            self.at += 1
        value = self.text[start : self.at]
        if re.fullmatch("[+-]?[0-9]+", value, re.ASCII) and -(2**63) <= int(value) < 2**63:
            self.nodes.append(Literal(int(value)))
        elif re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", value, re.ASCII):
            self.nodes.append(Literal(float(value)))
        else:
            raise JSONPathError(f"cannot parse number {value}")

    def array(self) -> None:
        end = re.compile(r"[\]\n]").search(self.text, self.at)
        if end is None or end[0] == "\n":
            raise JSONPathError("unterminated array")
        inside = self.text[self.at + 1 : end.start()]
        self.at = end.end()
        parts = inside.split(",")
        if len(parts) > 1:
            self.nodes.append(Union(tuple(_action(f"[{part.strip(' ')}]") for part in parts)))
        elif key := _KEY.fullmatch(inside):
            self.nodes.extend(_action("." + key[1]).nodes)
        else:
            self.nodes.append(_slice(":" if inside == "*" else inside))

    def filter(self) -> None:
        self.at += 3
        start = self.at
        mark, closed = "", False
        while True:
            char = self.text[self.at : self.at + 1]
            self.at += 1
            if char in ("", "\n"):
                raise JSONPathError("unterminated filter")
            if char in "\"'":
                # one pair of quotes is looked for; a parenthesis inside it does not count
                if not mark:
                    mark = char
                elif char == mark and self.text[self.at - 2] != "\\":
                    closed = True
            elif char == ")" and bool(mark) == closed:
                break
        if not self.text.startswith("]", self.at):
            raise JSONPathError("unclosed array expect ]")
        inside = self.text[start : self.at - 1]
        self.at += 1
        compared = _COMPARISON.fullmatch(inside)
        if compared is None:
            self.nodes.append(Filter(_action(inside), "exists", Action(())))
        else:
            self.nodes.append(Filter(_action(compared[1]), compared[2], _action(compared[3])))

    def quoted(self, mark: str) -> None:
        start = self.at
        self.at += 1
        while True:
            char = self.text[self.at : self.at + 1]
            if char in ("", "\n"):
                raise JSONPathError("unterminated quoted string")
            self.at += 1
            if char == mark and self.text[self.at - 2] != "\\":
                break
        quoted = self.text[start : self.at]
        try:
            self.nodes.append(Text(unquote(quoted[1:-1], mark)))
        except ValueError as error:
            raise JSONPathError(f"unquote string {quoted} error {error}") from None


def _slice(text: str) -> Array:
    found = _SLICE.fullmatch(text)
    if found is None:
        raise JSONPathError(f"invalid array index {text}")
    start = _bound(found[1])
    end = Bound(start.value + 1, True, True) if not found[2] else _bound(found[2][1:])
    return Array(start, end, _bound((found[3] or "")[1:]))


def _bound(digits: str) -> Bound:
    if not digits:
        return Bound()
    if digits == "-" or not -(2**63) <= int(digits) < 2**63:
        raise JSONPathError(f"array index {digits} is not a number")
    return Bound(int(digits), True)
