"""Tab as bash does it: one candidate is put in, several up to where they agree, a second Tab lists them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

MOST = 100  # candidates listed at once


def common(candidates: Sequence[str]) -> str:
    """What all candidates begin with."""
    first, last = min(candidates), max(candidates)
    same = next((i for i, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
    return first[:same]


def ended(candidate: str) -> str:
    """A finished word is followed by a blank; a folder or `--flag=` goes on."""
    return candidate if candidate.endswith(("/", "=", ":")) else candidate + " "


def columns(candidates: Sequence[str], width: int) -> list[str]:
    """Rows of a listing, filled downwards like `ls`; of paths only the last part is shown."""
    shown = [c.rstrip("/").rpartition("/")[2] + ("/" if c.endswith("/") else "") for c in candidates[:MOST]]
    cell = max(cell_len(name) for name in shown) + 2
    across = max(1, width // cell)
    down = -(-len(shown) // across)
    lines = []
    for row in range(down):
        names = shown[row::down]
        lines.append("".join(name + " " * (cell - cell_len(name)) for name in names).rstrip())
    if len(candidates) > MOST:
        lines.append(f"... and {len(candidates) - MOST} more")
    return lines
