"""systemctl (systemd 249). The kubelet starts and stops; what would change nothing in the lab is refused."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import journal, moments, power
from labsim.commands.host import site as sites
from labsim.commands.host.site import Site
from labsim.commands.host.units import OTHERS, Unit, units
from labsim.commands.host.words import Usage, Words, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.hardware.machine import RESOURCE
from labsim.kube.objects import get_in, set_in

NO_SYSTEMD = (
    "System has not been booted with systemd as init system (PID 1). Can't operate.\n"
    "Failed to connect to bus: Host is down\n"
)
_LONG = {
    "no-pager": "no-pager", "full": "l", "lines=": "n", "type=": "t", "state=": "state", "all": "a", "quiet": "q",
    "now": "now", "failed": "failed", "no-legend": "no-legend", "plain": "plain", "property=": "p", "output=": "o",
    "user": "user", "system": "system", "force": "f", "host=": "H", "no-block": "no-block", "value": "value",
    "runtime": "runtime", "root=": "root", "signal=": "s", "job-mode=": "job-mode",
}  # fmt: skip
# Nothing is paged or cut, and --system is the default: these change nothing.
_PLAYED = ("no-pager", "l", "n", "q", "system", "t", "state", "a", "no-legend", "failed")
_CHANGES = ("start", "stop", "restart", "try-restart")
_ASKS = ("is-active", "is-enabled", "is-failed")
_ELSE = (
    "reload", "kill", "enable", "disable", "mask", "unmask", "daemon-reload", "daemon-reexec", "show", "cat", "edit",
    "list-unit-files", "list-timers", "list-sockets", "list-dependencies", "list-jobs", "reset-failed", "isolate",
    "poweroff", "halt", "kexec", "suspend", "rescue", "emergency", "default", "get-default", "set-default",
    "set-property", "help", "reload-or-restart", "preset", "is-system-running", "list-machines", "link", "revert",
)  # fmt: skip


def main(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "ln:t:aqp:o:fH:s:", _LONG)
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n")
        return error.code
    refused = unplayed(found, _PLAYED)
    if refused:
        return not_simulated(ctx, f"systemctl {refused}")
    where = sites.find(ctx)
    if where.container is not None:
        ctx.err(NO_SYSTEMD)
        return 1
    verb, *rest = found.rest or ["list-units"]
    names = [name.removesuffix(".service") for name in rest]
    if verb == "list-units":
        return _list(ctx, where, found, names)
    if verb == "reboot" and not names:
        return power.go_down(ctx)
    if verb in _ELSE or (verb == "status" and not names):
        return not_simulated(ctx, f"systemctl {verb}")
    if verb not in (*_CHANGES, *_ASKS, "status"):
        ctx.err(f"Unknown command verb {verb}.\n")
        return 1
    if not names:
        ctx.err("Too few arguments.\n")
        return 1
    strange = next((name for name in names if name in OTHERS or "." in name or "*" in name), None)
    if strange is not None:
        return not_simulated(ctx, f"systemctl {verb} {strange}")
    if verb in _CHANGES:
        return max(_change(ctx, where, verb, name) for name in names)
    have = units(where)
    if verb == "status":
        return max(_status(ctx, where, name, have.get(name), found) for name in names)
    return _ask(ctx, verb, [have.get(name) for name in names], "q" in found)


def _ask(ctx: Context, verb: str, asked: list[Unit | None], quiet: bool) -> int:
    words = []
    for unit in asked:
        if verb == "is-enabled":
            words.append("enabled" if unit is not None else "")
        else:
            words.append("active" if unit is not None and unit.active else "inactive")
    good = {"is-active": "active", "is-enabled": "enabled", "is-failed": "failed"}[verb]
    for word, asked_for in zip(words, ctx.args[-len(words) :]):
        if not word:
            name = asked_for.removesuffix(".service")
            ctx.err(f"Failed to get unit file state for {name}.service: No such file or directory\n")
        elif not quiet:
            ctx.out(word + "\n")
    return 0 if good in words else 3 if verb == "is-active" else 1


def _status(ctx: Context, where: Site, name: str, unit: Unit | None, found: Words) -> int:
    if unit is None:
        ctx.err(f"Unit {name}.service could not be found.\n")
        return 4
    path = f"/lib/systemd/system/{name}.service"
    ctx.out(f"{'●' if unit.active else '○'} {name}.service - {unit.description}\n")
    ctx.out(f"     Loaded: loaded ({path}; enabled; vendor preset: enabled)\n")
    if unit.dropin:
        folder, _, file = unit.dropin.partition("\n")
        ctx.out(f"    Drop-In: {folder}\n             └─{file}\n")
    word = "active (running)" if unit.active else "inactive (dead)"
    ctx.out(f"     Active: {word}{_since(unit.since, ctx.now())}\n")
    if unit.docs:
        ctx.out(f"       Docs: {unit.docs}\n")
    if unit.active:
        ctx.out(f"   Main PID: {unit.pid} ({unit.program})\n")
        ctx.out(f"     CGroup: /system.slice/{name}.service\n             └─{unit.pid} {unit.command}\n")
    lines = journal.of_unit(where, name)
    count = found.options.get("n", "10")
    shown = lines[max(len(lines) - int(count), 0) :] if count.isdigit() else lines
    if shown:
        ctx.out("\n" + "".join(journal.printed(line, ctx.host) for line in shown))
    return 0 if unit.active else 3


def _since(since: int | None, now: int) -> str:
    if since is None:
        return ""
    stamp = moments.spell(datetime.fromtimestamp(since // 1000, UTC), "%a %F %T UTC")
    return f" since {stamp}; {ago((now - since) // 1000)} ago"


def ago(seconds: int) -> str:
    """As systemd's format_timestamp_relative: the two largest units."""
    day, month, year = 86_400, 2_629_800, 31_557_600
    if seconds >= year:
        years, months = seconds // year, seconds % year // month
        return f"{years} year{'s' * (years > 1)} {months} month{'s' * (months != 1)}"
    if seconds >= month:
        months, days = seconds // month, seconds % month // day
        return f"{months} month{'s' * (months > 1)} {days} day{'s' * (days != 1)}"
    if seconds >= 7 * day:
        weeks, days = seconds // (7 * day), seconds % (7 * day) // day
        return f"{weeks} week{'s' * (weeks > 1)} {days} day{'s' * (days != 1)}"
    if seconds >= 2 * day:
        return f"{seconds // day} days"
    if seconds >= day:
        return f"1 day {seconds % day // 3600}h"
    if seconds >= 3600:
        return f"{seconds // 3600}h {seconds % 3600 // 60}min"
    if seconds >= 300:
        return f"{seconds // 60}min"
    if seconds >= 60:
        return f"{seconds // 60}min {seconds % 60}s"
    return f"{seconds}s"


