"""A registry does not have an image that something asks for."""

from __future__ import annotations

from typing import Any

from labsim.faults import Parameter
from labsim.faults.common import MACHINES, nodes, note
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in

PARAMETERS = (
    Parameter("image", "text", required=True, help="an image with its tag"),
    Parameter("node", "node", help="a node; all when left out"),
)


def inject(cluster: Cluster, client: Client, **where: Any) -> None:
    for node in nodes(client, where["node"]):
        machine = client.get(MACHINES, node)
        images = get_in(machine, "status", "faults", "image-missing", "images", default=[])
        note(client, node, "image-missing", {"images": sorted({*images, where["image"]})})
