"""Comparing what was found with what was asked: quantities by value, sets as sets, missing never false."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from labsim.kube.objects import Object
from labsim.tickets.scene import CheckError

WORDS = {
    "==": "", "!=": "not ", ">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most ",
    "in": "one of ", "not in": "none of ", "contains": "containing ", "matches": "matching ",
}  # fmt: skip


def find(obj: Object, path: str) -> list[Any]:
    """All values at a kubectl JSONPath (with or without braces); an empty list where the field is missing."""
    from labsim.kube.jsonpath import JSONPathError, Template

    text = path if path.startswith("{") else "{" + (path if path.startswith((".", "[", "$", "@")) else "." + path) + "}"
    try:
        return [value for values in Template.parse(text).find(obj) for value in values]
    except JSONPathError as error:
        if "array index out of bounds" in str(error):
            return []
        raise CheckError(f"path {path}: {error}") from None


def expected_text(op: str, value: Any) -> str:
    if op == "exists":
        return "present"
    if op == "absent":
        return "absent"
    return WORDS[op] + show(value)


def show(value: Any) -> str:
    if isinstance(value, str):
        return value if value else '""'
    if isinstance(value, list):
        return ", ".join(show(v) for v in value) if value else "an empty list"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


def satisfied(found: Sequence[Any], op: str, value: Any) -> bool:
    """`found` are the values at a path. Nothing found satisfies only `absent` (and never `!=` or `not in`)."""
    if op == "exists":
        return bool(found)
    if op == "absent":
        return not found
    if not found:
        return False
    one: Any = found[0] if len(found) == 1 else list(found)
    if op == "==":
        return same(one, value)
    if op == "!=":
        return not same(one, value)
    if op in ("in", "not in"):
        options = value if isinstance(value, list) else [value]
        return any(same(one, option) for option in options) == (op == "in")
    if op == "contains":
        if isinstance(one, list):
            return any(same(item, value) for item in one)
        if isinstance(one, dict):
            return value in one
        return isinstance(one, str) and str(value) in one
    if op == "matches":
        return isinstance(one, (str, int, float)) and re.search(str(value), show(one), re.MULTILINE) is not None
    left, right = number(one), number(value)
    if left is None or right is None:
        raise CheckError(f"{show(one)} and {show(value)} cannot be ordered")
    return {">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[op]


def same(found: Any, wanted: Any) -> bool:
    """Equality: bools only with bools, numbers and quantities by value, lists as multisets."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, list) and isinstance(wanted, list):
        rest = list(wanted)
        for item in found:
            match = next((i for i, w in enumerate(rest) if same(item, w)), None)
            if match is None:
                return False
            del rest[match]
        return not rest
    if found == wanted:
        return True
    left, right = number(found), number(wanted)
    return left is not None and left == right


def number(value: Any) -> Decimal | None:
    """A number or quantity as a Decimal; None for anything else."""
    from labsim.kube.quantity import parse

    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or value == "":
        return None
    try:
        return Decimal(parse(str(value)).value)
    except ValueError:
        return None
