"""MIG Manager gave up a run because a client's pod did not go (gpu.md 2.7 a): the label reads a layout, the state stays
pending, nothing was applied. The next new value is handled as usual.
"""

from __future__ import annotations

from typing import Any

from labsim.faults import FaultError, Parameter
from labsim.faults.common import operand
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import name_of, namespace_of
from labsim.kubelet import runtime
from labsim.operators.gpu import names
from labsim.operators.gpu.mig_manager import MigManager, give_up
from labsim.operators.gpu.operands import mig_manager

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("config", "text", default="all-1g.10gb", help="the layout that was asked for"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    node = where["node"]
    pod = operand(client, node, mig_manager.NAME)
    found = runtime.find(client, namespace_of(pod), name_of(pod), mig_manager.NAME) if pod is not None else None
    if found is None or found["status"]["state"] != "running":
        raise FaultError(f"fault manager-client-stuck: no MIG Manager runs on {node}")
    manager = cluster.loop.controllers[MigManager.name]
    assert isinstance(manager, MigManager)
    give_up(manager, found, where["config"])
    client.patch(
        "nodes", node, {"metadata": {"labels": {names.MIG_CONFIG: where["config"], names.MIG_STATE: "pending"}}}
    )
