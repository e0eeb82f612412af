"""Label and field selectors: the string forms of `-l` and `--field-selector`, and LabelSelector objects.

Grammar, order and error texts are those of apimachinery's `labels` and `fields`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from labsim.kube.codec import dump_compact
from labsim.kube.gofmt import quote
from labsim.kube.validation import label_value, qualified_name

_TOKEN = re.compile(r"[ \t\r\n]*(?:([=!(),><]+)|([^=!(),>< \t\r\n]+)|$)")
_OPERATORS = ("=", "==", "!=", "in", "notin", ">", "<")
_OBJECT_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_NORMAL = {"=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt"}
_INT64 = range(-(2**63), 2**63)


class Requirement(NamedTuple):
    """`op` is one of in, notin, exists, !, gt, lt; equality is `in` with one value."""

    key: str
    op: str
    values: tuple[str, ...]


class FieldRequirement(NamedTuple):
    """`op` is = or !=."""

    path: str
    op: str
    value: str


class Selector:
    """A label selector: all requirements must hold. `nothing` is what an absent LabelSelector selects."""

    def __init__(self, written: Sequence[Requirement] = (), nothing: bool = False) -> None:
        # `op` here is as written, so that the selector prints as it was typed
        self._written = tuple(sorted(written, key=lambda r: r.key))
        self.nothing = nothing
        self.requirements = tuple(r._replace(op=_NORMAL.get(r.op, r.op)) for r in self._written)

    def matches(self, labels: Mapping[str, str]) -> bool:
        return not self.nothing and all(_holds(r, labels.get(r.key)) for r in self.requirements)

    @property
    def written(self) -> tuple[Requirement, ...]:
        """The requirements with the operators that were typed."""
        return self._written

    def __str__(self) -> str:
        return ",".join(map(_print, self._written))


class FieldSelector:
    """Requirements on fields; which fields there are is the kind's business."""

    def __init__(self, requirements: Sequence[FieldRequirement] = ()) -> None:
        self.requirements = tuple(requirements)

    def matches(self, fields: Mapping[str, str]) -> bool:
        """A field that is not there counts as empty."""
        return all((fields.get(r.path, "") == r.value) == (r.op == "=") for r in self.requirements)

    def __str__(self) -> str:
        return ",".join(f"{path}{op}{escape_field(value)}" for path, op, value in self.requirements)


@lru_cache(maxsize=1024)
def parse_label(text: str) -> Selector:
    """`a=b,c in (d,e),!f`. Raises ValueError with apimachinery's text."""
    return Selector(_Parser(text).parse())


