"""mktemp, shuf, uuidgen: chance that is the same for the same seed and the same line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from labsim.commands.base import Context
from labsim.commands.host.words import Usage, parse, reason
from labsim.sim import names

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def mktemp(ctx: Context) -> int:
    long = {"directory": "d", "dry-run": "u", "quiet": "q", "suffix=": "S", "tmpdir=": "p"}
    try:
        found = parse(ctx.name, ctx.args, "duqtp:", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    template = found.rest[0] if found.rest else "tmp.XXXXXXXXXX"
    if len(found.rest) > 1:
        ctx.err("mktemp: too many templates\nTry 'mktemp --help' for more information.\n")
        return 1
    runs = list(re.finditer(r"X{3,}", template))
    if not runs:
        ctx.err(f"mktemp: too few X's in template ‘{template}’\n")
        return 1
    run = runs[-1]
    folder = found.options.get("p") or (ctx.env.get("TMPDIR") or "/tmp" if not found.rest or "t" in found else "")
    for attempt in range(1000):
        drawn = "".join(_LETTERS[ctx.services.number(f"mktemp {attempt} {i}", 0, 61)] for i in range(len(run.group(0))))
        path = template[: run.start()] + drawn + template[run.end() :] + found.options.get("S", "")
        path = posixpath.join(folder, path)
        if not ctx.fs.exists(path):
            break
    kind = "directory" if "d" in found else "file"
    try:
        if "u" not in found:
            if "d" in found:
                ctx.fs.mkdir(path)
            else:
                ctx.fs.write_text(path, "")
            ctx.fs.chmod(path, 0o700 if "d" in found else 0o600)
    except OSError as error:
        if "q" not in found:
            ctx.err(
                f"mktemp: failed to create {kind} via template ‘{posixpath.join(folder, template)}’: {reason(error)}\n"
            )
        return 1
    ctx.out(path + "\n")
    return 0


def _shuffled(ctx: Context, items: list[str]) -> Iterator[str]:
    left = list(items)
    while left:
        yield left.pop(ctx.services.number(f"shuf {len(left)}", 0, len(left) - 1))


def shuf(ctx: Context) -> int:
    long = {"echo": "e", "input-range=": "i", "head-count=": "n", "output=": "o", "repeat": "r"}
    try:
        found = parse(ctx.name, ctx.args, "ei:n:o:r", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if "i" in found:
        span = re.fullmatch(r"(\d+)-(\d+)", found.options["i"])
        if span is None or int(span.group(2)) - int(span.group(1)) > 1_000_000:
            ctx.err(f"shuf: invalid input range: ‘{found.options['i']}’\n")
            return 1
        items = [str(n) for n in range(int(span.group(1)), int(span.group(2)) + 1)]
    elif "e" in found:
        items = found.rest
    else:
        try:
            text = ctx.fs.read_text(found.rest[0]) if found.rest and found.rest[0] != "-" else ctx.stdin
        except OSError as error:
            ctx.err(f"shuf: {found.rest[0]}: {reason(error)}\n")
            return 1
        items = text.splitlines()
    count = int(found.options["n"]) if found.options.get("n", "").isdigit() else None
    if "n" in found and count is None:
        ctx.err(f"shuf: invalid line count: ‘{found.options['n']}’\n")
        return 1
    if "r" in found:
        if count is None:
            count = 10_000
        picked = [items[ctx.services.number(f"shuf r {i}", 0, len(items) - 1)] for i in range(count)] if items else []
    else:
        picked = list(_shuffled(ctx, items))[:count]
    text = "".join(item + "\n" for item in picked)
    if "o" in found:
        ctx.fs.write_text(found.options["o"], text)
    else:
        ctx.out(text)
    return 0


def uuidgen(ctx: Context) -> int:
    ctx.out(names.uid(ctx.services.number("uuidgen", 0, 2**62), "uuidgen") + "\n")
    return 0
