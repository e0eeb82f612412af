"""A lab on disk: a header, then one JSON line an input, each flushed before it takes effect (design.md 8)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

FORMAT = 1
MARK_EVERY = 20
Input = dict[str, Any]
# Every word an input may be. `reply` (to an editor or a question), `interrupt`, `void` and `meanwhile` (an API request
# during a wait) are remarks about the input before them; `mark` carries a state hash, `pass` is time between inputs.
_INPUTS = (
    "line", "edit", "advance", "settle", "api", "exec", "pass", "undo", "redo", "hint", "answer", "submit", "fault",
    "reset",
)  # fmt: skip
REMARKS = ("reply", "interrupt", "void", "meanwhile")
KINDS = frozenset((*_INPUTS, *REMARKS, "mark"))


class RecipeError(Exception):
    """A lab file that cannot be used. One line."""


@dataclass
class Recipe:
    """The header and the inputs so far; with `stream` set, appending also writes."""

    header: dict[str, Any]
    inputs: list[Input] = field(default_factory=list)
    stream: IO[str] | None = None

    def append(self, entry: Input) -> None:
        self.inputs.append(entry)
        if self.stream is not None:
            self.stream.write(_line(entry))
            self.stream.flush()
            os.fsync(self.stream.fileno())

    def save(self, path: Path) -> None:
        """Write everything to `path` (by rename) and go on appending there."""
        self.close()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_name(path.name + ".new")
        with open(temporary, "w", encoding="utf-8", opener=_private) as stream:
            stream.write(_line(self.header))
            stream.writelines(_line(entry) for entry in self.inputs)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        self.stream = path.open("a", encoding="utf-8")

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()
            self.stream = None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _line(entry: Input) -> str:
    # Lone surrogates (bytes that were no UTF-8) survive as \udcXX escapes.
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n"


def load(path: Path) -> Recipe:
    """Read a lab file. A half last line (the process was killed) is dropped; other damage is a RecipeError."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read as a lab file ({error})") from None
    entries: list[Input] = []
    whole = lines[:-1]  # what follows the last newline is half a line
    for number, text in enumerate(whole, 1):
        try:
            entry = json.loads(text)
        except ValueError:
            raise RecipeError(f"{path}:{number}: not a line of a lab file") from None
        if not isinstance(entry, dict) or (number > 1 and entry.get("kind") not in KINDS):
            raise RecipeError(f"{path}:{number}: not an input that this labsim knows")
        entries.append(entry)
    if not entries or entries[0].get("labsim") is None:
        raise RecipeError(f"{path}: not a lab file (its first line must be a labsim header)")
    if entries[0].get("format") != FORMAT:
        raise RecipeError(f"{path}: lab file format {entries[0].get('format')}; this labsim reads format {FORMAT}")
    return Recipe(entries[0], entries[1:])
