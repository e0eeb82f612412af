"""Where labs are kept while people work: one file of inputs a lab, under the user's data folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from labsim.lab import Lab
from labsim.paths import data


def folder() -> Path:
    return data() / "labs"


def keep(lab: Lab) -> Path | None:
    """Begin to save this lab; None (and the reason in `lab.resumed`) when the folder cannot be written."""
    name = lab.recipe.header["ticket"] or lab.recipe.header["world"]
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    path = folder() / f"{stamp}-{Path(str(name)).stem}.jsonl"
    try:
        lab.save(path)
    except OSError as error:
        lab.resumed = f"this lab is not saved: {error.strerror}"
        return None
    return path


def latest() -> Path | None:
    """The lab file that was written to last."""
    found = sorted(folder().glob("*.jsonl"), key=lambda p: (p.stat().st_mtime, p.name))
    return found[-1] if found else None
