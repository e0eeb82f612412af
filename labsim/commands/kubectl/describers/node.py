"""describe node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl.describers.base import quantity, stamp, yes
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of
from labsim.kube.podresources import amounts, pod_amounts

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page

_SYSTEM = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
)
_ROLE = "node-role.kubernetes.io/"


def roles(node: Object) -> list[str]:
    found = set()
    for key, value in labels_of(node).items():
        if key.startswith(_ROLE) and key != _ROLE:
            found.add(key[len(_ROLE) :])
        elif key == "kubernetes.io/role" and value:
            found.add(value)
    return sorted(found)


def describe(page: Page, node: Object, events: bool) -> None:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    page.field("Name", name_of(node))
    page.field("Roles", ",".join(roles(node)) or "<none>")
    page.labels_and_annotations(node)
    page.field("CreationTimestamp", stamp(get_in(node, "metadata", "creationTimestamp")))
    _taints(page, spec.get("taints") or ())
    page.field("Unschedulable", yes(spec.get("unschedulable")))
    _lease(page, name_of(node))
    if status.get("conditions"):
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage")
        page.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
        for c in status["conditions"]:
            times = f"{stamp(c.get('lastHeartbeatTime'))} \t{stamp(c.get('lastTransitionTime'))}"
            page.line(
                1,
                f"{c.get('type', '')} \t{c.get('status', '')} \t{times} \t{c.get('reason', '')} "
                f"\t{c.get('message', '')}",
            )
    page.line(0, "Addresses:")
    for address in status.get("addresses") or ():
        page.field(address.get("type", ""), address.get("address", ""), 1)
    for title, key in (("Capacity", "capacity"), ("Allocatable", "allocatable")):
        if status.get(key):
            page.line(0, f"{title}:")
            for name, value in sorted(status[key].items()):
                page.field(name, quantity(value), 1)
    page.line(0, "System Info:")
    for label, key in _SYSTEM:
        page.field(label, get_in(status, "nodeInfo", key, default=""), 1)
    if spec.get("podCIDR"):
        page.field("PodCIDR", spec["podCIDR"])
    if spec.get("podCIDRs"):
        page.field("PodCIDRs", ",".join(spec["podCIDRs"]))
    if spec.get("providerID"):
        page.field("ProviderID", spec["providerID"])
    selector = f"spec.nodeName={name_of(node)},status.phase!=Succeeded,status.phase!=Failed"
    _pods(page, node, page.client.list("pods", field_selector=selector))
    if events:
        page.events({**node, "kind": "Node"}, extra_uids=(name_of(node),))


def _taints(page: Page, taints: Sequence[Object]) -> None:
    lines = []
    for taint in sorted(taints, key=lambda t: f"{t.get('effect', '')},{t.get('key', '')}"):
        value = f"={taint['value']}" if taint.get("value") else ""
        lines.append(f"{taint.get('key', '')}{value}:{taint.get('effect', '')}")
    page.lines("Taints:", lines)


def _lease(page: Page, node: str) -> None:
    lease = page.client.find("leases.coordination.k8s.io", node, "kube-node-lease")
    if lease is None:
        page.field("Lease", f'Failed to get lease: leases.coordination.k8s.io "{node}" not found')
        return
    spec = lease.get("spec") or {}
    page.line(0, "Lease:")
    page.field("HolderIdentity", spec.get("holderIdentity") or "<unset>", 1)
    page.field("AcquireTime", stamp(spec["acquireTime"]) if spec.get("acquireTime") else "<unset>", 1)
    page.field("RenewTime", stamp(spec["renewTime"]) if spec.get("renewTime") else "<unset>", 1)


def _pods(page: Page, node: Object, pods: list[Object]) -> None:
    total = amounts(get_in(node, "status", "allocatable") or get_in(node, "status", "capacity"))
    page.line(0, f"Non-terminated Pods:\t({len(pods)} in total)")
    page.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge")
    page.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---")
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    binary: set[str] = set()
    for pod in pods:
        own_requests, own_limits = pod_amounts(pod, "requests"), pod_amounts(pod, "limits")
        for sums, own in ((requests, own_requests), (limits, own_limits)):
            for name, value in own.items():
                sums[name] = sums.get(name, 0) + value
        forms = _binary(pod)
        binary |= forms
        cells = [
            f"{_show(own.get(name, 0), name in forms)} ({_percent(own.get(name, 0), total.get(name, 0))}%)"
            for name in ("cpu", "memory")
            for own in (own_requests, own_limits)
        ]
        age = page.since(get_in(pod, "metadata", "creationTimestamp"))
        page.line(1, f"{namespace_of(pod)}\t{name_of(pod)}\t\t" + "\t".join(cells) + f"\t{age}")
    page.line(0, "Allocated resources:")
    page.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)")
    page.line(1, "Resource\tRequests\tLimits")
    page.line(1, "--------\t--------\t------")
    huge = sorted(name for name in total if name.startswith("hugepages-"))
    for name in ("cpu", "memory", "ephemeral-storage", *huge):
        cells = [
            f"{_show(sums.get(name, 0), name in binary)} ({_percent(sums.get(name, 0), total.get(name, 0))}%)"
            for sums in (requests, limits)
        ]
        page.line(1, f"{name}\t{cells[0]}\t{cells[1]}")
    for name in sorted(total):
        if name not in ("cpu", "memory", "ephemeral-storage", "pods") and name not in huge:
            page.line(1, f"{name}\t{_show(requests.get(name, 0), False)}\t{_show(limits.get(name, 0), False)}")


def _binary(pod: Object) -> set[str]:
    """The resources whose first amount is written with a binary suffix; sums keep that form (quantity.add)."""
    from labsim.kube.quantity import parse

    found: dict[str, bool] = {}
    for container in (
        *get_in(pod, "spec", "containers", default=()),
        *get_in(pod, "spec", "initContainers", default=()),
    ):
        for kind in ("requests", "limits"):
            for name, value in get_in(container, "resources", kind, default={}).items():
                quantity_ = parse(str(value))
                if quantity_.value:
                    found[name] = found.get(name, False) or quantity_.format == "BinarySI"
    return {name for name, is_binary in found.items() if is_binary}


def _show(milli: int, binary: bool) -> str:
    from labsim.kube.quantity import of_milli

    return str(of_milli(milli, "BinarySI" if binary and milli else "DecimalSI"))


def _percent(part: int, whole: int) -> int:
    return int(part / whole * 100) if whole else 0
