"""Who and where am I: hostname, uname, whoami, id, groups, nproc, uptime, tty, clear."""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.host.words import Usage, extra, parse
from labsim.commands.notsimulated import not_simulated

# DGX OS 6 on Ubuntu 22.04 (gpu.md 0): kernel of its release notes.
KERNEL = "5.15.0-1063-nvidia"
_BUILT = "Fri Aug 9 17:13:45 UTC 2024"  # [U] for any other kernel than that


def kernel_version(release: str) -> str:
    """`uname -v`. Ubuntu's upload 5.15.0-1063.64 is called #64."""
    abi = release.split("-")[1] if release.count("-") > 1 else ""
    return f"#{int(abi) - 999}-Ubuntu SMP {_BUILT}" if abi.isdigit() else f"#1 SMP {_BUILT}"


def hostname(ctx: Context) -> int:
    words = list(ctx.args)
    if words in ([], ["-s"], ["--short"]):
        ctx.out(ctx.host.split(".")[0] + "\n" if words else ctx.host + "\n")
        return 0
    if words in (["-f"], ["--fqdn"], ["--long"]):
        ctx.out(ctx.host + "\n")
        return 0
    return not_simulated(ctx, f"hostname {words[0]}")


def uname(ctx: Context) -> int:
    from labsim.commands.host import site

    release = site.find(ctx).kernel
    parts = {
        "s": "Linux", "n": ctx.host, "r": release, "v": kernel_version(release), "m": "x86_64", "p": "x86_64",
        "i": "x86_64", "o": "GNU/Linux",
    }  # fmt: skip
    long = {
        "all": "a", "kernel-name": "s", "nodename": "n", "kernel-release": "r", "kernel-version": "v", "machine": "m",
        "processor": "p", "hardware-platform": "i", "operating-system": "o",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "asnrvmpio", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if found.rest:
        return extra(ctx, found.rest[0])
    wanted = "snrvmpio" if "a" in found else [k for k in parts if k in found] or "s"
    ctx.out(" ".join(parts[key] for key in wanted) + "\n")
    return 0


def whoami(ctx: Context) -> int:
    if ctx.args:
        return extra(ctx, ctx.args[0])
    ctx.out(ctx.user + "\n")
    return 0


def _number(ctx: Context) -> int:
    return 0 if ctx.user == "root" else 1000


def identity(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "ugGnr")
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if found.rest and found.rest[0] != ctx.user:
        ctx.err(f"id: ‘{found.rest[0]}’: no such user\n")
        return 1
    number, name = _number(ctx), ctx.user
    if any(key in found for key in "ugG"):
        ctx.out(f"{name if 'n' in found else number}\n")
    elif found.options:
        ctx.err("id: cannot print only names or real IDs in default format\n")
        return 1
    else:
        ctx.out(f"uid={number}({name}) gid={number}({name}) groups={number}({name})\n")
    return 0


def groups(ctx: Context) -> int:
    ctx.out(ctx.user + "\n")
    return 0


def nproc(ctx: Context) -> int:
    from labsim.commands.host import site

    try:
        found = parse(ctx.name, ctx.args, "", {"all": "all", "ignore=": "ignore"})
    except Usage as error:
        ctx.err(str(error))
        return error.code
    if found.rest:
        return extra(ctx, found.rest[0])
    ignored = found.options.get("ignore", "0")
    if not ignored.isdigit():
        ctx.err(f"nproc: invalid number: ‘{ignored}’\n")
        return 1
    ctx.out(f"{max(site.find(ctx).cpus - int(ignored), 1)}\n")
    return 0


def tty(ctx: Context) -> int:
    ctx.out("/dev/pts/0\n" if ctx.stdin_is_tty else "not a tty\n")
    return 0 if ctx.stdin_is_tty else 1


def clear(ctx: Context) -> int:
    ctx.out("\x1b[H\x1b[2J\x1b[3J")
    return 0
