"""ls: GNU layout, the simulated time. Links and inodes are not kept, so they are 1 and refused."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cmp_to_key

from labsim.commands.base import Context, Stat
from labsim.commands.host.moments import spell
from labsim.commands.host.words import Usage, Words, parse, reason
from labsim.commands.notsimulated import not_simulated

_LONG = {
    "all": "a", "almost-all": "A", "human-readable": "h", "reverse": "r", "recursive": "R", "directory": "d",
    "classify": "F", "color": "none", "color=": "none", "full-time": "full", "group-directories-first": "first",
    "time-style=": "style", "no-group": "G", "numeric-uid-gid": "n", "size": "s", "sort=": "sort", "inode": "i",
    "si": "si", "width=": "w", "file-type": "p", "quote-name": "Q", "literal": "N",
}  # fmt: skip
_HALF_YEAR = 31556952 // 2
_WIDTH = 80
Item = tuple[str, Stat]


def main(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "aAlh1trSRdFpCgGoniskNQXUcuw:v", _LONG, code=2)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    for option in ("i", "s", "k", "Q", "X", "U", "c", "u", "v", "si", "style", "sort"):
        if option in found:
            return not_simulated(ctx, f"ls {'-' if len(option) == 1 else '--'}{option}")
    code = 0
    plain: list[Item] = []
    folders: list[Item] = []
    for name in found.rest or ["."]:
        try:
            stat = ctx.fs.stat(name, follow=not ("l" in found or "d" in found or "F" in found))
        except OSError as error:
            ctx.err(f"ls: cannot access {_quoted(name, True)}: {reason(error)}\n")
            code = 2
            continue
        (folders if stat.kind == "directory" and "d" not in found else plain).append((name, stat))
    if plain:
        _show(ctx, found, _sorted(plain, found), "", [*plain, *folders])
    many = len(found.rest) > 1 or "R" in found
    first = not plain
    for name, _ in _sorted(folders, found):
        first = _folder(ctx, found, name, many, first)
    return code


def _folder(ctx: Context, found: Words, name: str, titled: bool, first: bool) -> bool:
    if titled:
        ctx.out(("" if first else "\n") + f"{name}:\n")
    items: list[Item] = []
    names = ctx.fs.listdir(name)
    if "a" in found:
        names = [".", "..", *names]
    for entry in names:
        if entry.startswith(".") and "a" not in found and "A" not in found:
            continue
        try:
            items.append((entry, ctx.fs.stat(posixpath.join(name, entry), follow=False)))
        except OSError:
            continue
    items = _sorted(items, found)
    if _long(found):
        blocks = sum(_blocks(stat) for _, stat in items)
        ctx.out(f"total {human(blocks * 1024) if 'h' in found else blocks}\n")
    _show(ctx, found, items, name)
    if "R" in found:
        for entry, stat in items:
            if stat.kind == "directory" and entry not in (".", ".."):
                _folder(ctx, found, posixpath.join(name, entry), True, False)
    return False


def _sorted(items: Sequence[Item], found: Words) -> list[Item]:
    def compare(a: Item, b: Item) -> int:
        if "first" in found and (a[1].kind == "directory") != (b[1].kind == "directory"):
            return -1 if a[1].kind == "directory" else 1
        order = 0
        if "t" in found:
            order = (a[1].mtime < b[1].mtime) - (a[1].mtime > b[1].mtime)
        elif "S" in found:
            order = (a[1].size < b[1].size) - (a[1].size > b[1].size)
        order = order or (a[0] > b[0]) - (a[0] < b[0])
        return -order if "r" in found else order

    return sorted(items, key=cmp_to_key(compare))


def _long(found: Words) -> bool:
    return any(key in found for key in ("l", "g", "o", "n", "full"))


def _blocks(stat: Stat) -> int:
    """Kilobytes on a file system with 4 KiB blocks."""
    return 0 if stat.kind == "symlink" else -(-stat.size // 4096) * 4


def human(size: int) -> str:
    if size < 1024:
        return str(size)
    value, unit = float(size), ""
    while value >= 1023.5 or not unit:
        value /= 1024
        unit = "KMGT"[" KMG".index(unit or " ")]
    whole = -(-value // 1)
    tenth = -(-value * 10 // 1) / 10
    return f"{tenth:.1f}{unit}" if tenth < 10 else f"{whole:.0f}{unit}"


def _quoted(name: str, always: bool = False) -> str:
    return f"'{name}'" if always and shlex.quote(name) == name else shlex.quote(name)


def _mark(found: Words, stat: Stat) -> str:
    if stat.kind == "directory" and ("F" in found or "p" in found):
        return "/"
    if "F" in found:
        return "@" if stat.kind == "symlink" else "*" if stat.mode & 0o111 and stat.kind == "file" else ""
    return ""


def mode_text(stat: Stat) -> str:
    kind = {"directory": "d", "symlink": "l", "file": "-"}[stat.kind]
    mode = 0o777 if stat.kind == "symlink" else stat.mode
    bits = "".join(letter if mode >> (8 - i) & 1 else "-" for i, letter in enumerate("rwxrwxrwx"))
    return kind + bits


def _when(ctx: Context, stat: Stat, full: bool) -> str:
    moment = datetime.fromtimestamp(stat.mtime / 1000, UTC)
    if full:
        return spell(moment, "%F %T.%N %z")
    age = (ctx.now() - stat.mtime) / 1000
    return spell(moment, "%b %e %H:%M" if -1 <= age < _HALF_YEAR else "%b %e  %Y")


def _links(ctx: Context, path: str, stat: Stat) -> str:
    """A folder is linked by its parent, by itself and by each folder in it."""
    if stat.kind != "directory":
        return "1"
    inside = (ctx.fs.stat(posixpath.join(path, name), follow=False).kind for name in ctx.fs.listdir(path))
    return str(2 + sum(kind == "directory" for kind in inside))


def _show(ctx: Context, found: Words, items: Sequence[Item], folder: str, measured: Sequence[Item] = ()) -> None:
    """`measured`: what the widths of columns are taken from, when that is more than the items."""
    shown = [(_quoted(n) if ctx.stdout_is_tty and "N" not in found else n) + _mark(found, s) for n, s in items]
    if not items:
        return
    if not _long(found):
        ctx.out(
            _columns(shown) if "C" in found or (ctx.stdout_is_tty and "1" not in found) else "\n".join(shown) + "\n"
        )
        return
    owner = ("0" if ctx.user == "root" else "1000") if "n" in found else ctx.user
    all_items = measured or items
    links = {name: _links(ctx, posixpath.join(folder, name), stat) for name, stat in all_items}
    sizes = {name: human(stat.size) if "h" in found else str(stat.size) for name, stat in all_items}
    link_width, width = max(map(len, links.values())), max(map(len, sizes.values()))
    for (name, stat), text in zip(items, shown):
        parts = [mode_text(stat), links[name].rjust(link_width)]
        parts += [owner] if "g" not in found else []
        parts += [owner] if "o" not in found and "G" not in found else []
        target = f" -> {ctx.fs.readlink(posixpath.join(folder, name))}" if stat.kind == "symlink" else ""
        text = text.rstrip("@") if target else text
        ctx.out(" ".join([*parts, sizes[name].rjust(width), _when(ctx, stat, "full" in found), text]) + target + "\n")


def _columns(names: Sequence[str]) -> str:
    """Down the columns, as many as fit an 80-column screen."""
    for rows in range(1, len(names) + 1):
        groups = [names[i : i + rows] for i in range(0, len(names), rows)]
        widths = [max(map(len, group)) for group in groups]
        if sum(widths) + 2 * (len(widths) - 1) < _WIDTH or rows == len(names):
            break
    lines = []
    for row in range(rows):
        cells = [g[row].ljust(w + 2) for g, w in zip(groups, widths) if row < len(g)]
        lines.append("".join(cells).rstrip())
    return "\n".join(lines) + "\n"
