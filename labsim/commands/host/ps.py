"""ps (procps-ng 3.3.17): all processes, or those of given numbers or names, in the three usual layouts."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.moments import spell
from labsim.commands.host.processes import Process, of_site
from labsim.commands.notsimulated import not_simulated
from labsim.kube.objects import get_in, namespace_of

_HELP = (
    "error: {}\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n"
    "  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n"
)
_UNIX = "eAfwpC"
_BSD = "auxw"
_SORTS = {
    "pid": "pid", "%cpu": "cpu", "pcpu": "cpu", "cpu": "cpu", "%mem": "resident", "pmem": "resident",
    "rss": "resident", "vsz": "virtual", "start_time": "started",
}  # fmt: skip
_KNOWN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class _Wish:
    """What the words ask for. Raises ValueError: what is not played."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.every = self.full = self.user_format = False
        self.sort = "pid"
        self.pids: list[str] = []
        self.names: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word.startswith("--sort=") and word.partition("=")[2].lstrip("+-") in _SORTS:
                self.sort = word.partition("=")[2]
            elif word.startswith("--"):
                raise ValueError(word.partition("=")[0])
            elif word.startswith("-"):
                self._unix(word[1:], rest)
            elif word.isdigit():
                self.pids.append(word)
            else:
                self._bsd(word)
        if not (self.every or self.pids or self.names):
            raise ValueError("of one terminal")

    def _unix(self, cluster: str, rest: list[str]) -> None:
        for at, letter in enumerate(cluster):
            if letter not in _UNIX:
                # `ps -aux` is read as `ps aux`, as nobody is called x.
                if cluster == "aux":
                    self._bsd(cluster)
                    return
                raise ValueError(f"-{letter}")
            self.every |= letter in "eA"
            self.full |= letter == "f"
            if letter in "pC":
                value = cluster[at + 1 :] or (rest.pop(0) if rest else "")
                (self.pids if letter == "p" else self.names).extend(re.split(r"[ ,]+", value))
                return

    def _bsd(self, cluster: str) -> None:
        for letter in cluster:
            if letter not in _BSD:
                raise ValueError(letter)
        if "u" in cluster:
            self.user_format = True
        if "a" not in cluster or "x" not in cluster:
            raise ValueError(cluster)
        self.every = True

    def ordered(self, processes: list[Process]) -> list[Process]:
        key = _SORTS[self.sort.lstrip("+-")]
        return sorted(processes, key=lambda p: int(getattr(p, key)), reverse=self.sort.startswith("-"))

    def holds(self, process: Process) -> bool:
        return self.every or str(process.pid) in self.pids or process.name in self.names


def main(ctx: Context) -> int:
    unknown = next((w for w in ctx.args if w.startswith("-") and len(w) > 1 and w[1] not in _KNOWN + "-"), None)
    if unknown is not None:
        ctx.err(_HELP.format("unsupported SysV option"))
        return 1
    try:
        wish = _Wish(ctx.args)
    except ValueError as error:
        return not_simulated(ctx, f"ps {error}")
    if any(not number.isdigit() for number in wish.pids):
        ctx.err(_HELP.format("process ID list syntax error"))
        return 1
    where = sites.find(ctx)
    if where.machine is None:
        return not_simulated(ctx, f"ps on {ctx.host}")
    if where.container is not None and where.client is not None:
        pod = where.client.find("pods", str(where.container["spec"]["pod"]), namespace_of(where.container))
        if get_in(pod, "spec", "shareProcessNamespace", default=False):
            return not_simulated(ctx, "ps in a shared process namespace")
    now, memory = ctx.now(), where.memory
    chosen = wish.ordered([process for process in of_site(where) if wish.holds(process)])
    if wish.user_format:
        ctx.out("USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n")
    elif wish.full:
        ctx.out("UID          PID    PPID  C STIME TTY          TIME CMD\n")
    else:
        ctx.out("    PID TTY          TIME CMD\n")
    for process in chosen:
        if wish.user_format:
            ctx.out(_user_line(process, now, memory))
        elif wish.full:
            ctx.out(_full_line(process, now))
        else:
            ctx.out(f"{process.pid:>7} {'?':<8} {_clock(process.cpu_seconds(now))} {process.name.strip('[]')}\n")
    return 0 if chosen else 1


def _user_line(process: Process, now: int, memory: int) -> str:
    seconds = process.cpu_seconds(now)
    share = f"{process.cpu / 10:.1f}" if process.cpu < 1000 else f"{process.cpu // 10}"
    return (
        f"{process.user:<8} {process.pid:>7} {share:>4} {process.resident * 100 / memory:>4.1f} {process.virtual:>6} "
        f"{process.resident:>5} {'?':<8} {process.state:<4} {_start(process.started, now):<5} "
        f"{f'{seconds // 60}:{seconds % 60:02}':>6} {process.command}\n"
    )


def _full_line(process: Process, now: int) -> str:
    return (
        f"{process.user:<8} {process.pid:>7} {process.parent:>7} {min(process.cpu // 10, 99):>2} "
        f"{_start(process.started, now):>5} {'?':<8} {_clock(process.cpu_seconds(now))} {process.command}\n"
    )


def _clock(seconds: int) -> str:
    days, seconds = divmod(seconds, 86_400)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{days}-{text}" if days else text


def _start(started: int, now: int) -> str:
    began, today = (datetime.fromtimestamp(ms // 1000, UTC) for ms in (started, now))
    if began.year != today.year:
        return spell(began, "%Y")
    return spell(began, "%H:%M" if began.date() == today.date() else "%b%d")
