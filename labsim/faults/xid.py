"""An Xid error of a GPU (gpu.md 3.6): with a critical code the device plugin marks the device unhealthy.

Xid 79 is a GPU that has fallen off the bus: NVML calls on it fail from then on.
"""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import MACHINES
from labsim.hardware.machine import gpus, with_xid
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster

FALLEN_OFF = 79

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("gpu", "gpu", required=True, help="an index or all"),
    Parameter("code", "int", default=FALLEN_OFF, help="the Xid"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    machine = client.get(MACHINES, where["node"])
    wanted = [gpu["index"] for gpu in gpus(machine)] if where["gpu"] == "all" else [where["gpu"]]
    for index in wanted:
        machine = with_xid(machine, index, where["code"], client.now, lost=where["code"] == FALLEN_OFF)
    client.update_status(MACHINES, machine)
