"""Nodes that fall silent: conditions Unknown, taints, eviction of their pods. Source: pkg/controller/nodelifecycle and
pkg/controller/tainteviction of 1.35."""

from __future__ import annotations

from labsim.controllers.common import Manager
from labsim.kube.cluster import Cluster
from labsim.kube.events import Recorder
from labsim.kube.matching import tolerates
from labsim.kube.objects import Object, condition_of, get_in, merge_in, name_of, namespace_of, set_in
from labsim.sim.clock import SECOND, parse_time
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

MACHINES = "machines.hardware.labsim"
GRACE, STARTUP_GRACE = (
    50 * SECOND,
    60 * SECOND,
)  # node-monitor and node-startup grace period
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
_PRESSURE = {
    "MemoryPressure": "node.kubernetes.io/memory-pressure",
    "DiskPressure": "node.kubernetes.io/disk-pressure",
    "PIDPressure": "node.kubernetes.io/pid-pressure",
    "NetworkUnavailable": "node.kubernetes.io/network-unavailable",
}
_KINDS = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")


class NodeLifecycleController(Manager):
    """A kubelet is silent when its machine says that it stopped; its last heartbeat is in the node's conditions."""

    name = "node-lifecycle"
    account = "node-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch("nodes", self._node_keys),
            Watch(MACHINES, lambda write: [(write.name,)] if _kubelet(write.before) != _kubelet(write.after) else []),
        )

    def _node_keys(self, write: Write) -> list[Key]:
        # The first key is for the event of a node that joins or leaves.
        if write.after is None:
            reference = {"apiVersion": "v1", "kind": "Node", "metadata": dict((write.before or {})["metadata"])}
            text = f"Node {write.name} event: Removing Node {write.name} from Controller"
            Recorder(self.client, "node-controller").event(reference, "Normal", "RemovingNode", text)
            return []
        if write.before is None:
            return [(write.name, "registered"), (write.name,)]
        return [(write.name,)]

    def reconcile(self, key: Key) -> After | None:
        node = self.client.find("nodes", key[0])
        if node is None:
            return None
        if len(key) > 1:
            text = f"Node {key[0]} event: Registered Node {key[0]} in Controller"
            self.recorder.event(node, "Normal", "RegisteredNode", text)
            return None
        node, due = self._monitor(node)
        self._taint(node)
        return due

    def _monitor(self, node: Object) -> tuple[Object, After | None]:
        machine = self.client.find(MACHINES, name_of(node))
        ready = condition_of(node, "Ready")
        if ready is None:
            silent_since, grace = parse_time(node["metadata"]["creationTimestamp"]), STARTUP_GRACE
        elif machine is None or get_in(machine, "status", "kubelet", "since") is None:
            return node, None  # heartbeats go on (or there is nobody who ever sent any)
        elif ready["status"] == "Unknown":
            return node, None
        else:
            silent_since, grace = int(machine["status"]["kubelet"]["since"]), GRACE
        if self.now < silent_since + grace:
            return node, After(silent_since + grace - self.now)
        return self._unknown(node), None

    def _unknown(self, node: Object) -> Object:
        conditions = list(get_in(node, "status", "conditions", default=()))
        was_ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
        for kind in _KINDS:
            before = next((c for c in conditions if c["type"] == kind), None)
            if before is None:
                row = {
                    "lastHeartbeatTime": node["metadata"]["creationTimestamp"],
                    "lastTransitionTime": self.stamp,
                    "message": "Kubelet never posted node status.",
                    "reason": "NodeStatusNeverUpdated",
                    "status": "Unknown",
                    "type": kind,
                }
                conditions.append(row)
            elif before["status"] != "Unknown":
                row = {
                    **before,
                    "lastTransitionTime": self.stamp,
                    "message": "Kubelet stopped posting node status.",
                    "reason": "NodeStatusUnknown",
                    "status": "Unknown",
                }
                conditions = [row if c["type"] == kind else c for c in conditions]
        node = self.client.update_status("nodes", set_in(node, ("status", "conditions"), conditions))
        if was_ready:
            self.recorder.event(node, "Normal", "NodeNotReady", f"Node {name_of(node)} status is now: NodeNotReady")
            self._pods_not_ready(node)
        return node

    def _pods_not_ready(self, node: Object) -> None:
        """Endpoints must not use the pods of a silent node any more."""
        for pod in self.client.by_index("pods", "spec.nodeName", name_of(node)):
            ready = condition_of(pod, "Ready")
            if ready is None or ready["status"] != "True":
                continue
            conditions = [
                {**c, "status": "False", "lastTransitionTime": self.stamp} if c["type"] == "Ready" else c
                for c in pod["status"]["conditions"]
            ]
            self.client.update_status("pods", set_in(pod, ("status", "conditions"), conditions), namespace_of(pod))
            self.recorder.event(pod, "Warning", "NodeNotReady", "Node is not ready")

    def _taint(self, node: Object) -> None:
        """The taints that follow from conditions and from cordoning."""
        old = list(get_in(node, "spec", "taints", default=()))
        wanted: list[tuple[str, str]] = []
        for kind, key in _PRESSURE.items():
            condition = condition_of(node, kind)
            if condition is not None and condition["status"] == "True":
                wanted.append((key, "NoSchedule"))
        ready = condition_of(node, "Ready")
        if ready is not None and ready["status"] == "False":
            wanted += [(NOT_READY, "NoSchedule"), (NOT_READY, "NoExecute")]
        elif ready is not None and ready["status"] == "Unknown":
            wanted += [(UNREACHABLE, "NoSchedule"), (UNREACHABLE, "NoExecute")]
        elif ready is None:
            wanted.append((NOT_READY, "NoSchedule"))
        if get_in(node, "spec", "unschedulable", default=False):
            wanted.append((UNSCHEDULABLE, "NoSchedule"))
        managed = {*_PRESSURE.values(), NOT_READY, UNREACHABLE, UNSCHEDULABLE}
        kept = [t for t in old if t["key"] not in managed or (t["key"], t["effect"]) in wanted]
        have = {(t["key"], t["effect"]) for t in kept}
        new = kept + [
            {"effect": effect, "key": key, "timeAdded": self.stamp}
            for key, effect in wanted
            if (key, effect) not in have
        ]
        if new != old:
            self.client.update("nodes", merge_in(node, ("spec",), {"taints": new or None}))


