"""What several fault kinds share: faults noted on a machine, and the pod that one of them is bound to."""

from __future__ import annotations

from typing import Any

from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in, name_of, namespace_of, set_in, uid_of
from labsim.kubelet import runtime

MACHINES = "machines.hardware.labsim"


def nodes(client: Client, node: str | None) -> list[str]:
    """The node named, or all."""
    return [node] if node else [name_of(machine) for machine in client.list(MACHINES)]


def note(client: Client, node: str, kind: str, details: dict[str, Any], **status: Any) -> None:
    """`status.faults.<kind>` of the machine, with other changes of its status in the same write."""
    machine = client.get(MACHINES, node)
    changed = set_in(machine, ("status", "faults", kind), {k: v for k, v in details.items() if v is not None})
    client.update_status(MACHINES, {**changed, "status": {**changed["status"], **status}})


def operand(client: Client, node: str, app: str, namespace: str = "gpu-operator") -> Object | None:
    """The operand's pod on a node."""
    for pod in client.by_index("pods", "label", f"app={app}", namespace):
        if get_in(pod, "spec", "nodeName") == node and not pod["metadata"].get("deletionTimestamp"):
            return pod
    return None


def bound(client: Client, node: str, app: str, lasts: str) -> str | None:
    """The uid of the pod with whose replacement the fault ends; None when it stays with the node."""
    pod = operand(client, node, app) if lasts == "pod" else None
    return uid_of(pod) if pod is not None else None


def kill(client: Client, pod: Object | None, container: str, code: int) -> None:
    """End a program of a pod, if it runs."""
    if pod is None:
        return
    found = runtime.find(client, namespace_of(pod), name_of(pod), container)
    if found is not None and get_in(found, "status", "state") == "running":
        runtime.exit(client, found, code)
