"""Pod address ranges: each node gets the first free /24 of 10.244.0.0/16 (pkg/controller/nodeipam)."""

from __future__ import annotations

from labsim.controllers.common import Manager
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in, merge_in
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

PREFIX = (10, 244)
_BITS = 16  # of the cluster range


class NodeIpamController(Manager):
    name = "node-ipam"
    account = "node-controller"
    component = "cidrAllocator"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch("nodes", _keys),)

    def reconcile(self, key: Key) -> After | None:
        node = self.client.find("nodes", key[0])
        if node is None or get_in(node, "spec", "podCIDR"):
            return None
        used = {get_in(other, "spec", "podCIDR") for other in self.client.list("nodes")}
        cidr = next((c for c in _ranges(self.client.api.store.count("nodes")) if c not in used), None)
        if cidr is None:
            text = f"Node {key[0]} status is now: CIDRNotAvailable"
            self.recorder.event(node, "Normal", "CIDRNotAvailable", text)
            return None
        self.client.update("nodes", merge_in(node, ("spec",), {"podCIDR": cidr, "podCIDRs": [cidr]}))
        return None


def _keys(write: Write) -> list[Key]:
    after = write.after
    return [(write.name,)] if after is not None and not get_in(after, "spec", "podCIDR") else []


def _ranges(nodes: int) -> list[str]:
    """/24s; in clusters of more than 256 nodes the range goes on into the next second octets."""
    count = max(1 << (24 - _BITS), nodes + 1)
    first, second = PREFIX
    return [f"{first}.{second + n // 256}.{n % 256}.0/24" for n in range(count) if second + n // 256 < 256]