def _list(ctx: Context, where: Site, found: Words, names: list[str]) -> int:
    if where.machine is None:
        return not_simulated(ctx, f"systemctl list-units on {ctx.host}")
    state = "failed" if "failed" in found else found.options.get("state", "")
    if names or found.options.get("t", "service") != "service" or state not in ("", "running", "active", "failed"):
        return not_simulated(ctx, "systemctl list-units of other types, states or names")
    rows = [unit for unit in sorted(units(where).values(), key=lambda u: u.name) if unit.active and state != "failed"]
    width = max([len(unit.name) + 8 for unit in rows], default=4)
    if rows and "no-legend" not in found:
        ctx.out(f"  {'UNIT':<{width}} LOAD   ACTIVE SUB     DESCRIPTION\n")
    for unit in rows:
        ctx.out(f"  {unit.name + '.service':<{width}} loaded active running {unit.description}\n")
    if "no-legend" not in found:
        if rows:
            ctx.out(
                "\nLOAD   = Reflects whether the unit definition was properly loaded.\n"
                "ACTIVE = The high-level unit activation state, i.e. generalization of SUB.\n"
                "SUB    = The low-level unit activation state, values depend on unit type.\n"
            )
        else:
            ctx.out(f"  {'UNIT'} LOAD ACTIVE SUB DESCRIPTION\n")
        ctx.out(f"{len(rows)} loaded units listed.\n")
    ctx.err("labsim: systemctl lists only the units of cluster and driver here\n")
    return 0


def _change(ctx: Context, where: Site, verb: str, name: str) -> int:
    if ctx.user != "root":
        ctx.err(f"Failed to {verb} {name}.service: Interactive authentication required.\n")
        ctx.err(f"See system logs and 'systemctl status {name}.service' for details.\n")
        return 1
    unit = units(where).get(name)
    if unit is None or where.client is None:
        ctx.err(
            f"Failed to {verb} {name}.service: Unit {name}.service not {'loaded' if verb == 'stop' else 'found'}.\n"
        )
        return 5
    if unit.active == (verb == "start") and verb in ("start", "stop"):
        return 0
    if name != "kubelet":
        return not_simulated(ctx, f"systemctl {verb} {name}")
    if verb == "try-restart" and not unit.active:
        return 0
    machine = where.client.get(RESOURCE, where.node)
    before = get_in(machine, "status", "kubelet", default={})
    # Whoever writes plain `running` starts or stops it; the kubelet notes the times.
    after = {k: v for k, v in before.items() if k not in ("startedAt", "since")} | {"running": verb != "stop"}
    where.client.update_status(RESOURCE, set_in(machine, ("status", "kubelet"), after))
    return 0
