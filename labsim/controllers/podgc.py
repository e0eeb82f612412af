"""Pods of nodes that no longer exist, and terminating pods that never reached a node. Source: pkg/controller/podgc."""

from __future__ import annotations

from labsim.controllers.common import FINISHED, Manager
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, name_of, namespace_of
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

QUARANTINE = 40 * SECOND  # a node must have been gone for so long
PERIOD = 20 * SECOND


class PodGarbageCollector(Manager):
    """Keys: (node,) of a node that was deleted."""

    name = "pod-garbage-collector"
    account = "pod-garbage-collector"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch("nodes", lambda write: [(write.name,)] if write.after is None or write.before is None else []),
            Watch("pods", self._pod_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        node = get_in(write.after, "spec", "nodeName")
        if write.after is None or not node or self.client.find("nodes", str(node)) is not None:
            return []
        return [(str(node),)]

    def reconcile(self, key: Key) -> After | None:
        node = key[0]
        pods = self.client.by_index("pods", "spec.nodeName", node)
        if not pods or self.client.find("nodes", node) is not None:
            return None
        gone = self._gone_since(node)
        if self.now < gone + QUARANTINE:
            return After(gone + QUARANTINE - self.now)
        for pod in pods:
            self._collect(pod)
        return None

    def _gone_since(self, node: str) -> int:
        """When the node went: the time of the event about it, now when there is none."""
        from labsim.sim.clock import parse_time

        events = [
            e
            for e in self.client.list("events", "default")
            if e.get("reason") == "RemovingNode" and get_in(e, "involvedObject", "name") == node
        ]
        return max((parse_time(e["lastTimestamp"]) for e in events), default=self.now - QUARANTINE)

    def _collect(self, pod: Object) -> None:
        status = dict(pod.get("status") or {})
        condition = {
            "lastProbeTime": None,
            "lastTransitionTime": self.stamp,
            "message": "PodGC: node no longer exists",
            "reason": "DeletionByPodGC",
            "status": "True",
            "type": "DisruptionTarget",
        }
        if status.get("phase") not in FINISHED:
            others = [c for c in status.get("conditions") or () if c["type"] != "DisruptionTarget"]
            status |= {"phase": "Failed", "conditions": [*others, condition]}
            self.client.update_status("pods", {**pod, "status": status}, namespace_of(pod))
        self.client.delete("pods", name_of(pod), namespace_of(pod), grace_seconds=0)
