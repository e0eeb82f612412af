"""Tokens to nodes, with the error texts of text/template/parse."""

from __future__ import annotations

import re
from collections.abc import Container

from labsim.kube.gofmt import quote, unquote
from labsim.kube.gotemplate.lexer import Lexer, Token
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
from labsim.kube.gotemplate.values import Int

_OPERANDS = frozenset(["bool", "rune", "dot", "field", "id", "number", "nil", "raw", "string", "variable", "("])
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
Body = tuple[Node, ...]


class Parser:
    def __init__(self, name: str, text: str, functions: Container[str]) -> None:
        self.name, self.functions = name, functions
        self.tokens = Lexer(text).run()
        self.at = 0
        self.action_line = 0
        self.variables = ["$"]
        self.ranges = 0
        self.templates: dict[str, Body] = {}

    def parse(self) -> dict[str, Body]:
        """The bodies of all templates in the text by name. Raises TemplateError."""
        body: list[Node] = []
        while self.peek().kind != "eof":
            if self.peek().kind == "left" and self.after_space(self.at + 1).kind == "define":
                self.next()
                self.next_word()
                self.define()
                continue
            node = self.text_or_action()
            if isinstance(node, str):
                self.fail(f"unexpected {{{{{node}}}}}")
            elif node is not None:
                body.append(node)
        self.add(self.name, tuple(body))
        return self.templates

    # -- tokens ------------------------------------------------------------------------------------------------------

    def peek(self) -> Token:
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def after_space(self, at: int) -> Token:
        at = min(at, len(self.tokens) - 1)
        return self.tokens[at + 1] if self.tokens[at].kind == "space" else self.tokens[at]

    def peek_word(self) -> Token:
        if self.peek().kind == "space":
            self.at += 1
        return self.peek()

    def next_word(self) -> Token:
        self.peek_word()
        return self.next()

    def fail(self, message: str) -> None:
        line = self.tokens[min(max(self.at - 1, 0), len(self.tokens) - 1)].line
        raise TemplateError(f"template: {self.name}:{line}: {message}")

    def unexpected(self, token: Token, context: str) -> None:
        if token.kind != "error":
            self.fail(f"unexpected {token} in {context}")
        extra = ""
        if self.action_line not in (0, token.line):
            extra = f" in action started at {self.name}:{self.action_line}"
            if token.text.endswith(" action"):
                extra = extra.removeprefix(" in action")
        self.fail(f"{token}{extra}")

    def expect(self, kind: str, context: str) -> Token:
        token = self.next_word()
        if token.kind != kind:
            self.unexpected(token, context)
        return token

    # -- actions -----------------------------------------------------------------------------------------------------

    def text_or_action(self) -> Node | str | None:
        """A node; "end" or "else"; None for what leaves nothing."""
        token = self.next_word()
        if token.kind == "text":
            return Text(token.pos, token.text)
        if token.kind != "left":
            self.unexpected(token, "input")
        self.action_line = token.line
        node = self.action()
        self.action_line = 0
        return node

    def action(self) -> Node | str | None:
        token = self.next_word()
        match token.kind:
            case "if" | "with" | "range":
                return self.branch(token)
            case "end":
                self.expect("right", "end")
                return "end"
            case "else":
                if self.peek_word().kind not in ("if", "with"):
                    self.expect("right", "else")
                return "else"
            case "break" | "continue":
                after = self.next_word()
                if after.kind != "right":
                    self.unexpected(after, f"{{{{{token.kind}}}}}")
                if not self.ranges:
                    self.fail(f"{{{{{token.kind}}}}} outside {{{{range}}}}")
                return Jump(token.pos, token.kind)
            case "template":
                return self.call("template clause")
            case "block":
                return self.block()
        self.at -= 1
        return Action(token.pos, self.pipeline("command", "right"))

    def branch(self, token: Token) -> Branch:
        kept = len(self.variables)
        pipe = self.pipeline(token.kind, "right")
        self.ranges += token.kind == "range"
        body, end = self.body()
        self.ranges -= token.kind == "range"
        otherwise: Body | None = None
        if end == "else":
            if token.kind != "range" and self.peek().kind == token.kind:
                # one end closes the whole chain
                inner = self.next()
                otherwise = (self.branch(inner),)
            else:
                otherwise, end = self.body()
                if end != "end":
                    self.fail(f"expected end; found {{{{{end}}}}}")
        del self.variables[kept:]
        return Branch(token.pos, token.kind, pipe, body, otherwise)

    def body(self) -> tuple[Body, str]:
        found: list[Node] = []
        while self.peek_word().kind != "eof":
            node = self.text_or_action()
            if isinstance(node, str):
                return tuple(found), node
            if node is not None:
                found.append(node)
        self.fail("unexpected EOF")
        raise AssertionError

    def call(self, context: str) -> Call:
        named = self.next_word()
        if named.kind not in ("string", "raw"):
            self.unexpected(named, context)
        pipe = None
        if self.peek_word().kind == "right":
            self.next()
        else:
            pipe = self.pipeline(context, "right")
        return Call(named.pos, str(self.string(named).value), pipe)

    def block(self) -> Call:
        call = self.call("block clause")
        outer, self.variables = self.variables, ["$"]
        body, end = self.body()
        if end != "end":
            self.fail(f"unexpected {{{{{end}}}}} in block clause")
        self.variables = outer
        self.add(call.name, body)
        return call

    def define(self) -> None:
        context = "define clause"
        named = self.next_word()
        if named.kind not in ("string", "raw"):
            self.unexpected(named, context)
        self.expect("right", context)
        outer, self.variables = self.variables, ["$"]
        body, end = self.body()
        if end != "end":
            self.fail(f"unexpected {{{{{end}}}}} in {context}")
        self.variables = outer
        self.add(str(self.string(named).value), body)

    def add(self, name: str, body: Body) -> None:
        """An empty body never replaces another."""
        known = self.templates.get(name)
        if known is None or _is_empty(known):
            self.templates[name] = body
        elif not _is_empty(body):
            self.fail(f"template: multiple definition of template {quote(name)}")

    # -- pipelines ---------------------------------------------------------------------------------------------------

    def pipeline(self, context: str, end: str) -> Pipe:
        pos = self.peek_word().pos
        variables, assign = self.declarations(context)
        commands: list[Command] = []
        while True:
            token = self.next_word()
            if token.kind == end:
                break
            if token.kind not in _OPERANDS:
                self.unexpected(token, context)
            self.at -= 1
            commands.append(self.command())
        if not commands:
            self.fail(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.args[0], Constant | Dot | Nil):
                self.fail(f"non executable command in pipeline stage {stage}")
        return Pipe(pos, tuple(variables), assign, tuple(commands))

    def declarations(self, context: str) -> tuple[list[Variable], bool]:
        found: list[Variable] = []
        while self.peek_word().kind == "variable":
            back = self.at
            token = self.next()
            following = self.peek_word()
            comma = following.kind == "char" and following.text == ","
            if following.kind not in ("=", ":=") and not comma:
                self.at = back
                break
            self.next()
            found.append(Variable(token.pos, (token.text,)))
            self.variables.append(token.text)
            if not comma:
                return found, following.kind == "="
            if context != "range" or len(found) > 1:
                self.fail(f"too many declarations in {context}")
            if self.peek_word().kind not in ("variable", "right", ")"):
                self.fail("range can only initialize variables")
        return found, False

    def command(self) -> Command:
        pos = self.peek_word().pos
        args: list[Operand] = []
        while True:
            self.peek_word()
            operand = self.operand()
            if operand is not None:
                args.append(operand)
            token = self.next()
            if token.kind == "space":
                continue
            if token.kind in ("right", ")"):
                self.at -= 1
            elif token.kind != "|":
                self.unexpected(token, "operand")
            break
        if not args:
            self.fail("empty command")
        return Command(pos, tuple(args))

    def operand(self) -> Operand | None:
        node = self.term()
        if node is None or self.peek().kind != "field":
            return node
        pos, names = self.peek().pos, []
        while self.peek().kind == "field":
            names.append(self.next().text[1:])
        if isinstance(node, Field):
            return Field(pos, (*node.names, *names))
        if isinstance(node, Variable):
            return Variable(pos, (*node.names, *names))
        if isinstance(node, Constant | Dot | Nil):
            self.fail(f"unexpected . after term {quote(str(node))}")
        return Chain(pos, node, tuple(names))

    def term(self) -> Operand | None:
        token = self.next_word()
        match token.kind:
            case "id":
                if token.text not in self.functions:
                    self.fail(f"function {quote(token.text)} not defined")
                return Function(token.pos, token.text)
            case "dot":
                return Dot(token.pos)
            case "nil":
                return Nil(token.pos)
            case "variable":
                if token.text not in self.variables:
                    self.fail(f"undefined variable {quote(token.text)}")
                return Variable(token.pos, (token.text,))
            case "field":
                return Field(token.pos, (token.text[1:],))
            case "bool":
                return Constant(token.pos, token.text, token.text == "true")
            case "number" | "rune":
                return self.number(token)
            case "string" | "raw":
                return self.string(token)
            case "(":
                return self.pipeline("parenthesized pipeline", ")")
        self.at -= 1
        return None

    def string(self, token: Token) -> Constant:
        if token.kind == "raw":
            return Constant(token.pos, token.text, token.text[1:-1].replace("\r", ""))
        try:
            return Constant(token.pos, token.text, unquote(token.text[1:-1], '"'))
        except ValueError:
            self.fail("invalid syntax")
            raise AssertionError from None

    def number(self, token: Token) -> Constant:
        text = token.text
        if token.kind == "rune":
            try:
                value = unquote(text[1:-1], "'")
            except ValueError:
                value = ""
            if len(value) != 1:
                self.fail(f"malformed character constant: {text}" if text[1:-1] else "invalid syntax")
            return Constant(token.pos, text, Int(ord(value)))
        try:
            number = int(text, 8 if re.fullmatch("[+-]?0[0-7_]+", text) else 0)
        except ValueError:
            if not _FLOAT.fullmatch(text) or abs(float(text)) == float("inf"):
                self.fail(f"illegal number syntax: {quote(text)}")
            return Constant(token.pos, text, float(text))
        if not -(2**63) <= number < 2**63:
            self.fail(f"integer overflow: {quote(text)}")
        return Constant(token.pos, text, Int(number))


def _is_empty(body: Body) -> bool:
    return all(isinstance(node, Text) and not node.text.strip() for node in body)
