"""metrics.k8s.io: usage worked out when read, from what runs and what it asked for.

labsim does not simulate load. A running container uses a fixed share of its requests, or a small fixed amount where it
requests nothing, and a node adds a base for its system services. [U] The shares are made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import Object, get_in, labels_of, meta, name_of, namespace_of
from labsim.kube.podresources import Amounts, add, amounts
from labsim.kube.strategy import Strategy
from labsim.sim.clock import rfc3339

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

# Thousandths of requests that a running container uses, by resource; and what one without requests uses.
USAGE_SHARE = {"cpu": 400, "memory": 600}
USAGE_FLOOR = {"cpu": 5, "memory": 24 * 1024 * 1024 * 1000}
# What kernel, kubelet and container runtime use, before any pod.
NODE_BASE = {"cpu": 350, "memory": 3 * 1024 * 1024 * 1024 * 1000}
WINDOW = "15s"  # metrics-server --metric-resolution
_STEP = 15_000


def container_usage(spec: Object) -> Amounts:
    """Thousandths of cores and bytes."""
    requests = amounts(get_in(spec, "resources", "requests"))
    return {
        name: requests[name] * USAGE_SHARE[name] // 1000 if requests.get(name) else USAGE_FLOOR[name]
        for name in ("cpu", "memory")
    }


def _running(pod: Object) -> list[Object]:
    """The specs of the containers that run now."""
    names = {
        s["name"]
        for group in ("containerStatuses", "initContainerStatuses")
        for s in get_in(pod, "status", group, default=())
        if get_in(s, "state", "running") is not None
    }
    return [
        c
        for group in ("initContainers", "containers")
        for c in get_in(pod, "spec", group, default=())
        if c["name"] in names
    ]


def _printed(usage: Amounts) -> Object:
    """As metrics-server prints: cores in nanocores, memory in kibibytes."""
    return {"cpu": f"{usage['cpu'] * 1_000_000}n", "memory": f"{usage['memory'] // 1_024_000}Ki"}


class Metrics(Strategy):
    def _reading(self, obj: Object, api: APIServer) -> Object:
        metadata = {
            "name": name_of(obj),
            **({"namespace": namespace_of(obj)} if namespace_of(obj) else {}),
            "creationTimestamp": rfc3339(api.now),
            **({"labels": labels_of(obj)} if labels_of(obj) else {}),
        }
        return {
            "kind": self.resource.kind,
            "apiVersion": self.resource.api_version,
            "metadata": metadata,
            "timestamp": rfc3339(api.now - api.now % _STEP),
            "window": WINDOW,
        }


class PodMetrics(Metrics):
    def computed(self, api: APIServer, namespace: str) -> list[Object] | None:
        found = []
        for pod in api.store.list("pods", namespace):
            running = _running(pod)
            if running and get_in(pod, "status", "phase") == "Running" and not meta(pod).get("deletionTimestamp"):
                rows = [{"name": c["name"], "usage": _printed(container_usage(c))} for c in running]
                found.append({**self._reading(pod, api), "containers": rows})
        return found


class NodeMetrics(Metrics):
    def computed(self, api: APIServer, namespace: str) -> list[Object] | None:
        """Nodes whose kubelet answers; the others have no reading."""
        found = []
        for node in api.store.list("nodes"):
            conditions = get_in(node, "status", "conditions", default=())
            if not any(c["type"] == "Ready" and c["status"] == "True" for c in conditions):
                continue
            usage = dict(NODE_BASE)
            for pod in api.store.by_index("pods", "spec.nodeName", name_of(node)):
                for spec in _running(pod):
                    add(usage, container_usage(spec))
            found.append({**self._reading(node, api), "usage": _printed(usage)})
        return found


STRATEGIES: dict[str, type[Strategy]] = {"nodes.metrics.k8s.io": NodeMetrics, "pods.metrics.k8s.io": PodMetrics}
