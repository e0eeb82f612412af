"""free and df: memory and disk of a host, from what runs on it and what was pulled to it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.ls import human
from labsim.commands.host.site import ADMIN, KIBI, Site
from labsim.commands.host.words import Usage, parse, reason, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.kube.objects import get_in
from labsim.kube.strategies.metrics import NODE_BASE

_SHARED = 8_872  # KiB of shared memory [U]
_SYSTEM_DISK = 41_943_040  # KiB that the operating system takes [U]
_RESERVED = 20  # one part in so many of an ext4 file system is root's


def _images(where: Site) -> int:
    """KiB of the images on the node."""
    node = where.client.find("nodes", where.node) if where.client is not None and where.node else None
    return sum(int(image.get("sizeBytes", 0)) for image in get_in(node, "status", "images", default=())) // KIBI


def memory(where: Site) -> tuple[int, int, int]:
    """KiB: all, used by programs, page cache. What was pulled is taken to lie in the cache still [U]."""
    if where.machine is None:
        return where.memory, ADMIN["used"], ADMIN["cached"]
    from labsim.commands.host.processes import usage_of

    used = NODE_BASE["memory"] + sum(usage_of(where, container)["memory"] for container in where.containers())
    used = min(used // 1000 // KIBI, where.memory)
    return where.memory, used, min(_images(where) + _SHARED, where.memory - used)


def free(ctx: Context) -> int:
    long = {
        "bytes": "b", "kibi": "k", "mebi": "m", "gibi": "g", "human": "h", "total": "t", "wide": "w", "lohi": "l",
        "seconds=": "s", "count=": "c", "si": "si", "kilo": "kilo", "mega": "mega", "giga": "giga", "tera": "tera",
        "tebi": "tebi", "committed": "v", "version": "V", "help": "help",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "bkmghtwls:c:vV", long)
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n\nUsage:\n free [options]\n\nFor more details see free(1).\n")
        return error.code
    refused = unplayed(found, ("b", "k", "m", "g", "h", "t"))
    if refused or found.rest:
        return not_simulated(ctx, f"free {refused or found.rest[0]}")
    total, used, cached = memory(sites.find(ctx))
    show: Callable[[int], str] = lambda kibi: str(kibi)  # noqa: E731
    for key in found.options:
        if key in _FORMS:
            show = _FORMS[key]
    ctx.out("               total        used        free      shared  buff/cache   available\n")
    left = total - used - cached
    for name, row in (("Mem:", (total, used, left, _SHARED, cached, total - used - _SHARED)), ("Swap:", (0, 0, 0))):
        ctx.out(f"{name:<8}" + "".join(f"{show(value):>12}" for value in row) + "\n")
    if "t" in found:
        ctx.out(f"{'Total:':<8}" + "".join(f"{show(value):>12}" for value in (total, used, left)) + "\n")
    return 0


def _short(kibi: int) -> str:
    """The smallest unit in which it fits five characters, with one decimal where that fits."""
    if len(f"{kibi * KIBI}B") <= 5:
        return f"{kibi * KIBI}B"
    for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi")):
        value = kibi / KIBI**power
        for text in (f"{value:.1f}{unit}", f"{int(value)}{unit}"):
            if len(text) <= 5:
                return text
    return f"{kibi}Ki"


_FORMS: dict[str, Callable[[int], str]] = {
    "b": lambda kibi: str(kibi * KIBI),
    "k": str,
    "m": lambda kibi: str(kibi // KIBI),
    "g": lambda kibi: str(kibi // KIBI**2),
    "h": _short,
}

Mount = tuple[str, str, int, int, str]  # device, type, KiB, KiB used, where


def mounts(where: Site) -> list[Mount]:
    used = ADMIN["disk_used"] if where.machine is None else _SYSTEM_DISK + _images(where)
    device = "/dev/vda1" if where.machine is None else "/dev/md0"
    return [
        ("tmpfs", "tmpfs", where.memory // 10, 0, "/run"),
        (device, "ext4", where.disk, used, "/"),
        ("tmpfs", "tmpfs", where.memory // 2, 0, "/dev/shm"),
        ("tmpfs", "tmpfs", 5120, 0, "/run/lock"),
    ]


def df(ctx: Context) -> int:
    long = {
        "all": "a", "human-readable": "h", "inodes": "i", "local": "l", "print-type": "T", "total": "total",
        "type=": "t", "exclude-type=": "x", "output": "output", "output=": "output", "block-size=": "B", "si": "H",
        "portability": "P", "sync": "sync", "no-sync": "no-sync", "version": "version", "help": "help",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "ahiklmPTt:x:B:H", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    refused = unplayed(found, ("h", "k", "l", "T"))  # every file system is local
    if refused:
        return not_simulated(ctx, f"df {refused}")
    where = sites.find(ctx)
    if where.container is not None:
        return not_simulated(ctx, "df in a container")
    have, chosen, code = mounts(where), [], 0
    for path in found.rest:
        try:
            ctx.fs.stat(path)
        except OSError as error:
            ctx.err(f"df: {path}: {reason(error)}\n")
            code = 1
            continue
        full = posixpath.normpath(posixpath.join(ctx.cwd, path))
        under = [m for m in have if full == m[4] or full.startswith(m[4].rstrip("/") + "/")]
        chosen.append(max(under, key=lambda m: len(m[4])))
    if chosen or not found.rest:
        _table(ctx, chosen or have, "h" in found, "T" in found)
    return code


def _table(ctx: Context, rows: list[Mount], short: bool, types: bool) -> None:
    heads = [
        "Filesystem",
        "Type",
        *(("Size", "Used", "Avail") if short else ("1K-blocks", "Used", "Available")),
        "Use%",
    ]
    table = [[*heads, "Mounted on"]]
    for device, kind, size, used, place in rows:
        reserved = size // _RESERVED if kind == "ext4" else 0
        left = size - used - reserved
        numbers = [human(n * KIBI) if short else str(n) for n in (size, used, left)]
        table.append([device, kind, *numbers, f"{-(-used * 100 // (used + left))}%", place])
    least = (14, 4, 5, 5, 5, 4, 0)
    width = [max(least[i], *(len(row[i]) for row in table)) for i in range(6)]
    for row in table:
        cells = [row[0].ljust(width[0]), *([row[1].ljust(width[1])] if types else [])]
        ctx.out(" ".join([*cells, *(row[i].rjust(width[i]) for i in range(2, 6)), row[6]]) + "\n")