def from_object(selector: Mapping[str, Any] | None) -> Selector:
    """A LabelSelector: None selects nothing, an empty one everything. Raises ValueError as the API machinery does."""
    if selector is None:
        return Selector(nothing=True)
    found = [_requirement(key, "=", [value]) for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or ():
        operator = _OBJECT_OPERATORS.get(expression.get("operator", ""))
        if operator is None:
            raise ValueError(f"{quote(expression.get('operator', ''))} is not a valid label selector operator")
        found.append(_requirement(expression.get("key", ""), operator, expression.get("values") or ()))
    return Selector(found)


@lru_cache(maxsize=1024)
def parse_field(text: str) -> FieldSelector:
    r"""`status.phase=Running,spec.nodeName!=n1`; `\,` `\=` `\\` stand for themselves. Raises ValueError."""
    found = []
    for term in sorted(_field_terms(text)):
        split = re.match("(.*?)(!=|==|=)(.*)", term, re.DOTALL)
        if split is None:
            raise ValueError(f"invalid selector: '{text}'; can't understand '{term}'")
        found.append(FieldRequirement(split[1], "!=" if split[2] == "!=" else "=", _unescape(split[3])))
    return FieldSelector(found)


def escape_field(value: str) -> str:
    return re.sub(r"([\\,=])", r"\\\1", value)


def _holds(requirement: Requirement, value: str | None) -> bool:
    _, op, values = requirement
    if op == "in":
        return value is not None and value in values
    if op == "notin":
        return value is None or value not in values
    if op in ("exists", "!"):
        return (value is not None) == (op == "exists")
    number = _int64(value or "")
    bound = _int64(values[0])
    assert bound is not None  # checked when the requirement was made
    return number is not None and (number > bound if op == "gt" else number < bound)


def _int64(text: str) -> int | None:
    if not re.fullmatch("[+-]?[0-9]+", text, re.ASCII) or int(text) not in _INT64:
        return None
    return int(text)


def _print(requirement: Requirement) -> str:
    key, op, values = requirement
    joined = ",".join(sorted(values))
    if op in ("in", "notin"):
        return f"{key} {op} ({joined})"
    return {"exists": key, "!": f"!{key}"}.get(op, f"{key}{op}{joined}")


def _requirement(key: str, op: str, values: Sequence[str]) -> Requirement:
    found = []
    if complaints := qualified_name(key):
        found.append(f"key: Invalid value: {quote(key)}: {'; '.join(complaints)}")
    if op in ("in", "notin") and not values:
        found.append("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty")
    if op in ("exists", "!") and values:
        listed = dump_compact(list(values))
        found.append(f"values: Invalid value: {listed}: values set must be empty for exists and does not exist")
    if op in (">", "<") and _int64(values[0]) is None:
        text = "for 'Gt', 'Lt' operators, the value must be an integer"
        found.append(f"values[0]: Invalid value: {quote(values[0])}: {text}")
    for i, value in enumerate(values):
        if complaints := label_value(value):
            found.append(f"values[{i}][{key}]: Invalid value: {quote(value)}: {'; '.join(complaints)}")
    if found:
        raise ValueError(found[0] if len(found) == 1 else f"[{', '.join(found)}]")
    return Requirement(key, op, tuple(values))


class _Parser:
    """Recursive descent over tokens (kind, text): kind is the symbol or word itself, `id`, `end` or `error`."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0

    def parse(self) -> list[Requirement]:
        found: list[Requirement] = []
        while True:
            kind, text = self.peek()
            if kind == "end":
                return found
            if kind not in ("id", "!"):
                raise ValueError(f"found '{text}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self.requirement())
            except ValueError as error:
                raise ValueError(f"unable to parse requirement: {error}") from None
            kind, text = self.take()
            if kind == "end":
                return found
            if kind != ",":
                raise ValueError(f"found '{text}', expected: ',' or 'end of string'")
            kind, text = self.peek()
            if kind not in ("id", "!"):
                raise ValueError(f"found '{text}', expected: identifier after ','")

    def peek(self) -> tuple[str, str]:
        """The next token, where a value may stand: `in` and `notin` are plain words there."""
        kind, text = self.tokens[min(self.at, len(self.tokens) - 1)]
        return ("id" if kind in ("in", "notin") else kind), text

    def take(self) -> tuple[str, str]:
        found = self.peek()
        self.at += 1
        return found

    def requirement(self) -> Requirement:
        kind, text = self.take()
        absent = kind == "!"
        if absent:
            kind, text = self.take()
        if kind != "id":
            raise ValueError(f"found '{text}', expected: identifier")
        key = text
        if complaints := qualified_name(key):
            raise ValueError(f"<nil>: Invalid value: {quote(key)}: {'; '.join(complaints)}")
        if absent:
            return _requirement(key, "!", ())
        if self.peek()[0] in ("end", ","):
            return _requirement(key, "exists", ())
        operator, text = self.tokens[self.at]
        self.at += 1
        if operator not in _OPERATORS:
            raise ValueError(f"found '{text}', expected: in, notin, =, ==, !=, gt, lt")
        values = self.value_set() if operator in ("in", "notin") else {self.exact()}
        return _requirement(key, operator, sorted(values))

    def exact(self) -> str:
        if self.peek()[0] in ("end", ","):
            return ""
        kind, text = self.take()
        if kind != "id":
            raise ValueError(f"found '{text}', expected: identifier")
        return text

    def value_set(self) -> set[str]:
        kind, text = self.take()
        if kind != "(":
            raise ValueError(f"found '{text}' expected: '('")
        kind, text = self.peek()
        if kind == ")":
            self.at += 1
            return {""}
        if kind not in ("id", ","):
            raise ValueError(f"found '{text}', expected: ',', ')' or identifier")
        return self.identifiers()

    def identifiers(self) -> set[str]:
        """Words and gaps between commas, up to the closing parenthesis; a gap is an empty value."""
        found: set[str] = set()
        while True:
            kind, text = self.take()
            if kind == "id":
                found.add(text)
                kind, text = self.peek()
                if kind not in (",", ")"):
                    raise ValueError(f"found '{text}', expected: ',' or ')'")
            elif kind == ",":
                if not found or self.peek()[0] in (",", ")"):
                    found.add("")
            else:
                raise ValueError(f"found '{text}', expected: ',', or identifier")
            if self.peek()[0] == ")":
                self.at += 1
                return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at or not match[0].strip():
            return [*found, ("end", "")]
        symbols, word = match[1], match[2]
        at = match.end()
        if word:
            found.append((word if word in ("in", "notin") else "id", word))
        else:
            symbol = symbols[:2] if symbols[:2] in ("==", "!=") else symbols[0]
            found.append((symbol, symbol))
            at -= len(symbols) - len(symbol)


def _field_terms(text: str) -> list[str]:
    """What stands between commas that are not escaped."""
    return re.findall(r"(?:\\.|[^,\\]|\\\Z)+", text, re.DOTALL)


def _unescape(value: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found[0] in ("\\\\", "\\,", "\\="):
            return found[0][1]
        if found[0].startswith("\\"):
            raise ValueError(f"invalid field selector: invalid escape sequence: {found[0]}")
        raise ValueError(f"invalid field selector: unescaped character in value: {ord(found[0])}")

    return re.sub(r"\\.?|[,=]", plain, value, flags=re.DOTALL)
