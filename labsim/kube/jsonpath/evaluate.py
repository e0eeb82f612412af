"""Nodes applied to decoded JSON. Maps are walked in the order of their keys (Go's order is random)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.kube.gofmt import plain, type_name
from labsim.kube.jsonpath.nodes import (
    Action,
    Array,
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


class _NoValue:
    """What a range hands on for a null: unlike a null it has no type and prints as `<no value>`."""

    def __repr__(self) -> str:
        return "<no value>"


NO_VALUE = _NoValue()
_ABSENT: Any = object()


class Evaluation:
    """One run of a template over one object."""

    def __init__(self, nodes: Sequence[Text | Action], allow_missing: bool) -> None:
        self.nodes, self.allow_missing = nodes, allow_missing
        self.begun = self.depth = self.ended = 0
        self.last_end = -1

    def find(self, data: Any, first: int = 0) -> list[list[Any]]:
        """A list of values for each text or action from the `first` on, up to the `end` of the range we are in."""
        found: list[list[Any]] = []
        at = first
        while at < len(self.nodes):
            values = self.walk([data], self.nodes[at])
            if 0 < self.ended <= self.depth:
                self.ended -= 1
                self.last_end = at
                break
            if self.begun:
                self.begun -= 1
                self.depth += 1
                for value in values:
                    found += self.find(NO_VALUE if value is None else value, at + 1)
                if not values:  # to learn where the end is
                    self.find(NO_VALUE, at + 1)
                self.depth -= 1
                at = max(at, self.last_end)
            else:
                found.append(values)
            at += 1
        return found

    def walk(self, values: list[Any], node: Node) -> list[Any]:
        match node:
            case Text(text):
                return [text]
            case Action(nodes):
                for inner in nodes:
                    values = self.walk(values, inner)
                return values
            case Field(name):
                return self.field(values, name)
            case Array():
                return _array(values, node)
            case Wildcard():
                return [child for value in values for child in _children(value)]
            case Recursive():
                return _descend(values)
            case Union(actions):
                return [value for action in actions for value in self.walk(values, action)]
            case Literal(value):
                return [value] * len(values)
            case Filter():
                return self.filter(values, node)
            case Identifier(name):
                return self.identifier(values, name)

    def identifier(self, values: list[Any], name: str) -> list[Any]:
        if name == "range":
            self.begun += 1
            return values
        if name != "end":
            raise JSONPathError(f"unrecognized identifier {name}", bool(values))
        if not self.depth:
            raise JSONPathError("not in range, nothing to end", False)
        self.ended += 1
        return []

    def field(self, values: list[Any], name: str) -> list[Any]:
        found = [value[name] for value in values if isinstance(value, dict) and name in value]
        if values and not found and not self.allow_missing:
            raise JSONPathError(f"{name} is not found", False)
        return found

    def filter(self, values: list[Any], node: Filter) -> list[Any]:
        found: list[Any] = []
        for value in values:
            if not isinstance(value, list):
                shown = "<invalid reflect.Value>" if value is NO_VALUE else plain(value)
                raise JSONPathError(f"{shown} is not array or slice and cannot be filtered")
            for item in value:
                if self.passes(item, node, bool(found)):
                    found.append(item)
        return found

    def passes(self, item: Any, node: Filter, others: bool) -> bool:
        if node.operator == "exists":
            try:
                return bool(self.walk([item], node.left))
            except JSONPathError as error:
                return error.passes
        left = self.operand(item, node.left)
        right = _ABSENT if left is _ABSENT else self.operand(item, node.right)
        try:
            return right is not _ABSENT and _compare(left, node.operator, right)
        except JSONPathError as error:
            raise JSONPathError(str(error), others) from None

    def operand(self, item: Any, action: Action) -> Any:
        found = self.walk([item], action)
        if len(found) > 1:
            raise JSONPathError("can only compare one element at a time")
        return found[0] if found else _ABSENT


def _array(values: list[Any], node: Array) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            if value is NO_VALUE:  # kubectl dies of it, with these words
                raise JSONPathError("reflect: call of reflect.Value.Type on zero Value")
            raise JSONPathError(f"{type_name(value)} is not array or slice")
        length = len(value)
        start = node.start.value if node.start.known else 0
        start += length if start < 0 else 0
        end = node.end.value if node.end.known else length
        end += length if end < 0 or (end == 0 and node.end.derived) else 0
        if start == end:
            # client-go stops at the first empty selection and forgets the remaining inputs
            return found
        if not 0 <= start < length:
            raise JSONPathError(f"array index out of bounds: index {start}, length {length}")
        if not 0 <= end <= length:
            raise JSONPathError(f"array index out of bounds: index {end - 1}, length {length}")
        if start > end:
            raise JSONPathError(f"starting index {start} is greater than ending index {end}")
        if node.step.known and node.step.value <= 0:
            raise JSONPathError("step must be > 0")
        found += value[start : end : node.step.value if node.step.known else 1]
    return found


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if isinstance(value, str):
        return list(value.encode())  # Go sees a string as a row of bytes
    return value if isinstance(value, list) else []


def _descend(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if children := _children(value):
            found.append(value)
            found += _descend(children)
    return found


def _kind(value: Any) -> type:
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind
    raise JSONPathError("invalid type for comparison")


def _compare(left: Any, operator: str, right: Any) -> bool:
    if operator not in ("==", "!=", "<", "<=", ">", ">="):
        raise JSONPathError(f"unrecognized filter operator {operator}")
    kind = _kind(left)
    if kind is not _kind(right):
        raise JSONPathError("incompatible types for comparison")
    if operator in ("==", "!="):
        return bool(left == right) == (operator == "==")
    if kind is bool:
        raise JSONPathError("invalid type for comparison")
    if operator in ("<", ">="):
        return bool(left < right) == (operator == "<")
    return bool(left <= right) == (operator == "<=")
