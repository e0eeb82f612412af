"""A node (or all of them) cannot reach an image registry (or any): pulls time out."""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import nodes, note
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster

PARAMETERS = (
    Parameter("node", "node", help="a node; all when left out"),
    Parameter("registry", "text", help="a registry's host name; all when left out"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    for node in nodes(client, where["node"]):
        note(client, node, "registry-unreachable", {"registry": where["registry"]})
