"""wc and cmp, whose widths and words the engine gets wrong (docs/fidelity.md)."""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.host.words import Usage, parse, reason

_PIPE_WIDTH = 7  # coreutils: the width when a size cannot be known beforehand


def _counts(data: bytes) -> dict[str, int]:
    text = data.decode("utf-8", "replace")
    longest = max((len(line.expandtabs()) for line in text.split("\n")), default=0)
    return {"l": data.count(b"\n"), "w": len(data.split()), "m": len(text), "c": len(data), "L": longest}


def wc(ctx: Context) -> int:
    long = {"lines": "l", "words": "w", "chars": "m", "bytes": "c", "max-line-length": "L"}
    try:
        found = parse(ctx.name, ctx.args, "lwmcL", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    wanted = [key for key in "lwmcL" if key in found] or ["l", "w", "c"]
    rows: list[tuple[dict[str, int], str]] = []
    code, size, piped = 0, 0, False
    for name in found.rest or [""]:
        if name in ("", "-"):
            piped = True
            rows.append((_counts(ctx.stdin.encode()), name))
            continue
        try:
            data = ctx.fs.read_bytes(name)
        except IsADirectoryError as error:
            ctx.err(f"wc: {name}: {reason(error)}\n")
            rows.append((_counts(b""), name))
            piped, code = True, 1
        except OSError as error:
            ctx.err(f"wc: {name}: {reason(error)}\n")
            code = 1
        else:
            size += len(data)
            rows.append((_counts(data), name))
    if len(found.rest) > 1:
        total = {key: (max if key == "L" else sum)([row[key] for row, _ in rows] or [0]) for key in wanted}
        rows.append((total, "total"))
    width = _PIPE_WIDTH if piped else len(str(size))
    if len(wanted) == 1 and len(found.rest) < 2:
        width = 1
    for row, name in rows:
        ctx.out(" ".join([str(row[key]).rjust(width) for key in wanted] + ([name] if name else [])) + "\n")
    return code


def cmp(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "sl", {"silent": "s", "quiet": "s", "verbose": "l"}, code=2)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if not found.rest:
        ctx.err("cmp: missing operand after 'cmp'\ncmp: Try 'cmp --help' for more information.\n")
        return 2
    left, right = (found.rest + ["-"])[:2]
    data: list[bytes] = []
    for name in (left, right):
        try:
            data.append(ctx.stdin.encode() if name == "-" else ctx.fs.read_bytes(name))
        except OSError as error:
            ctx.err(f"cmp: {name}: {reason(error)}\n")
            return 2
    one, two = data
    if one == two:
        return 0
    if "s" in found:
        return 1
    differing = [i for i in range(min(len(one), len(two))) if one[i] != two[i]]
    if "l" in found:
        wide = len(str(min(len(one), len(two))))
        for i in differing:
            ctx.out(f"{i + 1:{wide}} {one[i]:3o} {two[i]:3o}\n")
    elif differing:
        at = differing[0]
        ctx.out(f"{left} {right} differ: byte {at + 1}, line {one[:at].count(bytes([10])) + 1}\n")
        return 1
    if len(one) != len(two):
        short, data_short = (left, one) if len(one) < len(two) else (right, two)
        line = data_short.count(b"\n")
        if not data_short:
            ctx.err(f"cmp: EOF on {short} which is empty\n")
        elif "l" in found:
            ctx.err(f"cmp: EOF on {short} after byte {len(data_short)}\n")
        else:
            where = f"line {line}" if data_short.endswith(b"\n") else f"in line {line + 1}"
            ctx.err(f"cmp: EOF on {short} after byte {len(data_short)}, {where}\n")
    return 1
