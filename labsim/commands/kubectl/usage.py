"""Metrics as `kubectl top` reads and prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.kube.objects import Object
from labsim.kube.podresources import amounts

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

_MEBI = 1024 * 1024 * 1000


def metrics_list(
    kubectl: Kubectl, kind: str, namespace: str, labels: str = "", name: str = "", fields: str = ""
) -> list[Object]:
    """Raises Failure when no metrics API is served, ApiError 404 for an unknown name."""
    client = kubectl.client
    key = f"{kind}.metrics.k8s.io"
    if key not in client.scheme:
        raise Failure("Metrics API not available")
    if name:
        return [client.get(key, name, namespace)]
    return client.list(key, namespace, label_selector=labels, field_selector=fields)


def measured(metric: Object) -> dict[str, int]:
    """{cpu, memory} in thousandths; a pod's is the sum of its containers."""
    if "usage" in metric:
        found = amounts(metric["usage"])
        return {"cpu": found.get("cpu", 0), "memory": found.get("memory", 0)}
    total = {"cpu": 0, "memory": 0}
    for container in metric.get("containers") or ():
        for what, value in measured(container).items():
            total[what] += value
    return total


def cpu_text(milli: int) -> str:
    return f"{milli}m"


def memory_text(milli: int) -> str:
    return f"{milli // _MEBI}Mi"
