"""Tab: program names for a first word, a program's own candidates, file names otherwise."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from labsim.commands import registry
from labsim.commands.base import Context
from labsim.shell.host import NATIVE
from labsim.shell.services import LineServices

if TYPE_CHECKING:
    from labsim.shell.shell import Shell

BUILTINS = tuple(
    """alias bg break cd command continue declare echo eval exec exit export false fg getopts hash help history jobs let
    local logout mapfile popd printf pushd pwd read readonly return set shift shopt source test times trap true type
    ulimit umask unalias unset wait if then else elif fi for while until do done case esac function select
    time""".split()
)
_SPECIAL = re.compile(r"([\s'\"\\$&|;<>()*?!`\[\]{}#~])")


class Completer(Protocol):
    """What the faces need of a completer."""

    def complete(self, text: str, cursor: int) -> Completion: ...


@dataclass(frozen=True)
class Completion:
    """`candidates` replace text[start:cursor]. A candidate that ends in `/` or `=` wants no blank after it."""

    start: int
    candidates: tuple[str, ...] = ()


def _split(text: str) -> tuple[list[str], int, str]:
    """(words of the last command before the cursor, where the last word starts, its open quote)."""
    words: list[str] = []
    word, start, quote, i, begun = "", 0, "", 0, False
    while i < len(text):
        char = text[i]
        if quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char == "\\" and i + 1 < len(text):
            if not begun:
                start, begun = i, True
            word += text[i + 1]
            i += 1
        elif char in "'\"":
            if not begun:
                start, begun = i, True
            quote = char
        elif char in " \t\n":
            if begun:
                words.append(word)
            word, begun = "", False
        elif char in "|;&(" or text[i : i + 1] == "`":
            words, word, begun = [], "", False
        elif char in "<>":
            words.append(char)
            word, begun = "", False
        else:
            if not begun:
                start, begun = i, True
            word += char
        i += 1
    if not begun:
        start = len(text)
    return [*words, word], start, quote


def complete(shell: Shell, text: str, cursor: int) -> Completion:
    words, start, quote = _split(text[:cursor])
    while len(words) > 1 and (re.fullmatch(r"\w+=.*", words[0]) or words[0] in ("sudo", "watch", "time", "command")):
        words.pop(0)
    current = words[-1]
    if len(words) == 1 and "/" not in current:
        return Completion(start, tuple(_programs(shell, current)))
    name = shell.session.aliases.get(words[0], words[0]).split()
    program = registry.completer(name[0]) if name and words[-2:-1] not in (["<"], [">"]) else None
    if program is not None:
        argv = [*name, *words[1:]]
        found = program(_context(shell, argv), argv, len(argv) - 1)
        if found:
            return Completion(start, tuple(sorted(set(found))))
    return Completion(start, tuple(_files(shell, current, quote)))


def _programs(shell: Shell, current: str) -> list[str]:
    known = {*NATIVE, *registry.PROGRAMS, *BUILTINS, *shell.session.aliases, *shell.session.kept.functions}
    return sorted(name for name in known if name.startswith(current))


def _context(shell: Shell, argv: list[str]) -> Context:
    session = shell.session
    return Context(
        argv=tuple(argv),
        fs=shell.view(),
        client=session.client,
        services=LineServices(shell, live=False, background=False),
        env={"HOME": session.spec.home},
        cwd=session.engine.cwd,
        host=session.spec.host,
        user=session.spec.user,
    )


def _files(shell: Shell, current: str, quote: str) -> list[str]:
    folder, name = posixpath.split(current)
    path = folder or "."
    if path == "~" or path.startswith("~/"):
        path = shell.session.spec.home + path[1:]
    fs = shell.view()
    try:
        entries = fs.listdir(path)
    except OSError:
        return []
    out = []
    for entry in entries:
        if not entry.startswith(name) or (entry.startswith(".") and not name.startswith(".")):
            continue
        shown = posixpath.join(folder, entry) + ("/" if fs.is_dir(posixpath.join(path, entry)) else "")
        out.append(quote + shown if quote else _SPECIAL.sub(r"\\\1", shown) if not shown.startswith("~") else shown)
    return out
