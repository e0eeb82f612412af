"""uptime, lscpu and hostnamectl."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.moments import spell
from labsim.commands.host.site import Site
from labsim.commands.host.systemctl import NO_SYSTEMD
from labsim.commands.host.words import Usage, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.hardware import dgx
from labsim.hardware.machine import DGX_H100
from labsim.kube.objects import get_in
from labsim.kube.strategies.metrics import NODE_BASE

# Two Xeon Platinum 8480C, as NVIDIA's DGX H100 user guide names them: (label, value, depth in the tree of a terminal).
_DGX_CPU = (
    ("Architecture", "x86_64", 0), ("CPU op-mode(s)", "32-bit, 64-bit", 1),
    ("Address sizes", "46 bits physical, 57 bits virtual", 1), ("Byte Order", "Little Endian", 1),
    ("CPU(s)", str(dgx.CPUS), 0), ("On-line CPU(s) list", f"0-{dgx.CPUS - 1}", 1),
    ("Vendor ID", "GenuineIntel", 0), ("Model name", "Intel(R) Xeon(R) Platinum 8480C", 1), ("CPU family", "6", 2),
    ("Model", "143", 2), ("Thread(s) per core", "2", 2), ("Core(s) per socket", "56", 2), ("Socket(s)", "2", 2),
    ("Stepping", "8", 2), ("CPU max MHz", "3800.0000", 2), ("CPU min MHz", "800.0000", 2), ("BogoMIPS", "4000.00", 2),
    ("Virtualization features", "", 0), ("Virtualization", "VT-x", 1),
    ("Caches (sum of all)", "", 0), ("L1d", "5.3 MiB (112 instances)", 1), ("L1i", "3.5 MiB (112 instances)", 1),
    ("L2", "224 MiB (112 instances)", 1), ("L3", "210 MiB (2 instances)", 1),
    ("NUMA", "", 0), ("NUMA node(s)", "2", 1), ("NUMA node0 CPU(s)", dgx.cpu_affinity(0), 1),
    ("NUMA node1 CPU(s)", dgx.cpu_affinity(7), 1),
)  # fmt: skip


def lscpu(ctx: Context) -> int:
    long = {
        "all": "a", "online": "b", "bytes": "B", "caches": "C", "offline": "c", "json": "J", "extended": "e",
        "parse": "p", "sysroot=": "s", "hex": "x", "physical": "y", "output-all": "output-all", "help": "h",
        "version": "V",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "abBCcJeps:xyhV", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    refused = unplayed(found, ())
    if refused:
        return not_simulated(ctx, f"lscpu {refused}")
    if found.rest:
        ctx.err("lscpu: bad usage\nTry 'lscpu --help' for more information.\n")
        return 1
    machine = sites.find(ctx).machine
    if machine is None or machine["spec"]["product"] != DGX_H100:
        return not_simulated(ctx, f"lscpu on {ctx.host}")
    # A terminal gets a tree; a pipe plain rows, without the headings of its branches.
    tree = ctx.stdout_is_tty
    rows = [
        ("  " * depth * tree + (label if tree or not label.startswith("L") else f"{label} cache") + ":", value)
        for label, value, depth in _DGX_CPU
        if value or tree
    ]
    width = 25 if tree else 33  # of the longest label, a vulnerability's
    ctx.out("".join(f"{label:<{width}}{value}".rstrip() + "\n" for label, value in rows))
    ctx.err("labsim: lscpu leaves out flags and vulnerabilities here\n")
    return 0


def _load(where: Site) -> str:
    """What is in use is taken to be runnable all the time, so that the three averages are one number [U]."""
    if where.machine is None:
        return "0.00"
    from labsim.commands.host.processes import usage_of

    used = NODE_BASE["cpu"] + sum(usage_of(where, container)["cpu"] for container in where.containers())
    return f"{used / 1000:.2f}"


def uptime(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "pshV", {"pretty": "p", "since": "s", "help": "h", "version": "V"})
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n\nUsage:\n uptime [options]\n\nFor more details see uptime(1).\n")
        return error.code
    refused = unplayed(found, ("p", "s"))
    where = sites.find(ctx)
    if refused or found.rest or where.booted is None:
        return not_simulated(ctx, f"uptime {refused or ''.join(found.rest[:1]) or 'on ' + ctx.host}")
    if "s" in found:
        ctx.out(spell(datetime.fromtimestamp(where.booted // 1000, UTC), "%F %T") + "\n")
        return 0
    seconds = (ctx.now() - where.booted) // 1000
    if "p" in found:
        ctx.out(f"up {_pretty(seconds)}\n")
        return 0
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    text = spell(datetime.fromtimestamp(ctx.now() // 1000, UTC), " %H:%M:%S up ")
    text += f"{days} day{'s' * (days != 1)}, " if days else ""
    text += f"{hours:2}:{minutes:02}, " if hours else f"{minutes} min, "
    users = 1 if where.container is None else 0  # whoever types
    load = _load(where)
    ctx.out(f"{text}{users:2} {'user' if users == 1 else 'users'},  load average: {load}, {load}, {load}\n")
    return 0


def _pretty(seconds: int) -> str:
    parts: list[str] = []
    for name, size in (("year", 31_536_000), ("week", 604_800), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        count, seconds = divmod(seconds, size)
        if count or (name == "minute" and not parts):
            parts.append(f"{count} {name}{'s' * (count != 1)}")
    return ", ".join(parts)


def hostnamectl(ctx: Context) -> int:
    if ctx.args not in ((), ("status",)):
        return not_simulated(ctx, f"hostnamectl {ctx.args[0]}")
    where = sites.find(ctx)
    if where.container is not None:
        ctx.err(NO_SYSTEMD)
        return 1
    node = where.client.find("nodes", where.node) if where.client is not None and where.node else None
    if where.machine is None or node is None:
        return not_simulated(ctx, f"hostnamectl on {ctx.host}")
    info = get_in(node, "status", "nodeInfo", default={})
    rows = [
        ("Static hostname", ctx.host), ("Icon name", "computer-server"), ("Chassis", "server"),
        ("Machine ID", info.get("machineID", "")), ("Boot ID", str(where.machine["spec"]["bootID"]).replace("-", "")),
        ("Operating System", info.get("osImage", "")), ("Kernel", f"Linux {where.kernel}"), ("Architecture", "x86-64"),
    ]  # fmt: skip
    if where.machine["spec"]["product"] == DGX_H100:
        rows += [("Hardware Vendor", "NVIDIA"), ("Hardware Model", DGX_H100)]
    ctx.out("".join(f"{label:>16}: {value}\n" for label, value in rows))
    return 0
