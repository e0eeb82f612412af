"""Which command a line means: cobra's way of finding it among flags and arguments, and the texts when there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import GLOBAL, HELP
from labsim.commands.kubectl.registry import ROOT, Command


@dataclass(frozen=True)
class Found:
    command: Command
    words: list[str]  # flags and arguments that are left
    flags: tuple[Flag, ...]


def flags_of(command: Command) -> tuple[Flag, ...]:
    """Own flags first: a verb's `-s` or `--namespace` hides the global one."""
    own: tuple[Flag, ...] = ()
    if command.played and (not command.children or command.name == "create") and command.words:
        own = command.load().SPEC
    names, shorts = {f.name for f in own}, {f.short for f in own if f.short}
    shared = tuple(f for f in (*GLOBAL, HELP) if f.name not in names and f.short not in shorts)
    return (*own, *shared)


def find(words: Sequence[str]) -> Found:
    """Raises Failure for an unknown command."""
    command, rest = ROOT, list(words)
    flags = flags_of(ROOT)
    while command.children:
        at = first_argument(rest, flags)
        child = command.child(rest[at]) if at is not None else None
        if child is None:
            if at is not None and command is ROOT:
                raise Failure(f'unknown command "{rest[at]}" for "kubectl"{suggestion(rest[at])}')
            if at is not None and not _takes_arguments(command):
                raise UsageFailure(command.path, f'unknown command "{_arguments(rest, flags)}"')
            break
        assert at is not None
        del rest[at]
        command = child
        if not command.played:
            break
        flags = flags_of(command)
    return Found(command, rest, flags)


def _takes_arguments(command: Command) -> bool:
    return command.name == "create" and len(command.words) == 1


def _arguments(words: list[str], flags: Sequence[Flag]) -> str:
    rest, out = list(words), []
    while (at := first_argument(rest, flags)) is not None:
        out.append(rest.pop(at))
    return " ".join(out)


def first_argument(words: Sequence[str], flags: Sequence[Flag]) -> int | None:
    """cobra's stripFlags: an unknown flag is taken to have a value."""
    bare_long = {f.name for f in flags if f.without_value}
    bare_short = {f.short for f in flags if f.short and f.without_value}
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return None
        if word.startswith("--"):
            at += 1 if "=" in word or word[2:] in bare_long else 2
        elif word.startswith("-"):
            at += 2 if "=" not in word and len(word) == 2 and word[1:] not in bare_short else 1
        elif word:
            return at
        else:
            at += 1
    return None


def suggestion(typed: str) -> str:
    """cobra's "Did you mean this?": names at an edit distance of at most 2, or beginning with what was typed."""
    names = [
        child.name
        for child in sorted(ROOT.children, key=lambda c: c.name)
        if distance(typed.lower(), child.name) <= 2 or child.name.startswith(typed.lower())
    ]
    return "\n\nDid you mean this?\n" + "\n".join(f"\t{name}" for name in names) if names else ""


def distance(a: str, b: str) -> int:
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]
