"""What callers use: a parsed template, its output, and kubectl's words when it fails."""

from __future__ import annotations

import re
from typing import Any

from labsim.kube.codec import dump_compact, dump_json
from labsim.kube.gofmt import plain, quote, source
from labsim.kube.jsonpath.evaluate import NO_VALUE, Evaluation
from labsim.kube.jsonpath.nodes import Action, JSONPathError, Text
from labsim.kube.jsonpath.parser import parse

_RELAXED = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")


class Template:
    """Immutable; may be used for any number of objects."""

    def __init__(self, nodes: tuple[Text | Action, ...], allow_missing: bool = True) -> None:
        self._nodes, self._allow_missing = nodes, allow_missing

    @classmethod
    def parse(cls, text: str, allow_missing: bool = True) -> Template:
        """Raises JSONPathError. Without `allow_missing` a field that no input has is an error when run."""
        return cls(parse(text), allow_missing)

    def find(self, obj: Any) -> list[list[Any]]:
        """The values of each text and action in turn; a range gives those of its body once for each item."""
        return Evaluation(self._nodes, self._allow_missing).find(obj)

    def execute(self, obj: Any) -> str:
        """`-o jsonpath=`: the values of an action are joined by blanks; nothing stands between actions."""
        return "".join(" ".join(map(_text, values)) for values in self.find(obj))

    def execute_json(self, obj: Any) -> str:
        """`-o jsonpath-as-json=`: a JSON array for each text and action."""
        return "".join(
            dump_json([None if value is NO_VALUE else value for value in values]) for values in self.find(obj)
        )


def relaxed(path: str) -> str:
    """`metadata.name`, `.metadata.name` or `{metadata.name}` as `{.metadata.name}`; empty stays empty."""
    if not path:
        return path
    found = _RELAXED.fullmatch(path)
    if found is None:
        raise JSONPathError(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        )
    return f"{{.{found[1] or found[2]}}}"


def parse_error(text: str, error: JSONPathError) -> str:
    """What `-o jsonpath=` says about a template that cannot be read, after `error: `."""
    return f"error parsing jsonpath {text}, {error}"


def run_error(text: str, obj: Any, error: JSONPathError) -> str:
    """What `-o jsonpath=` says about a template that fails on an object, after `error: `; ends with a line break."""
    return (
        f"error executing jsonpath {quote(text)}: Error executing template: {error}. Printing more information for"
        f" debugging the template:\n\ttemplate was:\n\t\t{text}\n\tobject given to jsonpath engine was:\n\t\t"
        f"{source(obj)}\n\n\n"
    )


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if value is NO_VALUE:
        return "<no value>"
    return dump_compact(value) if isinstance(value, dict | list) else plain(value)
