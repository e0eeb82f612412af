"""journalctl (systemd 249) of one unit or of the kernel."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import journal, moments
from labsim.commands.host import site as sites
from labsim.commands.host.site import Site
from labsim.commands.host.units import OTHERS
from labsim.commands.host.words import Usage, Words, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.sim import names

_SPEC = "u:t:g:kb:n:feo:p:rqxS:U:D:M:c:mNF:a"
_LONG = {
    "unit=": "u", "identifier=": "t", "grep=": "g", "dmesg": "k", "boot=": "b", "lines=": "n",
    "follow": "f", "pager-end": "e", "output=": "o", "priority=": "p", "reverse": "r", "quiet": "q", "catalog": "x",
    "since=": "S", "until=": "U", "no-pager": "no-pager", "utc": "utc", "directory=": "D", "machine=": "M",
    "no-hostname": "no-hostname", "list-boots": "list-boots", "disk-usage": "disk-usage", "all": "a",
    "vacuum-time=": "vacuum-time", "rotate": "rotate", "system": "system", "user": "user", "no-tail": "no-tail",
    "cursor=": "c", "merge": "m", "fields": "N", "field=": "F", "no-full": "no-full", "user-unit=": "user-unit",
}  # fmt: skip
# There is no pager, one boot and one time zone, and nothing is cut: these change nothing.
_PLAYED = ("u", "k", "b", "n", "f", "e", "o", "p", "r", "q", "x", "S", "U", "no-pager", "utc", "a")
_PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")


def main(ctx: Context) -> int:
    words = [word for word in ctx.args if word not in ("-b", "--boot")]  # the journal holds one boot
    try:
        found = parse(ctx.name, words, _SPEC, _LONG)
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n")
        return error.code
    refused = unplayed(found, _PLAYED) or ("-b with a boot" if found.options.get("b") not in (None, "", "0") else "")
    if sum(word in ("-u", "--unit") for word in words) > 1:
        refused = "with more than one -u"
    if found.rest:
        refused = found.rest[0]
    if not refused and "u" not in found and "k" not in found:
        refused = "without -u or -k"
    if refused:
        return not_simulated(ctx, f"journalctl {refused}")
    form = found.options.get("o", "short")
    if form not in ("short", "short-iso", "short-precise", "cat"):
        return not_simulated(ctx, f"journalctl -o {form}")
    where = sites.find(ctx)
    if where.container is not None:
        ctx.out("" if "q" in found else "No journal files were found.\n-- No entries --\n")
        return 0
    unit = found.options.get("u", "").removesuffix(".service")
    if (where.machine is None and "k" in found) or unit in OTHERS:
        return not_simulated(ctx, f"journalctl {'-u ' + unit if unit else '-k'} on {ctx.host}")
    try:
        keep = _Filter(found, ctx.now())
    except ValueError as error:
        ctx.err(f"{error}\n")
        return 1
    return _show(ctx, where, unit, found, keep, form)


class _Filter:
    """Raises ValueError, with journalctl's text, for a value that cannot be read."""

    def __init__(self, found: Words, now: int) -> None:
        self.since, self.until = (_moment(found.options.get(key), now) for key in "SU")
        priority = found.options.get("p", "debug")
        if priority not in _PRIORITIES and priority not in "01234567":
            raise ValueError(f"Unknown log level {priority}")
        self.most = int(priority) if priority.isdigit() else _PRIORITIES.index(priority)
        lines = found.options.get("n")
        if lines is not None and not lines.isdigit() and lines != "all":
            raise ValueError(f"Failed to parse lines '{lines}'")
        self.count = None if lines in (None, "all") else int(lines or 0)
        if lines is None and ("f" in found or "e" in found):
            self.count = 10 if "f" in found else 1000

    def holds(self, line: journal.Line) -> bool:
        after = self.since is None or line.at >= self.since
        return after and (self.until is None or line.at <= self.until) and line.priority <= self.most


def _moment(text: str | None, now: int) -> int | None:
    """Microseconds. Raises ValueError."""
    if text is None:
        return None
    moment = datetime.fromtimestamp(now / 1000, UTC)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if text in ("today", "yesterday"):
            moment = midnight if text == "today" else moments.parse("1 day ago", midnight)
        else:
            moment = moments.parse(text, moment)
    except (ValueError, OverflowError):
        raise ValueError(f"Failed to parse timestamp: {text}") from None
    return round(moment.timestamp() * 1_000_000)


def _lines(where: Site, unit: str) -> list[journal.Line]:
    return journal.of_unit(where, unit) if unit else journal.of_kernel(where)


def _show(ctx: Context, where: Site, unit: str, found: Words, keep: _Filter, form: str) -> int:
    seen = _lines(where, unit)
    chosen = [line for line in seen if keep.holds(line)]
    if keep.count is not None:
        chosen = chosen[max(len(chosen) - keep.count, 0) :]
    if "r" in found:
        chosen.reverse()
    if "q" not in found and form != "cat" and where.booted is not None:
        begin, end = (_day(ms) for ms in (where.booted, ctx.now()))
        ctx.out(f"-- Journal begins at {begin}, ends at {end}. --\n")
    catalog = "x" in found
    ctx.out("".join(_entry(line, ctx.host, form, unit, catalog) for line in chosen))
    if not chosen and "q" not in found and "f" not in found:
        ctx.out("-- No entries --\n")
    while "f" in found:
        known = seen
        ctx.advance(lambda known=known: _lines(sites.find(ctx), unit) != known)  # type: ignore[misc]
        seen = _lines(sites.find(ctx), unit)
        new = [line for line in seen if line not in known and keep.holds(line)]
        for line in new:
            ctx.emit(_entry(line, ctx.host, form, unit, catalog))
    return 0


def _day(ms: int) -> str:
    return moments.spell(datetime.fromtimestamp(ms // 1000, UTC), "%a %F %T UTC")


def _entry(line: journal.Line, host: str, form: str, unit: str, catalog: bool) -> str:
    text = journal.printed(line, host, form)
    what = {"Started": "start", "Stopped": "stop"}.get(line.text.split(" ")[0])
    if not catalog or line.source != "systemd[1]" or what is None:
        return text
    job = names.number(0, 100, 9999, "systemd-job", host, line.at)
    told = f"A {what} job for unit {unit}.service has finished"
    rows = (
        f"Subject: {told}{' successfully' if what == 'start' else ''}",
        "Defined-By: systemd",
        "Support: http://www.ubuntu.com/support",
        "",
        f"{told}{' successfully' if what == 'start' else ''}.",
        "",
        f"The job identifier is {job}{' and the job result is done' if what == 'stop' else ''}.",
    )
    return text + "".join(f"░░ {row}\n" for row in rows)
