"""Built worlds on disk: one JSON file a world, seed and state of the sources. Needs neither pydantic nor a YAML parser.

A file is a header line and a body line. The header holds the digest of the body, so a damaged file is seen and built
again; a folder that cannot be written to is done without. `LABSIM_CACHE` names another folder, or `off`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from json import JSONDecodeError, dumps, loads
from pathlib import Path
from typing import Any

from labsim import paths
from labsim.kube.cluster import Cluster
from labsim.worlds import files

FORMAT = 1
PACKAGE = Path(__file__).parents[1]
# The parts whose code decides what a built world looks like.
_PARTS = ("sim", "kube", "hardware", "controllers", "scheduler", "kubelet", "operators", "worlds")


@dataclass(frozen=True)
class Settings:
    """What a lab takes from a world beside its objects. `start` and `step` in ms."""

    name: str
    title: str
    description: str
    start: int
    step: int
    host: str
    user: str
    version: str
    api: str
    nodes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Built:
    """A world as data; its objects are shared by all clusters opened from it and never changed."""

    settings: Settings
    revision: int
    objects: dict[str, list[dict[str, Any]]]
    timers: list[list[Any]]


_opened: dict[str, Built] = {}


def open_world(name_or_path: str, seed: int, start: int | None = None, *, freeze_objects: bool = False) -> Cluster:
    return opened(name_or_path, seed, start, freeze_objects=freeze_objects)[0]


def opened(
    name_or_path: str, seed: int, start: int | None = None, *, freeze_objects: bool = False
) -> tuple[Cluster, Settings]:
    """A cluster and its settings; the sources are looked at once for both."""
    found = built(name_or_path, seed)
    cluster = restore(found, seed, freeze_objects)
    if start is not None and start != found.settings.start:
        _move(cluster, start - found.settings.start)
    return cluster, found.settings


def settings(name_or_path: str, seed: int) -> Settings:
    return built(name_or_path, seed).settings


def built(name_or_path: str, seed: int) -> Built:
    """From this process, else from the cache folder, else built now."""
    key = fingerprint(name_or_path, seed)
    found = _opened.get(key)
    if found is None:
        folder = cache_folder()
        path = folder / f"{files.locate(name_or_path).stem}-{seed}-{key[:20]}.json" if folder is not None else None
        found = _read(path, key) if path is not None else None
        if found is None:
            found = _build(name_or_path, seed)
            if path is not None:
                _write(path, key, found)
        _opened[key] = found
    return found


def fingerprint(name_or_path: str, seed: int) -> str:
    """Changes with the content of the world's files, the seed, labsim's version and its sources."""
    from labsim import __version__

    digest = blake2b(digest_size=20)
    digest.update(f"{FORMAT} {__version__} {seed}\n".encode())
    for path in files.everything(name_or_path):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    for part in _PARTS:
        for entry in sorted((PACKAGE / part).rglob("*.py")):
            stat = entry.stat()
            digest.update(f"{entry.relative_to(PACKAGE)} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def cache_folder() -> Path | None:
    """The user's cache folder of labsim (0700), or None when there can be none."""
    chosen = os.environ.get("LABSIM_CACHE", "")
    if chosen == "off":
        return None
    folder = Path(chosen) if chosen else paths.cache() / "worlds"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


# -- a built world as data and back ------------------------------------------------------------------------------------


def _build(name_or_path: str, seed: int) -> Built:
    from labsim.sim.clock import parse_time
    from labsim.worlds.build import build
    from labsim.worlds.schema import duration

    cluster, world = build(name_or_path, seed)
    found = Settings(
        name=world.name,
        title=world.title,
        description=" ".join(world.description.split()),
        start=parse_time(world.start),
        step=duration(world.step),
        host=world.admin.host,
        user=world.admin.user,
        version=world.kubernetes.version,
        api=world.kubernetes.api,
        nodes=[name for nodes in world.nodes for name in nodes.names],
    )
    return capture(cluster, found)


def capture(cluster: Cluster, found: Settings) -> Built:
    """The state of a quiet cluster. It goes through JSON, so that a world just built equals one from the cache."""
    body = loads(dumps([cluster.journal.revision, cluster.store.dump(), cluster.timers.dump()]))
    return Built(found, *body)


def restore(found: Built, seed: int, freeze_objects: bool = False) -> Cluster:
    """A cluster with this state, independent of all others."""
    from labsim.worlds.assemble import assemble

    cluster = assemble(seed, found.settings.start, freeze_objects)
    cluster.load(found.objects, found.timers, found.revision)
    return cluster


def _move(cluster: Cluster, distance: int) -> None:
    """Another start of time: clock and timers move, stamps stay, so the world is older or younger by as much."""
    from labsim.worlds.age import shift_timers

    cluster.clock.now += distance
    shift_timers(cluster, distance)


# -- files -------------------------------------------------------------------------------------------------------------


def _read(path: Path, key: str) -> Built | None:
    """None when there is no file, or it is not whole."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        header = loads(head)
        if header["key"] != key or header["digest"] != blake2b(body, digest_size=20).hexdigest():
            return None
        return Built(Settings(**header["settings"]), *loads(body))
    except (OSError, JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        return None


def _write(path: Path, key: str, found: Built) -> None:
    """Write by rename, so that a reader never sees half a file; older builds of the same world and seed go."""
    body = dumps([found.revision, found.objects, found.timers], separators=(",", ":")).encode()
    header = {"key": key, "digest": blake2b(body, digest_size=20).hexdigest(), "settings": asdict(found.settings)}
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(dumps(header).encode() + b"\n" + body)
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        return
    prefix = path.name.rpartition("-")[0] + "-"
    for old in path.parent.glob("*.json"):
        if old != path and old.name.rpartition("-")[0] + "-" == prefix:
            with suppress(OSError):
                old.unlink()
