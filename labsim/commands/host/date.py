"""date: the simulated clock. Setting it is refused."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import moments
from labsim.commands.host.words import Usage, extra, parse, reason
from labsim.commands.notsimulated import not_simulated

_ISO = {"": "%F", "date": "%F", "hours": "%FT%H%:z", "minutes": "%FT%R%:z", "seconds": "%FT%T%:z", "ns": "%FT%T,%N%:z"}
_RFC = {"date": "%F", "seconds": "%F %T%:z", "ns": "%F %T.%N%:z"}
_LONG = {
    "date=": "d", "utc": "u", "universal": "u", "rfc-email": "R", "reference=": "r", "iso-8601": "I", "set=": "s",
    "rfc-3339=": "3339", "file=": "f", "debug": "D",
}  # fmt: skip


def main(ctx: Context) -> int:
    words = list(ctx.args)
    iso = [w for w in words if w.startswith(("-I", "--iso-8601"))]
    try:
        found = parse(ctx.name, [w for w in words if w not in iso], "d:uRr:s:f:D", _LONG)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    for option in ("s", "f", "D"):
        if option in found:
            return not_simulated(ctx, f"date {'--debug' if option == 'D' else '-' + option}")
    moment = datetime.fromtimestamp(ctx.now() / 1000, UTC)
    try:
        if "d" in found:
            moment = moments.parse(found.options["d"], moment)
        elif "r" in found:
            moment = datetime.fromtimestamp(ctx.fs.stat(found.options["r"]).mtime / 1000, UTC)
    except (ValueError, OverflowError):
        ctx.err(f"date: invalid date ‘{found.options['d']}’\n")
        return 1
    except OSError as error:
        ctx.err(f"date: {found.options['r']}: {reason(error)}\n")
        return 1
    form = "%a %b %e %T %Z %Y"
    if iso:
        form = _ISO.get(iso[-1].partition("=")[2] if iso[-1].startswith("--") else iso[-1][2:], "")
        if not form:
            ctx.err(f"date: invalid argument ‘{iso[-1][2:]}’ for ‘--iso-8601’\n")
            return 1
    elif "R" in found:
        form = "%a, %d %b %Y %T %z"
    elif "3339" in found:
        form = _RFC.get(found.options["3339"], "%F")
    if found.rest:
        if not found.rest[0].startswith("+"):
            if found.rest[0].isdigit():
                return not_simulated(ctx, "setting the date")
            ctx.err(f"date: invalid date ‘{found.rest[0]}’\n")
            return 1
        if len(found.rest) > 1:
            return extra(ctx, found.rest[1])
        form = found.rest[0][1:]
    ctx.out(moments.spell(moment, form) + "\n")
    return 0
