"""The typed line as rows of the screen, with the place of the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from labsim.ui.tui.rows import wrap


@dataclass(frozen=True)
class PromptRows:
    """`texts` are rows; the cursor is before character `column` of row `row`; `lead` characters are the prompt's."""

    texts: list[str]
    row: int
    column: int
    lead: int


def visible(text: str) -> str:
    """Character for character, with control characters shown as their pictures, so that the cursor stays right."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else _picture(c) for c in text)


def _picture(char: str) -> str:
    if char == "\t":
        return " "
    return chr(0x2400 + ord(char)) if ord(char) < 0x20 else "\N{REPLACEMENT CHARACTER}"


def layout(prompt: str, text: str, cursor: int, width: int) -> PromptRows:
    lead = prompt.rpartition("\n")[2]
    whole = visible(lead + text)
    place = len(lead) + cursor
    texts: list[str] = []
    row = column = 0
    start = 0
    for line in whole.split("\n"):
        parts = wrap(line, width)
        offset = start
        for part in parts:
            if offset <= place <= offset + len(part):
                row, column = len(texts), place - offset
            texts.append(part)
            offset += len(part)
        # A cursor behind the last cell of a full row stands on the next one.
        if place == offset and cell_len(parts[-1]) >= width:
            texts.append("")
            row, column = len(texts) - 1, 0
        start += len(line) + 1
    return PromptRows(texts, row, column, len(lead))
