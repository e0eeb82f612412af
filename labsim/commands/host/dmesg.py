"""dmesg (util-linux 2.37) over the ring buffer of the machine."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.kernellog import LEVELS, Entry, ring
from labsim.commands.host.moments import spell
from labsim.commands.host.words import Usage, parse, unplayed
from labsim.commands.notsimulated import not_simulated

_SPEC = "CcDdEeF:f:HJkL:l:n:Pprs:StTuwWxhV"
_LONG = {
    "clear": "C", "read-clear": "c", "console-off": "D", "show-delta": "d", "console-on": "E", "reltime": "e",
    "file=": "F", "facility=": "f", "human": "H", "kernel": "k", "color=": "L", "level=": "l",
    "console-level=": "n", "nopager": "P", "force-prefix": "p", "raw": "r", "noescape": "noescape",
    "buffer-size=": "s", "syslog": "S", "notime": "t", "ctime": "T", "userspace": "u", "follow": "w",
    "follow-new": "W", "decode": "x", "time-format=": "time-format", "since=": "since", "until=": "until",
    "help": "h", "version": "V",
}  # fmt: skip
# Nothing is paged and every line is the kernel's, so -P and -k change nothing.
_PLAYED = ("P", "k", "L", "l", "t", "T", "w", "W", "x", "time-format")


def main(ctx: Context) -> int:
    try:
        # The value of -L is optional and stands right behind it.
        words = ["--color=always" if word in ("-L", "--color") else word for word in ctx.args]
        found = parse(ctx.name, words, _SPEC, _LONG)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    refused = unplayed(found, _PLAYED)
    if found.options.get("L", "never") not in ("never", "auto"):
        refused = "--color"
    if refused:
        return not_simulated(ctx, f"dmesg {refused}")
    if found.rest:
        ctx.err("dmesg: bad usage\nTry 'dmesg --help' for more information.\n")
        return 1
    levels = found.options.get("l", ",".join(LEVELS)).split(",")
    for level in levels:
        if level not in LEVELS:
            ctx.err(f"dmesg: unknown level '{level}'\n")
            return 1
    form = found.options.get("time-format") or ("ctime" if "T" in found else "notime" if "t" in found else "raw")
    if form in ("delta", "reltime"):
        return not_simulated(ctx, f"dmesg --time-format {form}")
    if form not in ("raw", "ctime", "notime", "iso"):
        ctx.err(f"dmesg: unknown time format: {form}\n")
        return 1
    where = sites.find(ctx)
    if where.machine is None or where.booted is None:
        return not_simulated(ctx, f"dmesg on {ctx.host}")
    if ctx.user != "root" or not where.privileged:
        ctx.err("dmesg: read kernel buffer failed: Operation not permitted\n")
        return 1
    show = _Printer(form, where.booted * 1000, "x" in found)
    entries = ring(where)
    if "W" not in found:
        ctx.out("".join(show.line(entry) for entry in entries if entry.level in levels))
    if "w" in found or "W" in found:
        _follow(ctx, show, entries, levels)
    return 0


def _follow(ctx: Context, show: _Printer, seen: list[Entry], levels: list[str]) -> None:
    while True:
        known = seen
        ctx.advance(lambda known=known: ring(sites.find(ctx)) != known)  # type: ignore[misc]
        seen = ring(sites.find(ctx))
        for entry in seen:
            if entry not in known and entry.level in levels:
                ctx.emit(show.line(entry))


class _Printer:
    """`booted`: microseconds since the epoch."""

    def __init__(self, form: str, booted: int, decoded: bool) -> None:
        self.form, self.booted, self.decoded = form, booted, decoded

    def line(self, entry: Entry) -> str:
        start = f"kern  :{entry.level:<6}: " if self.decoded else ""
        return start + self._stamp(entry) + entry.text + "\n"

    def _stamp(self, entry: Entry) -> str:
        if self.form == "notime":
            return ""
        moment = datetime.fromtimestamp(entry.at // 1_000_000, UTC)
        if self.form == "ctime":
            return spell(moment, "[%a %b %e %T %Y] ")
        micro = entry.at % 1_000_000
        if self.form == "iso":
            return f"{spell(moment, '%FT%T')},{micro:06}+00:00 "
        since = entry.at - self.booted
        return f"[{since // 1_000_000:5}.{since % 1_000_000:06}] "
