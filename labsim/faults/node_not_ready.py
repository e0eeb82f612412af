"""The kubelet of a node stops; the node lifecycle controller finds it silent after its grace period."""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import MACHINES
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import set_in

PARAMETERS = (Parameter("node", "node", required=True, help="a node"),)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    machine = client.get(MACHINES, where["node"])
    kubelet = {**machine["status"]["kubelet"], "running": False}
    kubelet.pop("startedAt", None)
    client.update_status(MACHINES, set_in(machine, ("status", "kubelet"), kubelet))
