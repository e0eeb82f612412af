"""What callers use: a parsed template, its output, and kubectl's words when it fails."""

from __future__ import annotations

from typing import Any, NamedTuple

from labsim.kube.codec import dump_compact
from labsim.kube.codec.scalars import to_json_number
from labsim.kube.gofmt import plain, quote
from labsim.kube.gotemplate.execute import Execution
from labsim.kube.gotemplate.functions import BUILTINS
from labsim.kube.gotemplate.nodes import Node, TemplateError
from labsim.kube.gotemplate.parser import Parser

# kubectl gives its template this name; it shows in every error.
NAME = "output"


class Output(NamedTuple):
    """`stdout` has what was printed and, after an error, kubectl's help to find it; `error` goes after `error: `."""

    stdout: str
    error: str = ""


class Template:
    def __init__(self, text: str, templates: dict[str, tuple[Node, ...]], allow_missing: bool) -> None:
        self._text, self._templates, self._allow_missing = text, templates, allow_missing

    @classmethod
    def parse(cls, text: str, allow_missing: bool = True) -> Template:
        """Raises TemplateError. Without `allow_missing` a missing key is an error when run."""
        return cls(text, Parser(NAME, text, BUILTINS).parse(), allow_missing)

    def execute(self, obj: Any) -> str:
        """Raises TemplateError."""
        run = self._run()
        run.run(_reread(obj))
        return "".join(run.out)

    def output(self, obj: Any) -> Output:
        """What `kubectl get -o go-template=` does with `obj`, errors included."""
        run, data = self._run(), _reread(obj)
        try:
            run.run(data)
        except TemplateError as error:
            debug = (
                f"Error executing template: {error}. Printing more information for debugging the template:\n"
                f"\ttemplate was:\n\t\t{self._text}\n\traw data was:\n\t\t{dump_compact(obj)}\n"
                f"\tobject given to template engine was:\n\t\t{plain(data)}\n\n"
            )
            return Output("".join(run.out) + debug, f"error executing template {quote(self._text)}: {error}")
        return Output("".join(run.out))

    def _run(self) -> Execution:
        return Execution(NAME, self._text, self._templates, not self._allow_missing)


def parse_error(text: str, error: TemplateError) -> str:
    """What kubectl says about a template that cannot be read, after `error: `."""
    return f"error parsing template {text}, {error}"


def _reread(value: Any) -> Any:
    """The object after the trip through JSON that kubectl sends it on: whole floats come back as integers."""
    if isinstance(value, dict):
        return {key: _reread(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_reread(item) for item in value]
    return to_json_number(value) if isinstance(value, float) else value
