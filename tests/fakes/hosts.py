"""A world with a broken node, and calls of host programs in it."""

from __future__ import annotations

from collections.abc import Callable

from labsim import faults, worlds
from labsim.commands import registry
from labsim.commands.base import Result, WaitEnd
from labsim.kube.cluster import Cluster
from tests.fakes.context import FakeServices, context

Call = Callable[..., Result]


def broken_cluster() -> Cluster:
    """The busy world; on gpu-node2 GPU 3 fell off the bus and GPU 1 met a double bit error."""
    found = worlds.open_world("dgx-h100-busy", 1, freeze_objects=True)
    faults.inject(found, "xid", node="gpu-node2", gpu=3, code=79)
    faults.inject(found, "xid", node="gpu-node2", gpu=1, code=48)
    return found


def caller(cluster: Cluster) -> Call:
    """call(line, host=..., user=...) -> Result. Time that a program waits goes by in the cluster."""
    client = cluster.client("kubernetes-admin")

    class Services(FakeServices):
        def now(self) -> int:
            return cluster.clock.now

        def advance(self, until: Callable[[], bool] | None, timeout_ms: int | None) -> WaitEnd:
            end = cluster.clock.now + (600_000 if timeout_ms is None else timeout_ms)
            if cluster.loop.advance_to(end, until):
                return WaitEnd.DONE
            return WaitEnd.QUIET if timeout_ms is None else WaitEnd.TIMEOUT

    def call(line: str, host: str = "gpu-node2", user: str = "root") -> Result:
        argv = line.split()
        ctx = context(*argv, client=client, host=host, user=user, services=Services())
        program = registry.load(argv[0])
        assert program is not None
        code = program(ctx)
        cluster.loop.drain()
        return ctx.result(code)

    return call
