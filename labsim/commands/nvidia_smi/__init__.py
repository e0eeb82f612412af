"""nvidia-smi of driver 580 on a DGX H100. `program.run` is pure; `call` reads and stores the node's Machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from labsim.hardware.machine import RESOURCE

if TYPE_CHECKING:
    from labsim.kube.client import Client
    from labsim.kube.objects import Object


def call(
    client: Client,
    node: str,
    container: Object | None,
    argv: Sequence[str],
    emit: Callable[[str], None],
    wait: Callable[[int], bool] | None = None,
    write: Callable[[str, str], None] | None = None,
) -> int | None:
    """Runs `nvidia-smi argv` on `node`, in `container` (a runtime object) or on the host. The exit code, or None where
    there is no such program.

    `client` needs an internal identity. `emit` takes standard output; `wait(ms)` lets time pass and says whether to go
    on; `write(path, text)` stores a file. Raises options.Refused for what is not played, also for -l and -f where the
    caller has no `wait` or `write`.
    """
    from labsim.commands.nvidia_smi import options, program, view

    said = ""
    while True:
        seen = view.load(client, node, container)
        if seen is None:
            return None
        result = program.run(seen, argv)
        if result.machine is not None:
            client.update(RESOURCE, result.machine)
        if result.filename:
            if write is None:
                raise options.Refused("nvidia-smi -f")
            said += result.text
            write(result.filename, said)
        else:
            emit(result.text)
        if not result.every or result.code:
            return result.code
        if wait is None:
            raise options.Refused("nvidia-smi -l")
        if not wait(result.every):
            return 130
