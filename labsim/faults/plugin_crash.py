"""The device plugin of a node ends with an error at each start."""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import bound, kill, note, operand
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.operators.gpu.operands import device_plugin

# What a plugin says whose NVML calls fail [U].
MESSAGE = (
    "error starting plugins: error getting plugins: unable to create plugins: failed to construct resource managers: "
    "error building device map: error building device map from config.resources: error building GPU device map: "
    "error visiting device: error getting device handle for index '0': Unknown Error"
)

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("message", "text", default=MESSAGE, help="the error in its log"),
    Parameter("lasts", "span", default="pod", help="pod or node"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    node = where["node"]
    uid = bound(client, node, device_plugin.NAME, where["lasts"])
    note(client, node, "plugin-crash", {"message": where["message"], "podUID": uid})
    kill(client, operand(client, node, device_plugin.NAME), device_plugin.CONTAINER, 1)
