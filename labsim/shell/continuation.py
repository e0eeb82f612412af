"""Is a typed line complete, or does bash ask for more with `> `?"""

from __future__ import annotations

import re

PS2 = "> "
_HEREDOC = re.compile(r"<<(-?)[ \t]*(?:'([^']*)'|\"([^\"]*)\"|\\?([^\s;&|<>()]+))")
_OPEN_END = re.compile(r"(?:&&|\|\||\||\|&)\s*$")
_EARLY = ("unexpected end of file", "unexpected EOF", "unterminated", "unexpected end of input")


def ended_early(error: str) -> bool:
    """Does the parser's error say that the text only stops too soon?"""
    return any(words in error for words in _EARLY)


def _in_arithmetic(before: str) -> bool:
    """Is `<<` here a shift?"""
    return before.count("((") > before.count("))")


def open_construct(text: str) -> bool:
    """An open quote, substitution, array, heredoc, a trailing backslash or operator. Keywords are the parser's part."""
    stack: list[str] = []
    pending: list[tuple[str, bool]] = []  # heredocs whose bodies start at the next newline
    bare: list[str] = []  # text outside quotes and comments, to look at its end
    i, size = 0, len(text)
    while i < size:
        char, top = text[i], stack[-1] if stack else ""
        if top == "'":
            end = text.find("'", i)
            if end < 0:
                return True
            stack.pop()
            i = end + 1
            continue
        if char == "\\":
            if i + 1 == size or text[i + 1 :] == "\n":
                return True
            bare.append("x")
            i += 2
            continue
        two = text[i : i + 2]
        if two in ("$(", "${"):
            stack.append(")" if two == "$(" else "}")
            i += 2
            continue
        if top == '"':
            if char == '"':
                stack.pop()
                bare.append("x")
            elif char == "`":
                stack.append("`")
            i += 1
            continue
        if char == "`":
            if top == "`":
                stack.pop()
                bare.append("x")
            else:
                stack.append("`")
        elif char == '"' or (char == "'" and not (top == "}" and '"' in stack)):
            stack.append(char)
            bare.append("x")
        elif char == "(" and (top == ")" or text[i - 1 : i] == "="):
            stack.append(")")
        elif char == top and char in ")}":
            stack.pop()
            bare.append("x")
        elif char == "#" and (i == 0 or text[i - 1] in " \t\n;&|(") and top != "}":
            end = text.find("\n", i)
            i = size if end < 0 else end
            continue
        elif two == "<<" and text[i : i + 3] != "<<<" and text[i - 1 : i] != "<" and not _in_arithmetic(text[:i]):
            found = _HEREDOC.match(text, i)
            if found:
                word = next(w for w in found.groups()[1:] if w is not None)
                pending.append((word, bool(found.group(1))))
                bare.append("x")
                i = found.end()
                continue
        elif char == "\n" and pending:
            i = _skip_bodies(text, i + 1, pending)
            if i < 0:
                return True
            pending = []
            bare.append("\n")
            continue
        else:
            bare.append(char)
        i += 1
    return bool(stack or pending) or _OPEN_END.search("".join(bare)) is not None


def _skip_bodies(text: str, start: int, pending: list[tuple[str, bool]]) -> int:
    """The position after the last body, or -1 when one does not end."""
    for word, tabs in pending:
        while True:
            if start > len(text):
                return -1
            end = text.find("\n", start)
            line = text[start:] if end < 0 else text[start:end]
            start = len(text) + 1 if end < 0 else end + 1
            if (line.lstrip("\t") if tabs else line) == word:
                break
            if end < 0:
                return -1
    return min(start, len(text))
