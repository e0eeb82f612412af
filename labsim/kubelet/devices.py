"""The device manager: plugins' devices to Capacity and Allocatable, and who holds which device (gpu.md 3.4)."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in
from labsim.kubelet import runtime
from labsim.sim.clock import MINUTE

PLUGINS = "deviceplugins.runtime.labsim"
# How long a resource whose plugin has gone keeps its capacity (endpointStopGracePeriod).
STOP_GRACE = 5 * MINUTE


class AllocationError(Exception):
    """The text of an UnexpectedAdmissionError."""


def plugins(client: Client, node: str) -> dict[str, Object]:
    """Served plugins by resource."""
    return {str(p["spec"]["resource"]): p for p in client.by_index(PLUGINS, "spec.nodeName", node)}


def held(client: Client, node: str, resource: str) -> set[str]:
    """Device ids in the kubelet's checkpoint."""
    return {
        str(device)
        for container in runtime.on_node(client, node)
        for device in get_in(container, "spec", "devices", resource, default=())
    }


def is_device(resource: str) -> bool:
    """An extended resource (has a domain that is not kubernetes.io)."""
    domain = resource.partition("/")[0] if "/" in resource else ""
    return bool(domain) and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")


def allocate(client: Client, node: Object, pod: Object) -> dict[str, dict[str, list[str]]]:
    """Container name -> resource -> device ids, lowest free first. Raises AllocationError.

    App containers may reuse the devices of the init containers before them, as those have ended by then.
    """
    name = node["metadata"]["name"]
    served = plugins(client, name)
    capacity = get_in(node, "status", "capacity", default={})
    taken: dict[str, set[str]] = {}
    reusable: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[str]]] = {}
    for group in ("initContainers", "containers"):
        for spec in get_in(pod, "spec", group, default=()):
            own: dict[str, list[str]] = {}
            for resource, amount in sorted((get_in(spec, "resources", "limits", default={})).items()):
                if not is_device(resource) or not (resource in served or resource in capacity):
                    continue
                if resource not in served and not _from_plugin(node, resource):
                    continue
                wanted = int(str(amount))
                if wanted == 0:
                    continue
                if resource not in taken:
                    taken[resource] = held(client, name, resource)
                own[resource] = _pick(
                    served.get(resource), resource, wanted, taken[resource], reusable.get(resource, [])
                )
                taken[resource].update(own[resource])
                if group == "initContainers" and spec.get("restartPolicy") != "Always":
                    reusable.setdefault(resource, []).extend(own[resource])
                else:
                    reusable[resource] = [d for d in reusable.get(resource, []) if d not in own[resource]]
            found[spec["name"]] = own
    return found


def _from_plugin(node: Object, resource: str) -> bool:
    """Whether the resource was ever a plugin's: its name is among those the kubelet keeps for the node."""
    return resource in get_in(node, "status", "allocatable", default={})


def _pick(plugin: Object | None, resource: str, wanted: int, taken: set[str], reusable: list[str]) -> list[str]:
    devices: Iterable[Object] = plugin["spec"]["devices"] if plugin is not None else ()
    healthy = [str(device["id"]) for device in devices if device.get("healthy", True)]
    again = [device for device in reusable if device in healthy][:wanted]
    need = wanted - len(again)
    if need == 0:
        return again
    if not healthy:
        raise AllocationError(
            f"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices {resource}, "
            "which is unexpected"
        )
    free = [device for device in healthy if device not in taken]
    if len(free) < need:
        raise AllocationError(
            f"Allocate failed due to requested number of devices unavailable for {resource}. "
            f"Requested: {need}, Available: {len(free)}, which is unexpected"
        )
    return again + free[:need]


def node_resources(
    served: dict[str, Object], stopped: dict[str, int], capacity: Object, allocatable: Object, now: int
) -> tuple[Object, Object, dict[str, int], int | None]:
    """(capacity, allocatable, stopped, next change in ms) of a node.

    `stopped`: resource -> when its plugin's socket vanished. A resource once registered keeps its key for ever.
    """
    capacity, allocatable, still = dict(capacity), dict(allocatable), dict(stopped)
    due: int | None = None
    for resource, plugin in sorted(served.items()):
        devices = plugin["spec"]["devices"]
        capacity[resource] = str(len(devices))
        allocatable[resource] = str(sum(1 for device in devices if device.get("healthy", True)))
        still.pop(resource, None)
    for resource, at in sorted(still.items()):
        allocatable[resource] = "0"
        if now >= at + STOP_GRACE:
            capacity[resource] = "0"
            del still[resource]
        else:
            capacity.setdefault(resource, "0")
            due = at + STOP_GRACE if due is None else min(due, at + STOP_GRACE)
    return capacity, allocatable, still, due
