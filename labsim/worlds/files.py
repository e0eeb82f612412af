"""Where world files are and which files a world consists of. Reads them as plain bytes, without a YAML parser."""

from __future__ import annotations

import re
from pathlib import Path

from labsim.documents import DocumentError

FOLDER = Path(__file__).parents[2] / "world"
# `extends: other` at the left margin; the schema refuses any other way of writing it.
_EXTENDS = re.compile(rb"^extends:[ \t]*([A-Za-z0-9_.\-/]+)[ \t]*(?:#.*)?$", re.MULTILINE)
_CHART = re.compile(rb"^[ \t]*-?[ \t]*chart:[ \t]*([A-Za-z0-9_.\-/]+)[ \t]*(?:#.*)?$", re.MULTILINE)
MAX_CHAIN = 8


def locate(name_or_path: str) -> Path:
    """A path as it is, a name as a file of the world folder. Raises DocumentError."""
    if name_or_path.endswith((".yaml", ".yml")) or "/" in name_or_path:
        path = Path(name_or_path)
        if not path.is_file():
            raise DocumentError(name_or_path, 0, "", "an existing world file")
        return path
    path = FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.yaml")))
        raise DocumentError(name_or_path, 0, "", f"the name of a world ({known}) or the path of a world file")
    return path


def chain(name_or_path: str) -> list[Path]:
    """The file and those it extends, the base last. Raises DocumentError."""
    found = [locate(name_or_path)]
    while True:
        path = found[-1]
        match = _EXTENDS.search(_read(path))
        if match is None:
            return found
        base = match.group(1).decode()
        beside = path.parent / f"{base}.yaml"
        following = beside if beside.is_file() else locate(base)
        if following.resolve() in [p.resolve() for p in found]:
            raise DocumentError(path.name, 0, "extends", "a world that does not extend this one in turn")
        if len(found) == MAX_CHAIN:
            raise DocumentError(path.name, 0, "extends", f"a chain of at most {MAX_CHAIN} worlds")
        found.append(following)


def charts(path: Path) -> list[Path]:
    """The chart files that a world file names."""
    return [chart_file(match.decode(), path) for match in _CHART.findall(_read(path))]


def chart_file(name: str, world: Path) -> Path:
    """Charts lie in `charts/` beside the world file, else in the shipped folder."""
    beside = world.parent / "charts" / f"{name}.yaml"
    return beside if beside.is_file() else FOLDER / "charts" / f"{name}.yaml"


def everything(name_or_path: str) -> list[Path]:
    """All files that decide what the world looks like, in a fixed order."""
    worlds = chain(name_or_path)
    found = [*worlds, *(chart for world in worlds for chart in charts(world))]
    return [*found, *sorted((FOLDER / "lifecycle").glob("*.yaml"))]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(str(path), 0, "", f"a readable file ({error.strerror})") from None
