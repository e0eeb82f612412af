"""The program `nvidia-smi` for the shell and for `kubectl exec`."""

from __future__ import annotations

from labsim.commands import place
from labsim.commands.base import Context, WaitEnd
from labsim.commands.notsimulated import not_simulated
from labsim.commands.nvidia_smi import call
from labsim.commands.nvidia_smi.options import Refused


def main(ctx: Context) -> int:
    client = place.hardware_client(ctx)
    node, container = place.find(ctx, client)

    def wait(ms: int) -> bool:
        return ctx.advance(timeout_ms=ms) is WaitEnd.TIMEOUT

    try:
        code = call(client, node, container, ctx.args, ctx.emit, wait, ctx.fs.write_text)
    except Refused as refused:
        return not_simulated(ctx, str(refused))
    if code is None:
        ctx.err("bash: nvidia-smi: command not found\n")
        return 127
    return code
