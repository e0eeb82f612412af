"""Option words of coreutils-like programs: short clusters, long names, `--`; texts as getopt_long prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from labsim.commands.base import Context


class Usage(Exception):
    """A wrong option; the text is what GNU programs print on stderr, the exit code is the program's."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


@dataclass
class Words:
    """`options`: option letter or long name -> its last value ("" for one without)."""

    options: dict[str, str] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)

    def __contains__(self, name: str) -> bool:
        return name in self.options


def parse(
    name: str, words: Sequence[str], spec: str, long: dict[str, str] | None = None, *, code: int = 1, stop: bool = False
) -> Words:
    """`spec` as for getopt ("ab:": b takes a value). `long`: name or name= -> the letter (or key) it stands for.

    `stop`: the first word that is no option ends them (programs that run another). Raises Usage.
    """
    found = Words()
    names = long or {}
    tail = f"Try '{name} --help' for more information.\n"
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if word == "--":
            found.rest += words[i:]
            break
        if word.startswith("--"):
            key, equals, value = word[2:].partition("=")
            matches = [n for n in names if n.rstrip("=") == key] or [n for n in names if n.startswith(key)]
            if len(matches) != 1:
                raise Usage(f"{name}: unrecognized option '{word}'\n{tail}", code)
            letter = names[matches[0]]
            if matches[0].endswith("="):
                if not equals:
                    if i >= len(words):
                        raise Usage(f"{name}: option '--{matches[0][:-1]}' requires an argument\n{tail}", code)
                    value = words[i]
                    i += 1
            elif equals:
                raise Usage(f"{name}: option '--{matches[0]}' doesn't allow an argument\n{tail}", code)
            found.options[letter] = value
        elif word.startswith("-") and len(word) > 1:
            for at, letter in enumerate(word[1:], 1):
                where = spec.find(letter)
                if where < 0 or letter == ":":
                    raise Usage(f"{name}: invalid option -- '{letter}'\n{tail}", code)
                if spec[where + 1 : where + 2] != ":":
                    found.options[letter] = ""
                    continue
                value = word[at + 1 :]
                if not value:
                    if i >= len(words):
                        raise Usage(f"{name}: option requires an argument -- '{letter}'\n{tail}", code)
                    value = words[i]
                    i += 1
                found.options[letter] = value
                break
        elif stop:
            found.rest += words[i - 1 :]
            break
        else:
            found.rest.append(word)
    return found


def unplayed(found: Words, played: Sequence[str]) -> str:
    """The first option given that the lab does not play, as typed (`-i`, `--since`); "" when there is none."""
    return next((("-" if len(key) == 1 else "--") + key for key in found.options if key not in played), "")


def reason(error: OSError) -> str:
    return error.strerror or str(error)


def extra(ctx: Context, operand: str) -> int:
    ctx.err(f"{ctx.name}: extra operand ‘{operand}’\nTry '{ctx.name} --help' for more information.\n")
    return 1