class TaintEvictionController(Manager):
    """Deletes pods that do not tolerate a NoExecute taint, or do so only for a time."""

    name = "taint-eviction"
    account = "taint-eviction-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch("nodes", self._node_keys), Watch("pods", self._pod_keys))

    def _node_keys(self, write: Write) -> list[Key]:
        before, after = (get_in(o, "spec", "taints", default=[]) for o in (write.before, write.after))
        if _no_execute(before) == _no_execute(after):
            return []
        pods = self.client.by_index("pods", "spec.nodeName", write.name)
        return [(namespace_of(pod), name_of(pod)) for pod in pods]

    def _pod_keys(self, write: Write) -> list[Key]:
        pod = write.after
        node = get_in(pod, "spec", "nodeName")
        if pod is None or not node or (write.before is not None and write.before["spec"] == pod["spec"]):
            return []
        taints = get_in(self.client.find("nodes", str(node)), "spec", "taints", default=[])
        return [(write.namespace, write.name)] if _no_execute(taints) else []

    def reconcile(self, key: Key) -> After | None:
        pod = self.client.find("pods", key[1], key[0])
        if pod is None or pod["metadata"].get("deletionTimestamp"):
            return None
        node = self.client.find("nodes", str(get_in(pod, "spec", "nodeName", default="")))
        taints = _no_execute(get_in(node, "spec", "taints", default=[]))
        if not taints:
            return None
        tolerations = get_in(pod, "spec", "tolerations", default=())
        limits: list[int] = []
        for taint in taints:
            matching = [t for t in tolerations if tolerates(t, taint)]
            if not matching:
                self._evict(pod)
                return None
            seconds = [int(t["tolerationSeconds"]) for t in matching if t.get("tolerationSeconds") is not None]
            if len(seconds) == len(matching):
                added = parse_time(str(taint.get("timeAdded") or pod["metadata"]["creationTimestamp"]))
                bound = max(added, parse_time(str(get_in(pod, "status", "startTime", default=self.stamp))))
                limits.append(bound + max(min(seconds), 0) * SECOND)
        if not limits:
            return None
        at = min(limits)
        if self.now < at:
            return After(at - self.now)
        self._evict(pod)
        return None

    def _evict(self, pod: Object) -> None:
        condition = {
            "lastProbeTime": None,
            "lastTransitionTime": self.stamp,
            "message": "Taint manager: deleting due to NoExecute taint",
            "reason": "DeletionByTaintManager",
            "status": "True",
            "type": "DisruptionTarget",
        }
        conditions = [c for c in get_in(pod, "status", "conditions", default=()) if c["type"] != "DisruptionTarget"]
        self.client.update_status(
            "pods", set_in(pod, ("status", "conditions"), [*conditions, condition]), namespace_of(pod)
        )
        text = f"Marking for deletion Pod {namespace_of(pod)}/{name_of(pod)}"
        self.recorder.event(pod, "Normal", "TaintManagerEviction", text)
        self.client.delete("pods", name_of(pod), namespace_of(pod))


def _no_execute(taints: object) -> list[Object]:
    return [t for t in taints if t.get("effect") == "NoExecute"]  # type: ignore[attr-defined]


def _kubelet(machine: Object | None) -> object:
    return get_in(machine, "status", "kubelet")
