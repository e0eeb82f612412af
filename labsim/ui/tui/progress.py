"""What the kept labs tell: which tickets were begun and handed in, and the lab to go on with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from labsim.ui import keeping

NEW, BEGUN, DONE = "[ ] new", "[~] begun", "[x] handed in"


@dataclass(frozen=True)
class Last:
    """The lab file written to last: what it plays and when it was left (local time, as it is shown)."""

    path: Path
    what: str
    when: str


def tickets() -> dict[str, str]:
    """Ticket -> BEGUN or DONE; a file that cannot be read tells nothing."""
    found: dict[str, str] = {}
    for path in sorted(keeping.folder().glob("*.jsonl")):
        header, handed_in = _read(path)
        ticket = header.get("ticket")
        if ticket:
            name = Path(str(ticket)).stem
            found[name] = DONE if handed_in or found.get(name) == DONE else BEGUN
    return found


def last() -> Last | None:
    path = keeping.latest()
    if path is None:
        return None
    header, _ = _read(path)
    what = header.get("ticket") or header.get("world")
    if not what:
        return None
    when = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    return Last(path, Path(str(what)).stem, when)


def _read(path: Path) -> tuple[dict[str, str | None], bool]:
    try:
        with path.open(encoding="utf-8") as stream:
            header = json.loads(stream.readline() or "{}")
            handed_in = any(line.startswith('{"kind":"submit"') for line in stream)
    except (OSError, ValueError):
        return {}, False
    return (header if isinstance(header, dict) else {}), handed_in
