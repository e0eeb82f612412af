"""Runs a parsed template over a decoded object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube import gofmt
from labsim.kube.gotemplate.functions import BUILTINS, Builtin, CallError, no_function
from labsim.kube.gotemplate.nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Jump,
    Nil,
    Node,
    Operand,
    Pipe,
    TemplateError,
    Text,
    Variable,
)
from labsim.kube.gotemplate.values import INVALID, Boxed, Int, as_any, is_true, printed, type_name, unbox

# Go's limit is 100,000, which Python's stack does not reach; what gets this deep never ends.
MAX_DEPTH = 60
# A count, so that the same template ends at the same place everywhere; Go has no such limit.
MAX_STEPS = 200_000
_NO_FINAL: Any = object()


class _JumpError(Exception):
    pass


class Execution:
    """`out` holds what was printed, also after an error."""

    def __init__(self, name: str, text: str, templates: Mapping[str, tuple[Node, ...]], missing_is_error: bool) -> None:
        self.name = self.running = name
        self.text, self.templates, self.missing_is_error = text, templates, missing_is_error
        self.out: list[str] = []
        self.variables: list[tuple[str, Any]] = []
        self.node: Any = None
        self.steps = self.depth = 0

    def run(self, data: Any) -> None:
        """Raises TemplateError."""
        self.variables = [("$", data)]
        self.walk_all(data, self.templates[self.name])

    def fail(self, message: str) -> TemplateError:
        before = self.text[: self.node.pos]
        line, column = 1 + before.count("\n"), len(before.rpartition("\n")[2].encode())
        where = f"{self.name}:{line}:{column}"
        return TemplateError(f"template: {where}: executing {gofmt.quote(self.running)} at <{self.node}>: {message}")

    # -- nodes -------------------------------------------------------------------------------------------------------

    def walk_all(self, dot: Any, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            self.walk(dot, node)

    def walk(self, dot: Any, node: Node) -> None:
        self.node = node
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TemplateError(f"template: {self.name}: labsim stops a template after {MAX_STEPS} steps")
        match node:
            case Text():
                self.out.append(node.text)
            case Action():
                value = self.pipeline(dot, node.pipe)
                if not node.pipe.variables:
                    self.out.append(printed(value))
            case Branch(kind="range"):
                self.range(dot, node)
            case Branch():
                self.choose(dot, node)
            case Jump():
                raise _JumpError(node.kind)
            case Call():
                self.call(dot, node)

    def choose(self, dot: Any, node: Branch) -> None:
        mark = len(self.variables)
        value = self.pipeline(dot, node.pipe)
        if is_true(value):
            self.walk_all(value if node.kind == "with" else dot, node.body)
        elif node.otherwise is not None:
            self.walk_all(dot, node.otherwise)
        del self.variables[mark:]

    def range(self, dot: Any, node: Branch) -> None:
        outer = len(self.variables)
        value = unbox(self.pipeline(dot, node.pipe))
        mark = len(self.variables)
        items: list[tuple[Any, Any]] = []
        if isinstance(value, list):
            items = [(Int(at), Boxed(item)) for at, item in enumerate(value)]
        elif isinstance(value, dict):
            items = [(key, Boxed(value[key])) for key in sorted(value)]
        elif isinstance(value, int) and not isinstance(value, bool):
            if len(node.pipe.variables) > 1:
                raise self.fail(f"can't use {value} to iterate over more than one variable")
            items = [(INVALID, type(value)(at)) for at in range(min(value, MAX_STEPS))]
        elif value is not INVALID:
            raise self.fail(f"range can't iterate over {gofmt.plain(value)}")
        for key, item in items:
            self.bind(node.pipe, key, item, mark)
            try:
                self.walk_all(item, node.body)
            except _JumpError as jump:
                if str(jump) == "break":
                    break
            finally:
                del self.variables[mark:]
        if not items and node.otherwise is not None:
            self.walk_all(dot, node.otherwise)
        del self.variables[outer:]

    def bind(self, pipe: Pipe, key: Any, item: Any, mark: int) -> None:
        names = [variable.names[0] for variable in pipe.variables]
        values = [item] if len(names) == 1 else [key, item]
        for at, (name, value) in enumerate(zip(names, values, strict=False)):
            if pipe.assign:
                self.assign(name, value)
            else:
                self.variables[mark - len(names) + at] = (name, value)

    def call(self, dot: Any, node: Call) -> None:
        body = self.templates.get(node.name)
        if body is None:
            raise self.fail(f"template {gofmt.quote(node.name)} not defined")
        if self.depth == MAX_DEPTH:
            raise self.fail("exceeded maximum template depth (100000)")
        data = INVALID if node.pipe is None else self.pipeline(dot, node.pipe)
        outer = self.running, self.variables
        self.running, self.variables = node.name, [("$", data)]
        self.depth += 1
        self.walk_all(data, body)
        self.depth -= 1
        self.running, self.variables = outer

    def assign(self, name: str, value: Any) -> None:
        for at in range(len(self.variables) - 1, -1, -1):
            if self.variables[at][0] == name:
                self.variables[at] = (name, value)
                return
        raise self.fail(f"undefined variable: {name}")

    # -- values ------------------------------------------------------------------------------------------------------

    def pipeline(self, dot: Any, pipe: Pipe) -> Any:
        self.node = pipe
        value = _NO_FINAL
        for command in pipe.commands:
            value = unbox(self.command(dot, command, value))
        for variable in pipe.variables:
            if pipe.assign:
                self.assign(variable.names[0], value)
            else:
                self.variables.append((variable.names[0], value))
        return value

    def command(self, dot: Any, command: Command, final: Any) -> Any:
        first, args = command.args[0], command.args
        match first:
            case Field():
                self.node = first
                return self.fields(dot, first.names, len(args) > 1 or final is not _NO_FINAL)
            case Chain():
                return self.chain(dot, first, len(args) > 1 or final is not _NO_FINAL)
            case Function():
                return self.function(dot, first, command, args[1:], final)
            case Pipe():
                self.no_arguments(args, final)
                return self.pipeline(dot, first)
            case Variable():
                return self.variable(first, args, final)
        self.node = first
        self.no_arguments(args, final)
        if isinstance(first, Nil):
            raise self.fail("nil is not a command")
        return dot if isinstance(first, Dot) else first.value

    def no_arguments(self, args: tuple[Operand, ...], final: Any) -> None:
        if len(args) > 1 or final is not _NO_FINAL:
            raise self.fail(f"can't give argument to non-function {args[0]}")

    def variable(self, node: Variable, args: tuple[Operand, ...], final: Any) -> Any:
        self.node = node
        value = next(value for name, value in reversed(self.variables) if name == node.names[0])
        if len(node.names) == 1:
            self.no_arguments(args, final)
            return value
        return self.fields(value, node.names[1:], len(args) > 1 or final is not _NO_FINAL)

    def chain(self, dot: Any, node: Chain, arguments: bool) -> Any:
        self.node = node
        if isinstance(node.node, Nil):
            raise self.fail(f"indirection through explicit nil in {node}")
        value = self.argument(dot, node.node)
        return self.fields(value, node.names, arguments)

    def fields(self, value: Any, names: tuple[str, ...], arguments: bool) -> Any:
        for at, name in enumerate(names):
            value = self.field(value, name, arguments and at == len(names) - 1)
        return value

    def field(self, holder: Any, name: str, arguments: bool) -> Any:
        if holder is INVALID:
            if self.missing_is_error:
                raise self.fail(f"nil data; no entry for key {gofmt.quote(name)}")
            return INVALID
        inside = unbox(holder)
        if inside is INVALID:
            raise self.fail(f"nil pointer evaluating {type_name(holder)}.{name}")
        if not isinstance(inside, dict):
            raise self.fail(f"can't evaluate field {name} in type {type_name(holder)}")
        if arguments:
            raise self.fail(f"{name} is not a method but has arguments")
        if name in inside:
            return Boxed(inside[name])
        if self.missing_is_error:
            raise self.fail(f"map has no entry for key {gofmt.quote(name)}")
        return INVALID

    # -- functions ---------------------------------------------------------------------------------------------------

    def function(self, dot: Any, node: Function, shown: Any, args: tuple[Operand, ...], final: Any) -> Any:
        self.node = node
        builtin = BUILTINS[node.name]
        given = len(args) + (final is not _NO_FINAL)
        if given < len(builtin.params) if builtin.rest else given != len(builtin.params):
            least = "at least " if builtin.rest else ""
            got = len(args) if builtin.rest else given
            raise self.fail(f"wrong number of args for {node.name}: want {least}{len(builtin.params)} got {got}")
        if node.name in ("and", "or"):
            return self.decide(dot, node.name, args, final)
        values = [self.passed(self.argument(dot, arg), _type(builtin, at), arg) for at, arg in enumerate(args)]
        if final is not _NO_FINAL:
            values.append(self.passed(final, _type(builtin, len(args)), None))
        try:
            if builtin.run is None:
                raise no_function(str(args[0]) if args else "", values[0])
            return builtin.run(*values)
        except CallError as error:
            self.node = shown
            raise self.fail(f"error calling {node.name}: {error}") from None

    def decide(self, dot: Any, name: str, args: tuple[Operand, ...], final: Any) -> Any:
        value = INVALID
        for arg in args:
            value = self.argument(dot, arg)
            if is_true(value) == (name == "or"):
                return value
        return value if final is _NO_FINAL else final

    def argument(self, dot: Any, node: Operand) -> Any:
        self.node = node
        match node:
            case Dot():
                return dot
            case Nil():
                return INVALID
            case Constant():
                return node.value
            case Field():
                return self.fields(dot, node.names, False)
            case Variable():
                return self.variable(node, (), _NO_FINAL)
            case Pipe():
                return self.pipeline(dot, node)
            case Function():
                return self.function(dot, node, node, (), _NO_FINAL)
            case Chain():
                return self.chain(dot, node, False)

    def passed(self, value: Any, wanted: str, node: Operand | None) -> Any:
        """The argument in the form the function takes it."""
        if wanted == "value":
            return value
        if wanted == "any":
            return as_any(value)
        if isinstance(node, Nil):
            raise self.fail("cannot assign nil to string")
        if isinstance(node, Constant) and not isinstance(node.value, str):
            raise self.fail(f"expected string; found {node}")
        inside = unbox(value)
        if isinstance(inside, str):
            return inside
        if value is INVALID:
            raise self.fail("invalid value; expected string")
        got = type_name(value if inside is INVALID else inside)
        raise self.fail(f"wrong type for value; expected string; got {got}")


def _type(builtin: Builtin, at: int) -> str:
    return builtin.params[at] if at < len(builtin.params) else builtin.rest
