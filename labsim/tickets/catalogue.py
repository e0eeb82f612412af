"""Where tickets are found: the shipped folder, `--tickets DIR` and `LABSIM_TICKETS`. Compiled tickets are cached."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from labsim.documents import DocumentError
from labsim.tickets.load import Compiled, compile_ticket, digest

FOLDER = Path(__file__).parents[2] / "tickets"
MAX_FILES = 2_000
FORMAT = 2  # of compiled tickets; raised when compiling changes


def folders(extra: str = "") -> list[Path]:
    """Folders in order of precedence; a later ticket with the same id does not hide an earlier one."""
    named = [extra, *os.environ.get("LABSIM_TICKETS", "").split(os.pathsep)]
    return [FOLDER, *(Path(name) for name in named if name)]


def files(extra: str = "") -> Iterator[Path]:
    """Ticket files, sorted by path. Links are not followed out of a pack."""
    for folder in folders(extra):
        root = folder.resolve()
        found = sorted(p for p in root.rglob("*.yaml") if p.is_file())[:MAX_FILES]
        yield from (p for p in found if p.resolve().is_relative_to(root))


def find(id_or_path: str, extra: str = "") -> Compiled:
    """A ticket by id, or by the path of its file. Raises DocumentError."""
    if id_or_path.endswith((".yaml", ".yml")) or os.sep in id_or_path:
        return compiled(Path(id_or_path))
    known = []
    for path in files(extra):
        if path.stem == id_or_path:
            return compiled(path)
        known.append(path.stem)
    near = ", ".join(sorted(known)[:20])
    raise DocumentError(id_or_path, 0, "", f"the id of a ticket ({near}) or the path of a ticket file")


def compiled(path: Path) -> Compiled:
    """From the cache when the file is unchanged, else compiled and cached (a cache that cannot be used is no error)."""
    from labsim import __version__

    try:
        content = path.read_bytes()
    except OSError as error:
        raise DocumentError(str(path), 0, "", f"a readable file ({error.strerror})") from None
    entry = cache_folder() / f"{digest(content + f'{FORMAT} {__version__} {path}'.encode())}.json"
    try:
        found: Compiled = json.loads(entry.read_text("utf-8"))
        if found["digest"] == digest(content):
            return found
    except (OSError, ValueError, KeyError, TypeError):
        pass
    made = compile_ticket(path)
    if made["source"]["id"] != path.stem:
        raise DocumentError(path.name, 0, "id", f"the file's name ({path.stem}), found {made['source']['id']}")
    try:
        entry.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = entry.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(made), "utf-8")
        temporary.replace(entry)
    except OSError:
        pass
    return made


def cache_folder() -> Path:
    from labsim.paths import cache

    return cache() / "tickets"
