"""stat: the fields that are kept (name, size, kind, mode, owner, time of change); device and inode numbers are not."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from labsim.commands.base import Context, Stat
from labsim.commands.host.ls import mode_text
from labsim.commands.host.moments import spell
from labsim.commands.host.words import Usage, parse, reason
from labsim.commands.notsimulated import not_simulated

_KINDS = {"directory": "directory", "symlink": "symbolic link"}


def main(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "c:Lft", {"format=": "c", "printf=": "printf", "dereference": "L"})
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if not found.rest:
        ctx.err("stat: missing operand\nTry 'stat --help' for more information.\n")
        return 1
    form = found.options.get("c", found.options.get("printf"))
    if (form is None or "f" in found or "t" in found) and any(map(ctx.fs.exists, found.rest)):
        return not_simulated(ctx, "stat without -c (device and inode numbers)")
    code = 0
    for name in found.rest:
        try:
            stat = ctx.fs.stat(name, follow="L" in found)
        except OSError as error:
            ctx.err(f"stat: cannot statx '{name}': {reason(error)}\n")
            code = 1
            continue
        fields = _fields(ctx, name, stat)
        assert form is not None
        unknown = [k for k in re.findall(r"%[-0-9]*([a-zA-Z])", form) if k not in fields]
        if unknown:
            return not_simulated(ctx, f"stat %{unknown[0]}")
        text = _filled(form, fields)
        if "printf" in found:
            ctx.out(text.replace("\\n", "\n").replace("\\t", "\t"))
        else:
            ctx.out(text + "\n")
    return code


def _filled(form: str, fields: dict[str, str]) -> str:
    return re.sub(r"%([-0-9]*)([a-zA-Z%])", lambda m: _pad(fields[m.group(2)], m.group(1)), form)


def _pad(value: str, width: str) -> str:
    number = int(width.lstrip("-") or 0)
    return value.ljust(number) if width.startswith("-") else value.rjust(number)


def _fields(ctx: Context, name: str, stat: Stat) -> dict[str, str]:
    number = "0" if ctx.user == "root" else "1000"
    when = spell(datetime.fromtimestamp(stat.mtime / 1000, UTC), "%F %T.%N %z")
    kind = _KINDS.get(stat.kind) or ("regular file" if stat.size else "regular empty file")
    quoted = f"'{name}' -> '{ctx.fs.readlink(name)}'" if stat.kind == "symlink" else f"'{name}'"
    return {
        "n": name, "N": quoted if stat.kind == "symlink" else name, "s": str(stat.size), "F": kind,
        "A": mode_text(stat), "G": ctx.user, "u": number, "g": number,
        "a": f"{0o777 if stat.kind == 'symlink' else stat.mode:o}", "U": ctx.user,
        "y": when, "Y": str(stat.mtime // 1000), "%": "%",
    }  # fmt: skip
