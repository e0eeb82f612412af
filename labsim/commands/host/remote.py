"""ssh and sudo: another host or user, for one command or as a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import Context, NoTerminal, SessionSpec
from labsim.commands.host.words import Usage, parse
from labsim.commands.notsimulated import not_simulated

if TYPE_CHECKING:
    from labsim.kube.objects import Object

LOCALS = ("localhost", "127.0.0.1")


def ssh(ctx: Context) -> int:
    from labsim.kubelet.power import up

    try:
        found = parse(ctx.name, ctx.args, "tTqvnfNACXo:p:l:i:F:", stop=True)
    except Usage as error:
        ctx.err(str(error).split("\n")[0].replace("invalid option --", "unknown option --") + "\n")
        return 255
    for option in "fNXpF":
        if option in found:
            return not_simulated(ctx, f"ssh -{option}")
    if not found.rest:
        ctx.err(
            "usage: ssh [-46AaCfGgKkMNnqsTtVvXxYy] [-l login_name] [-o option] destination [command [argument ...]]\n"
        )
        return 255
    target, *command = found.rest
    user, _, host = target.rpartition("@")
    user = user or found.options.get("l") or ctx.user
    if host in LOCALS:
        host = ctx.host
    node = ctx.client.find("nodes", host) if ctx.client is not None else None
    if node is None and host not in (ctx.host, "kadmin"):
        ctx.err(f"ssh: Could not resolve hostname {host}: Name or service not known\n")
        return 255
    machine = _machine(ctx, host)
    if host != ctx.host and machine is not None and not up(machine):
        ctx.err(f"ssh: connect to host {host} port 22: No route to host\n")
        return 255
    if user != "root":
        ctx.err(f"{user}@{host}: Permission denied (publickey).\n")
        return 255
    spec = SessionSpec(
        host, user, "/root", f"{user}@{host}:\\w# ", files=host, farewell=f"logout\nConnection to {host} closed.\n",
        start_files=_release(machine),
    )  # fmt: skip
    if command:
        result = ctx.services.on_host(ctx, spec, " ".join(command))
        ctx.out(result.stdout)
        ctx.err(result.stderr)
        return result.exit_code
    try:
        ctx.push_session(spec)
    except NoTerminal:
        ctx.err("Pseudo-terminal will not be allocated because stdin is not a terminal.\n")
        result = ctx.services.on_host(ctx, spec, ctx.stdin)
        ctx.out(result.stdout)
        ctx.err(result.stderr)
        return result.exit_code
    return 0


def _machine(ctx: Context, host: str) -> Object | None:
    from labsim.commands.place import hardware_client
    from labsim.hardware.machine import RESOURCE

    if getattr(ctx.client, "api", None) is None:
        return None
    return hardware_client(ctx).find(RESOURCE, host)


def _release(machine: Object | None) -> dict[str, str]:
    """/etc/dgx-release of a DGX: the names as DGX OS writes them, the version [U]."""
    from labsim.hardware.machine import DGX_H100

    if machine is None or machine["spec"]["product"] != DGX_H100:
        return {}
    rows = {
        "NAME": "DGX Server", "PRETTY_NAME": "NVIDIA DGX Server", "SWBUILD_VERSION": "6.3.1",
        "PLATFORM": f"DGX Server for {DGX_H100}", "SERIAL_NUMBER": machine["spec"]["serial"],
    }  # fmt: skip
    return {"/etc/dgx-release": "".join(f'DGX_{key}="{value}"\n' for key, value in rows.items())}


def sudo(ctx: Context) -> int:
    """Everybody may become root without a password, as on a lab's admin host."""
    try:
        found = parse(ctx.name, ctx.args, "EHnSiskKvlu:", stop=True)
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n")
        return 1
    if found.options.get("u", "root") != "root":
        ctx.err(f"sudo: unknown user {found.options['u']}\nsudo: error initializing audit plugin sudoers_audit\n")
        return 1
    for option in "kKvl":
        if option in found:
            return not_simulated(ctx, f"sudo -{option}")
    if not found.rest:
        if "i" not in found and "s" not in found:
            ctx.err("usage: sudo -h | -K | -k | -V\nusage: sudo [-EHnS] [-u user] [-i | -s] [command [arg ...]]\n")
            return 1
        farewell = "logout\n" if "i" in found else "exit\n"
        try:
            ctx.push_session(
                SessionSpec(ctx.host, "root", "/root", f"root@{ctx.host}:\\w# ", files=ctx.host, farewell=farewell)
            )
        except NoTerminal:
            return not_simulated(ctx, "sudo -i inside a line")
        return 0
    result = ctx.spawn(found.rest, user="root")
    ctx.out(result.stdout)
    ctx.err(
        result.stderr.replace(f"bash: {found.rest[0]}: command not found", f"sudo: {found.rest[0]}: command not found")
    )
    return 1 if result.exit_code == 127 else result.exit_code
