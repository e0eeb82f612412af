"""Reboots. A machine with `status.reboot: {"until": ms}` is down until then: what ran on it is gone, nobody answers.

Afterwards it is as `hardware.machine.rebooted` leaves it, and its kubelet registers with a new boot id.
"""

from __future__ import annotations

from labsim.hardware.machine import rebooted
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, set_in
from labsim.kubelet import runtime
from labsim.kubelet.context import MACHINES
from labsim.sim import names
from labsim.sim.clock import MINUTE
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key

BOOT = 5 * MINUTE  # firmware, memory training and operating system of a DGX H100 [U]
IDENTITY = "system:labsim:power"


def up(machine: Object) -> bool:
    """The machine is on and answers."""
    return get_in(machine, "status", "reboot") is None


def reboot(client: Client, node: str) -> None:
    """Go down now. Does nothing on a machine that is down already."""
    machine = client.get(MACHINES, node)
    if not up(machine):
        return
    kubelet = {k: v for k, v in get_in(machine, "status", "kubelet", default={}).items() if k not in _STAMPS}
    status = {**machine["status"], "reboot": {"until": client.now + BOOT}, "kubelet": {**kubelet, "running": False}}
    client.update_status(MACHINES, set_in(machine, ("status",), status))
    for container in runtime.on_node(client, node):
        if get_in(container, "status", "state") == "running":
            ended = {"state": "exited", "finishedAt": client.now, "exitCode": 255, "reason": "Unknown"}
            runtime.store(client, set_in(container, ("status",), {**container["status"], **ended}))


_STAMPS = ("startedAt", "since")


class Power(Controller):
    """Keys: (node,)."""

    name = "machine-power"
    watches = (Watch(MACHINES, lambda write: [(write.name,)]),)

    def __init__(self, cluster: Cluster) -> None:
        self.client = cluster.client(IDENTITY)
        self.seed = cluster.seed

    def reconcile(self, key: Key) -> After | None:
        machine = self.client.find(MACHINES, key[0])
        until = get_in(machine, "status", "reboot", "until")
        if machine is None or until is None:
            return None
        now = self.client.now
        if now < int(until):
            return After(int(until) - now)
        fresh = rebooted(machine, names.uid(self.seed, "boot-id", key[0], now), now)
        status = {k: v for k, v in fresh["status"].items() if k != "reboot"}
        # The boot id is part of the spec, so spec and status are two writes; the kubelet starts with the second.
        changed = self.client.update(MACHINES, {**machine, "spec": fresh["spec"]})
        self.client.update_status(MACHINES, {**changed, "status": status})
        return None
