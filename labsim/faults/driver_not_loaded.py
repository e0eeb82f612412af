"""The kernel modules of a node are gone and the driver pod cannot load them; by default until that pod is replaced."""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import MACHINES, bound, kill, note, operand
from labsim.hardware.machine import with_driver
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.operators.gpu.operands import driver

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("lasts", "span", default="pod", help="pod or node"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    node = where["node"]
    uid = bound(client, node, driver.NAME, where["lasts"])
    status = with_driver(client.get(MACHINES, node), False)["status"]
    note(client, node, "driver-not-loaded", {"podUID": uid}, driver=status["driver"], gpus=status["gpus"])
    kill(client, operand(client, node, driver.NAME), "nvidia-driver-ctr", 1)
