"""The line being typed: readline's everyday keys, history, reverse search. Knows nothing of the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORD = re.compile(r"\w+")


class LineEditor:
    """`text` with `cursor` in characters. `history` holds what was entered, oldest first."""

    def __init__(self, history: list[str]) -> None:
        self.history = history
        self.text = ""
        self.cursor = 0
        self.killed = ""
        self.place = len(history)  # where Up and Down are
        self.kept = ""  # what was typed before Up
        self.search: str | None = None
        self.found = -1

    # Editing

    def insert(self, text: str) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def replace(self, start: int, text: str) -> None:
        """Put `text` where text[start:cursor] is."""
        self.text = self.text[:start] + text + self.text[self.cursor :]
        self.cursor = start + len(text)

    def set(self, text: str) -> None:
        self.text, self.cursor = text, len(text)

    def take(self) -> str:
        """The line is entered (or given up): hand it over and start afresh."""
        text = self.text
        self.set("")
        self.place, self.kept, self.search = len(self.history), "", None
        return text

    def remember(self, text: str) -> None:
        if text.strip() and (not self.history or self.history[-1] != text):
            self.history.append(text)
        self.place = len(self.history)

    def _kill(self, start: int, end: int) -> None:
        self.killed = self.text[start:end]
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def key(self, name: str) -> bool:
        """Do what the key does; False when it is no key of the editor."""
        action = _KEYS.get(name)
        if action is None:
            return False
        action(self)
        return True

    def left(self) -> None:
        self.cursor = max(self.cursor - 1, 0)

    def right(self) -> None:
        self.cursor = min(self.cursor + 1, len(self.text))

    def line_start(self) -> None:
        self.cursor = self.text.rfind("\n", 0, self.cursor) + 1

    def line_end(self) -> None:
        end = self.text.find("\n", self.cursor)
        self.cursor = len(self.text) if end < 0 else end

    def _word_start(self) -> int:
        starts = [m.start() for m in _WORD.finditer(self.text) if m.start() < self.cursor]
        return starts[-1] if starts else 0

    def _word_end(self) -> int:
        return next((m.end() for m in _WORD.finditer(self.text) if m.end() > self.cursor), len(self.text))

    def word_left(self) -> None:
        self.cursor = self._word_start()

    def word_right(self) -> None:
        self.cursor = self._word_end()

    def backspace(self) -> None:
        if self.cursor:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1

    def delete(self) -> None:
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def kill_to_end(self) -> None:
        end = self.text.find("\n", self.cursor)
        self._kill(self.cursor, len(self.text) if end < 0 else end)

    def kill_to_start(self) -> None:
        self._kill(self.text.rfind("\n", 0, self.cursor) + 1, self.cursor)

    def kill_blank_word(self) -> None:
        """Ctrl-W: back to the blank before the word."""
        head = self.text[: self.cursor].rstrip()
        self._kill(max(head.rfind(" "), head.rfind("\n")) + 1 if head else 0, self.cursor)

    def kill_word_left(self) -> None:
        self._kill(self._word_start(), self.cursor)

    def kill_word_right(self) -> None:
        self._kill(self.cursor, self._word_end())

    def yank(self) -> None:
        self.insert(self.killed)

    def last_word(self) -> None:
        """Alt-.: the last word of the line before."""
        if self.history and self.history[-1].split():
            self.insert(self.history[-1].split()[-1])

    # History

    def older(self) -> None:
        """Up; inside a pasted text of several lines it first goes up there."""
        if self._vertical(-1):
            return
        if self.place == len(self.history):
            self.kept = self.text
        if self.place > 0:
            self.place -= 1
            self.set(self.history[self.place])

    def newer(self) -> None:
        if self._vertical(1) or self.place >= len(self.history):
            return
        self.place += 1
        self.set(self.history[self.place] if self.place < len(self.history) else self.kept)

    def _vertical(self, by: int) -> bool:
        lines = self.text.split("\n")
        row = self.text.count("\n", 0, self.cursor)
        if len(lines) == 1 or not 0 <= row + by < len(lines) or self.place < len(self.history):
            return False
        column = self.cursor - (self.text.rfind("\n", 0, self.cursor) + 1)
        self.cursor = sum(len(line) + 1 for line in lines[: row + by]) + min(column, len(lines[row + by]))
        return True

    # Reverse search

    def search_start(self) -> None:
        if self.search is None:
            self.kept, self.search, self.found = self.text, "", len(self.history)
        elif self.search:
            self._search(self.found - 1)

    def search_key(self, name: str, character: str | None) -> bool:
        """A key while searching. False: the search is over and the key still has to do its own work."""
        assert self.search is not None
        if name == "ctrl+r":
            self.search_start()
        elif name in ("ctrl+g", "ctrl+c"):
            self.search = None
            self.set(self.kept)
            self.place = len(self.history)
        elif name == "backspace":
            self.search = self.search[:-1]
            self._search(len(self.history) - 1)
        elif character and character.isprintable():
            self.search += character
            self._search(min(self.found, len(self.history) - 1))
        else:
            self.search = None
            self.place = self.found if 0 <= self.found < len(self.history) else len(self.history)
            return name == "escape"
        return True

    def _search(self, start: int) -> None:
        assert self.search is not None
        for index in range(start, -1, -1):
            position = self.history[index].rfind(self.search)
            if position >= 0:
                self.found, self.text, self.cursor = index, self.history[index], position
                return

    def failed(self) -> bool:
        return self.search is not None and self.search not in self.text


_KEYS: dict[str, Callable[[LineEditor], None]] = {
    "left": LineEditor.left, "ctrl+b": LineEditor.left, "right": LineEditor.right, "ctrl+f": LineEditor.right,
    "home": LineEditor.line_start, "ctrl+a": LineEditor.line_start, "end": LineEditor.line_end,
    "ctrl+e": LineEditor.line_end, "ctrl+left": LineEditor.word_left, "alt+b": LineEditor.word_left,
    "ctrl+right": LineEditor.word_right, "alt+f": LineEditor.word_right, "backspace": LineEditor.backspace,
    "ctrl+h": LineEditor.backspace, "delete": LineEditor.delete, "ctrl+k": LineEditor.kill_to_end,
    "ctrl+u": LineEditor.kill_to_start, "ctrl+w": LineEditor.kill_blank_word,
    "alt+backspace": LineEditor.kill_word_left, "alt+d": LineEditor.kill_word_right, "ctrl+y": LineEditor.yank,
    "alt+full_stop": LineEditor.last_word, "up": LineEditor.older, "ctrl+p": LineEditor.older,
    "down": LineEditor.newer, "ctrl+n": LineEditor.newer, "ctrl+r": LineEditor.search_start,
}  # fmt: skip
