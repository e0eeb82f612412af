"""Node Feature Discovery no longer describes a node: all its labels go, or only those named in `labels`."""

from __future__ import annotations

from typing import Any

from labsim.faults import FaultError, Parameter
from labsim.faults.common import kill, note
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in, labels_of
from labsim.operators.gpu import names

PARAMETERS = (
    Parameter("node", "node", required=True, help="a node"),
    Parameter("labels", "list", help="only these labels are lost; all when left out"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    node = where["node"]
    have = labels_of(client.get("nodes", node))
    for label in where["labels"] or ():
        if label not in have:
            raise FaultError(f"fault nfd-off: {node} has no label {label}")
    note(client, node, "nfd-off", {"labels": where["labels"]})
    if where["labels"]:
        return
    # The worker ends, and what it last said of the node goes with it.
    if client.find(names.NODE_FEATURES, node, names.NAMESPACE) is not None:
        client.delete(names.NODE_FEATURES, node, names.NAMESPACE)
    for pod in client.by_index("pods", "label", "role=worker", names.NAMESPACE):
        if get_in(pod, "spec", "nodeName") == node:
            kill(client, pod, "worker", 1)
