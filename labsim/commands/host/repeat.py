"""watch and timeout: programs that run another one."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime

from labsim.commands.base import Context, Interrupted, Result, WaitEnd
from labsim.commands.host.moments import spell
from labsim.commands.host.sleep import seconds
from labsim.commands.host.words import Usage, parse
from labsim.commands.notsimulated import not_simulated

CLEAR = "\x1b[H\x1b[J"


def watch(ctx: Context) -> int:
    """A screen at each interval until Ctrl-C or until the lab ends the wait."""
    long = {
        "interval=": "n", "no-title": "t", "differences": "d", "chgexit": "g", "exec": "x", "errexit": "e",
        "color": "c", "beep": "b", "precise": "p", "no-wrap": "w",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "n:tdgxecbpw", long, stop=True)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if not found.rest:
        ctx.err("Usage:\n watch [options] command\n")
        return 1
    for option in "bpw":
        if option in found:
            return not_simulated(ctx, f"watch -{option}")
    interval = seconds(found.options.get("n", "2"))
    if interval is None:
        ctx.err(f"watch: failed to parse argument: '{found.options['n']}'\n")
        return 1
    interval = max(interval, 0.1)
    command = " ".join(found.rest)
    before: str | None = None
    while True:
        result = ctx.spawn(shlex.join(found.rest) if "x" in found else command)
        text = result.stdout + result.stderr
        title = "" if "t" in found else _title(ctx, interval, command)
        ctx.emit((CLEAR if ctx.stdout_is_tty else "") + title + text)
        if "e" in found and result.exit_code:
            return 8
        if "g" in found and before is not None and text != before:
            return 0
        before = text
        ctx.advance(timeout_ms=round(interval * 1000))


def _title(ctx: Context, interval: float, command: str) -> str:
    when = spell(datetime.fromtimestamp(ctx.now() / 1000, UTC), "%a %b %e %T %Y")
    left, right = f"Every {interval:.1f}s: {command}", f"{ctx.host}: {when}"
    return left + " " * max(80 - len(left) - len(right), 1) + right + "\n\n"


def timeout(ctx: Context) -> int:
    """The limit is simulated time: what the command's waits and calls may take."""
    long = {"signal=": "s", "kill-after=": "k", "preserve-status": "p", "foreground": "f", "verbose": "v"}
    try:
        found = parse(ctx.name, ctx.args, "s:k:v", long, code=125, stop=True)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if len(found.rest) < 2:
        ctx.err("Try 'timeout --help' for more information.\n")
        return 125
    limit = seconds(found.rest[0])
    if limit is None:
        ctx.err(f"timeout: invalid time interval ‘{found.rest[0]}’\nTry 'timeout --help' for more information.\n")
        return 125
    deadline = ctx.now() + round(limit * 1000)
    services = _Limited(ctx.services, deadline) if limit else ctx.services
    try:
        result = ctx.spawn(found.rest[1:], services=services)
    except _Expired as end:
        result = Result(end.printed.stdout, end.printed.stderr, 143 if "p" in found else 124)
    if result.exit_code == 127:
        ctx.err(f"timeout: failed to run command ‘{found.rest[1]}’: No such file or directory\n")
        return 127
    ctx.out(result.stdout)
    ctx.err(result.stderr)
    return result.exit_code


class _Expired(Interrupted):
    """The limit of a timeout is over."""


class _Limited:
    """Services whose waits end at a deadline."""

    def __init__(self, inner: object, deadline: int) -> None:
        self._inner = inner
        self._deadline = deadline

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def advance(self, until: object, timeout_ms: int | None) -> WaitEnd:
        left = self._deadline - self._inner.now()  # type: ignore[attr-defined]
        if timeout_ms is not None and timeout_ms <= left:
            return self._inner.advance(until, timeout_ms)  # type: ignore[attr-defined, no-any-return]
        end: WaitEnd = self._inner.advance(until, max(left, 0))  # type: ignore[attr-defined]
        if end is WaitEnd.TIMEOUT:
            raise _Expired(124)
        return end
