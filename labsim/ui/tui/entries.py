"""What can be picked: the last lab, the tickets, a free lab on each world."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from labsim.documents import DocumentError
from labsim.tickets import catalogue
from labsim.tickets.load import instance
from labsim.ui.tui import progress
from labsim.worlds import files

_TITLE = re.compile(r"^title:\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """`kind` is resume, ticket, world or broken; `name` what it is opened by; `seeds` the variants of a ticket, each
    with its own `titles`; `group` the heading it stands under."""

    kind: str
    name: str
    title: str
    facts: str
    seeds: tuple[int, ...] = (1,)
    titles: tuple[str, ...] = ()
    group: str = ""

    def titled(self, variant: int) -> str:
        return self.titles[variant % len(self.titles)] if self.titles else self.title


def entries(packs: str) -> list[Entry]:
    found = []
    last = progress.last()
    if last is not None:
        found.append(Entry("resume", str(last.path), f"Go on with {last.what}", f"left {last.when}"))
    done = progress.tickets()
    for path in catalogue.files(packs):
        found.append(_ticket(path, done))
    for path in sorted(files.FOLDER.glob("*.yaml"), key=lambda p: (p.stem != "dgx-h100-busy", p.stem)):
        title = _TITLE.search(path.read_text("utf-8"))
        found.append(
            Entry(
                "world", path.stem, f"Free lab: {title.group(1) if title else path.stem}", path.stem, group="free labs"
            )
        )
    return found


def _topic(path: Path) -> str:
    """The folder's name without its number: `10-mig` is mig."""
    return re.sub(r"^\d+-", "", path.parent.name)


def _ticket(path: Path, done: dict[str, str]) -> Entry:
    try:
        found = catalogue.compiled(path)
        source, seeds = found["source"], tuple(found["source"]["seeds"]["deployed"])
        titles = tuple(str(instance(found, seed)["title"]) for seed in seeds)
    except DocumentError as error:
        return Entry("broken", str(path), f"[!] {path.stem} cannot be used", str(error), group=_topic(path))
    objectives = ", ".join(f"{o['exam']} {o['objective']}" for o in source["blueprint"]) or "context only"
    minutes = round(source["target_seconds"] / 60)
    facts = f"{done.get(source['id'], progress.NEW)}  {source['level']}, {minutes} min, {objectives}  ({source['id']})"
    return Entry("ticket", source["id"], titles[0], facts, seeds, titles, _topic(path))
