"""containerd of a node has lost its `nvidia` runtime: pods of that RuntimeClass get no sandbox.

By default it ends when the container toolkit's pod is replaced, which configures the runtime again.
"""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import bound, note
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.operators.gpu.operands import toolkit

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("lasts", "span", default="pod", help="pod or node"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    uid = bound(client, where["node"], toolkit.NAME, where["lasts"])
    note(client, where["node"], "toolkit-missing", {"podUID": uid}, toolkit={"configured": False})
