"""The history list and history expansion (`!!`, `!n`, `!text`, `!$`, `^old^new^`), as in bash's manual, section 9.3."""

from __future__ import annotations

import re
from collections.abc import Sequence

from labsim.commands.base import Result


class HistoryError(Exception):
    """The text is bash's, without `bash: `."""


_EVENT = re.compile(r"!(?:(!)|(-?\d+)|\?([^?\n]+)\??|(?=[$^*:])|([^\s!:=(\"'$^*;&|<>]+))")
_WORD = re.compile(r":?([$^*])|:(\d+)(?:-(\d+|\$))?(\*)?")
_MODIFIER = re.compile(r":(p|(g?)s(.)((?:\\.|(?!\3).)*)\3((?:\\.|(?!\3).)*)(?:\3|$))")


def _words(line: str) -> list[str]:
    return re.findall(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s'\"\\])+", line)


def _event(match: re.Match[str], lines: Sequence[str]) -> str:
    shown = match.group(0)
    if match.group(2):
        number = int(match.group(2))
        index = number - 1 if number > 0 else len(lines) + number
        if number == 0 or not 0 <= index < len(lines):
            raise HistoryError(f"{shown}: event not found")
        return lines[index]
    if match.group(3) or match.group(4):
        for line in reversed(lines):
            if match.group(3) in line if match.group(3) else line.startswith(match.group(4)):
                return line
        raise HistoryError(f"{shown}: event not found")
    if not lines:
        raise HistoryError(f"{shown}: event not found")
    return lines[-1]


def _select(line: str, match: re.Match[str], shown: str) -> str:
    words = _words(line)
    name, first, last, rest = match.groups()
    if name == "$":
        return words[-1] if words else ""
    if name == "*":
        return " ".join(words[1:])
    start = 1 if name == "^" else int(first)
    end = start
    if last:
        end = len(words) - 1 if last == "$" else int(last)
    elif rest:
        end = max(len(words) - 1, start - 1)
    if start > len(words) - (0 if rest else 1) or (end >= len(words) and not rest):
        raise HistoryError(f"{shown}: bad word specifier")
    return " ".join(words[start : end + 1])


def expand(text: str, lines: Sequence[str]) -> tuple[str, bool, bool]:
    """(expanded line, was anything expanded, only print it). Raises HistoryError."""
    quick = re.match(r"\^([^^]+)\^([^^\n]*)\^?(.*)", text, re.DOTALL)
    if quick:
        old, new, tail = quick.groups()
        if not lines or old not in lines[-1]:
            raise HistoryError(f":s{text.splitlines()[0]}: substitution failed")
        return lines[-1].replace(old, new, 1) + tail, True, False
    if "!" not in text:
        return text, False, False
    out: list[str] = []
    i, changed, only_print, double = 0, False, False, False
    while i < len(text):
        char = text[i]
        if char == "\\":
            out.append(text[i : i + 2])
            i += 2
            continue
        if char == '"':
            double = not double
        elif char == "'" and not double:
            end = text.find("'", i + 1)
            end = len(text) if end < 0 else end + 1
            out.append(text[i:end])
            i = end
            continue
        match = _EVENT.match(text, i) if char == "!" and text[i - 1 : i] not in ("$", "{", "[") else None
        if match is None:
            out.append(char)
            i += 1
            continue
        line = _event(match, lines)
        i = match.end()
        word = _WORD.match(text, i)
        if word:
            line = _select(line, word, text[i : word.end()])
            i = word.end()
        while modifier := _MODIFIER.match(text, i):
            if modifier.group(1) == "p":
                only_print = True
            else:
                old, new = modifier.group(4), modifier.group(5)
                if old not in line:
                    raise HistoryError(f"{modifier.group(0)}: substitution failed")
                line = line.replace(old, new, -1 if modifier.group(2) else 1)
            i = modifier.end()
        out.append(line)
        changed = True
    return "".join(out), changed, only_print


def builtin(lines: list[str], words: Sequence[str]) -> Result:
    """The builtin `history`: [n] and -c; the others work on a file that the lab does not keep."""
    if words == ["-c"]:
        lines.clear()
        return Result()
    if words and words[0].startswith("-"):
        return Result(stderr=f"labsim: history {words[0]} is not simulated here\n", exit_code=1)
    if words and not words[0].isdigit():
        return Result(stderr=f"bash: history: {words[0]}: numeric argument required\n", exit_code=1)
    if len(words) > 1:
        return Result(stderr="bash: history: too many arguments\n", exit_code=1)
    first = max(len(lines) - int(words[0]), 0) if words else 0
    return Result("".join(f"{number + 1:5}  {lines[number]}\n" for number in range(first, len(lines))))
