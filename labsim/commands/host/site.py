"""The machine under a program: a node, a container on a node, or the admin host, which is a plain virtual machine.

What a node shows comes from its Machine, its containers and the metrics of the cluster. The admin host runs nothing of
the cluster; its size is the table `ADMIN`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labsim.commands import place
from labsim.commands.base import Context
from labsim.commands.host.system import KERNEL
from labsim.hardware.machine import RESOURCE, booted_at
from labsim.hardware.usage import CONTAINERS
from labsim.kube.objects import Object, get_in, namespace_of
from labsim.kube.podresources import milli
from labsim.sim.clock import parse_time

if TYPE_CHECKING:
    from labsim.kube.client import Client

KIBI = 1024
# A small virtual machine. [U] made up; sizes in KiB.
ADMIN = {
    "cpus": 4,
    "memory": 16_374_252,
    "used": 1_204_880,
    "cached": 2_310_416,
    "disk": 101_430_960,
    "disk_used": 14_873_216,
}
ADMIN_ADDRESS = "10.141.0.2"


@dataclass(frozen=True)
class Site:
    """`node` is "" on the admin host. `client` sees the hidden resources; None where no cluster is at hand."""

    client: Client | None
    node: str
    machine: Object | None = None
    container: Object | None = None

    @property
    def kernel(self) -> str:
        """Release of the running kernel."""
        return str(get_in(self.machine, "spec", "system", "kernelVersion", default=KERNEL))

    @property
    def cpus(self) -> int:
        return int(self.machine["spec"]["cpus"]) if self.machine is not None else ADMIN["cpus"]

    @property
    def memory(self) -> int:
        """KiB. What the kernel has is what the kubelet reports as capacity."""
        if self.machine is None:
            return ADMIN["memory"]
        return self._capacity("memory") or int(self.machine["spec"]["memoryMi"]) * KIBI

    @property
    def disk(self) -> int:
        """KiB of the root file system."""
        from labsim.kubelet.node import DISK_KI

        return (self._capacity("ephemeral-storage") or DISK_KI) if self.machine is not None else ADMIN["disk"]

    def _capacity(self, resource: str) -> int:
        text = get_in(self.machine, "spec", "system", "capacity", resource)
        return milli(str(text)) // 1000 // KIBI if text else 0

    @property
    def booted(self) -> int | None:
        """Since when (ms) it is up. The admin host is as old as the cluster; None where there is no cluster."""
        if self.machine is not None:
            return booted_at(self.machine)
        first = self.client.find("namespaces", "kube-system") if self.client is not None else None
        return parse_time(first["metadata"]["creationTimestamp"]) if first is not None else None

    @property
    def privileged(self) -> bool:
        """Root of the host, or of a container with `privileged: true`."""
        if self.container is None or self.client is None:
            return True
        spec = self.container["spec"]
        pod = self.client.find("pods", str(spec["pod"]), namespace_of(self.container))
        for group in ("containers", "initContainers", "ephemeralContainers"):
            for one in get_in(pod, "spec", group, default=()):
                if one["name"] == spec["container"]:
                    return bool(get_in(one, "securityContext", "privileged", default=False))
        return False

    def containers(self) -> list[Object]:
        """What runs on the node, in the order of its start."""
        if self.client is None or not self.node:
            return []
        found = self.client.by_index(CONTAINERS, "spec.nodeName", self.node)
        running = [c for c in found if get_in(c, "status", "state") == "running"]
        return sorted(running, key=lambda c: (int(c["status"].get("startedAt", 0)), int(c["spec"].get("pid", 0))))


def find(ctx: Context) -> Site:
    if getattr(ctx.client, "api", None) is None:
        return Site(None, "")
    client = place.hardware_client(ctx)
    node, container = place.find(ctx, client)
    machine = client.find(RESOURCE, node)
    return Site(client, node if machine is not None else "", machine, container)
