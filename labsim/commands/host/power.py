"""reboot and `shutdown -r now` of a node. It comes back by itself; a machine that is switched off would not."""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.notsimulated import not_simulated


def reboot(ctx: Context) -> int:
    if ctx.args:
        return not_simulated(ctx, f"reboot {ctx.args[0]}")
    return go_down(ctx)


def shutdown(ctx: Context) -> int:
    if ctx.args not in (("-r", "now"), ("now", "-r"), ("-r", "+0")):
        return not_simulated(ctx, "shutdown but for shutdown -r now")
    return go_down(ctx)


def go_down(ctx: Context) -> int:
    """The session ends as the host's sshd goes."""
    from labsim.kubelet.power import reboot as power_cycle

    where = sites.find(ctx)
    if where.machine is None or where.container is not None or where.client is None:
        return not_simulated(ctx, f"{ctx.name} on {ctx.host}")
    if ctx.user != "root":
        ctx.err(
            "Failed to set wall message, ignoring: Interactive authentication required.\n"
            "Failed to reboot system via logind: Interactive authentication required.\n"
            "Failed to open initctl fifo: Permission denied\nFailed to talk to init daemon.\n"
        )
        return 1
    power_cycle(where.client, where.node)
    ctx.services.hang_up(where.node)
    return 0
