"""Text to tokens, as text/template/parse cuts it."""

from __future__ import annotations

import re
from typing import NamedTuple

from labsim.kube.gofmt import quote

KEYWORDS = frozenset(["break", "continue", "define", "else", "end", "if", "range", "template", "with", "block"])
_SPACE = " \t\r\n"
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?"
    r"|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?",
    re.ASCII,
)


class Token(NamedTuple):
    """`kind`: text, left, right, space, char, =, :=, |, (, ), string, raw, rune, number, bool, id, field, variable,
    dot, nil, a keyword, eof or error."""

    kind: str
    pos: int
    text: str
    line: int

    def __str__(self) -> str:
        if self.kind == "eof":
            return "EOF"
        if self.kind == "error":
            return self.text
        if self.kind in KEYWORDS or self.kind in ("dot", "nil"):
            return f"<{self.text}>"
        return f"{quote(self.text[:10])}..." if len(self.text) > 10 else quote(self.text)


class _BadError(Exception):
    pass


class Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self.start = 0
        self.tokens: list[Token] = []

    def run(self) -> list[Token]:
        """All tokens; the last one is eof or error."""
        try:
            while self.literal():
                self.inside()
            self.emit("eof")
        except _BadError as bad:
            self.tokens.append(self.token("error", str(bad)))
        return self.tokens

    def token(self, kind: str, text: str) -> Token:
        return Token(kind, self.start, text, 1 + self.text.count("\n", 0, self.start))

    def emit(self, kind: str) -> None:
        self.tokens.append(self.token(kind, self.text[self.start : self.at]))
        self.start = self.at

    def literal(self) -> bool:
        """Text up to the next action, over any comments. False at the end."""
        while True:
            found = self.text.find("{{", self.at)
            self.at = len(self.text) if found < 0 else found
            trim = self.text[self.at + 2 : self.at + 3] == "-" and self.text[self.at + 3 : self.at + 4] in tuple(_SPACE)
            end = self.at
            if found >= 0 and trim:
                self.at = self.start + len(self.text[self.start : end].rstrip(_SPACE))
            if self.at > self.start:
                self.emit("text")
            self.start = self.at = end
            if found < 0:
                return False
            after = end + 2 + (2 if trim else 0)
            if not self.text.startswith("/*", after):
                self.at = end + 2
                self.emit("left")
                self.start = self.at = after
                return True
            self.comment(after)

    def comment(self, at: int) -> None:
        self.start = at
        end = self.text.find("*/", at + 2)
        if end < 0:
            raise _BadError("unclosed comment")
        self.at = end + 2
        if not self.closes():
            raise _BadError("comment ends before closing delimiter")
        self.close()

    def closes(self) -> bool:
        return self.text.startswith("}}", self.at) or self.trims()

    def trims(self) -> bool:
        """At ` -}}`."""
        return self.text[self.at : self.at + 1] in tuple(_SPACE) and self.text.startswith("-}}", self.at + 1)

    def close(self) -> None:
        """Over the right delimiter and, if it says so, the blanks behind it."""
        trim = self.trims()
        self.at += 4 if trim else 2
        while trim and self.text[self.at : self.at + 1] in tuple(_SPACE):
            self.at += 1
        self.start = self.at

    def inside(self) -> None:
        depth = 0
        while not self.closes():
            char = self.text[self.at : self.at + 1]
            if not char:
                raise _BadError("unclosed action")
            if char in _SPACE:
                self.space()
                continue
            self.at += 1
            if char == "(":
                depth += 1
                self.emit("(")
            elif char == ")":
                depth -= 1
                if depth < 0:
                    raise _BadError("unexpected right paren")
                self.emit(")")
            elif char in "=|":
                self.emit(char)
            elif char == ":":
                if self.text[self.at : self.at + 1] != "=":
                    raise _BadError("expected :=")
                self.at += 1
                self.emit(":=")
            else:
                self.operand(char)
        if depth:
            raise _BadError("unclosed left paren")
        trim = self.trims()
        if trim:
            self.at += 2
            self.start = self.at
        self.at += 2
        self.emit("right")
        while trim and self.text[self.at : self.at + 1] in tuple(_SPACE):
            self.at += 1
        self.start = self.at

    def space(self) -> None:
        while self.text[self.at : self.at + 1] in tuple(_SPACE) and not self.trims():
            self.at += 1
        if self.at > self.start:
            self.emit("space")

    def operand(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char in "\"'`":
            self.quoted(char)
        elif char == "$" or (char == "." and following and following not in "0123456789"):
            self.name(char)
        elif char in "+-." or "0" <= char <= "9":
            self.number()
        elif _is_word(char):
            self.word()
        elif char.isascii() and char.isprintable():
            self.emit("char")
        else:
            shown = f" '{char}'" if char.isprintable() else ""
            raise _BadError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def quoted(self, mark: str) -> None:
        what = {'"': "quoted string", "'": "character constant", "`": "raw quoted string"}[mark]
        while True:
            char = self.text[self.at : self.at + 1]
            if mark != "`" and char == "\\" and self.text[self.at + 1 : self.at + 2] not in ("", "\n"):
                self.at += 2
                continue
            if not char or (mark != "`" and char in "\n\\"):
                raise _BadError(f"unterminated {what}")
            self.at += 1
            if char == mark:
                return self.emit({'"': "string", "'": "rune", "`": "raw"}[mark])

    def name(self, char: str) -> None:
        """A field or a variable; a lone dot or dollar."""
        while _is_word(self.text[self.at : self.at + 1]):
            self.at += 1
        self.terminated()
        if self.at == self.start + 1:
            self.emit("dot" if char == "." else "variable")
        else:
            self.emit("field" if char == "." else "variable")

    def number(self) -> None:
        self.at = self.start
        found = _NUMBER.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        if _is_word(self.text[self.at : self.at + 1]):
            self.at += 1
            raise _BadError(f"bad number syntax: {quote(self.text[self.start : self.at])}")
        self.emit("number")

    def word(self) -> None:
        while _is_word(self.text[self.at : self.at + 1]):
            self.at += 1
        self.terminated()
        word = self.text[self.start : self.at]
        if word in KEYWORDS or word == "nil":
            self.emit(word)
        else:
            self.emit("bool" if word in ("true", "false") else "id")

    def terminated(self) -> None:
        char = self.text[self.at : self.at + 1]
        if char and char not in _SPACE + ".,|:)(" and not self.text.startswith("}}", self.at):
            shown = f" '{char}'" if char.isprintable() else ""
            raise _BadError(f"bad character U+{ord(char):04X}{shown}")


def _is_word(char: str) -> bool:
    return char == "_" or char.isalpha() or char.isdecimal()
