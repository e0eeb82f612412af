"""The scheduler's loop: one attempt for each key, and which events make unschedulable pods worth another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from labsim.kube.cluster import Cluster
from labsim.kube.events import Recorder
from labsim.kube.objects import Object, condition_of, get_in, merge_in, name_of, namespace_of, uid_of
from labsim.scheduler import preemption, scores
from labsim.scheduler.filters import Cycle, Refusal, refused, waits_for_consumer
from labsim.scheduler.snapshot import NodeInfo, Snapshot
from labsim.sim import names
from labsim.sim.clock import rfc3339
from labsim.sim.journal import Write
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key

NAME = "default-scheduler"
_MIN_NODES = 100  # percentageOfNodesToScore: clusters up to this size are looked at whole
_ABSENT = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
_DRA = "no new claims to deallocate, "  # what the DynamicResources plugin says first (1.34 and later)


class Scheduler(Controller):
    name = "scheduler"

    def __init__(self, cluster: Cluster) -> None:
        self.client = cluster.client("system:kube-scheduler")
        self.recorder = Recorder(self.client, NAME)
        self.seed = cluster.seed
        self._snapshot: Snapshot | None = None
        self.watches = (
            Watch("pods", self._pod_keys),
            Watch("nodes", self._node_keys),
            Watch("persistentvolumeclaims", self._volume_keys),
            Watch("persistentvolumes", self._volume_keys),
        )

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(self.client.api)
        else:
            self._snapshot.refresh()
        return self._snapshot

    # -- when ----------------------------------------------------------------------------------------------------------

    def _pod_keys(self, write: Write) -> Iterable[Key]:
        before, after = write.before, write.after
        if after is not None and not get_in(after, "spec", "nodeName"):
            # An own write (the condition) is no reason to try again.
            if before is None or after["spec"] != before["spec"] or _metadata(before) != _metadata(after):
                return [(write.namespace, write.name)]
            return []
        left = before is not None and get_in(before, "spec", "nodeName") and (after is None or _ended(after))
        if left and before is not None and not _ended(before):
            return self._waiting()
        placed = after is not None and (before is None or not get_in(before, "spec", "nodeName"))
        if placed or (before and after and before["metadata"].get("labels") != after["metadata"].get("labels")):
            return [key for key in self._waiting() if self._needs_company(key)]
        return []

    def _node_keys(self, write: Write) -> Iterable[Key]:
        """Node events that can make room: new nodes, other labels or taints, more allocatable, uncordon."""
        before, after = write.before, write.after
        if after is None:
            return []
        if before is not None and all(_facts(before, path) == _facts(after, path) for path in _NODE_FACTS):
            return []
        return self._waiting()

    def _volume_keys(self, write: Write) -> Iterable[Key]:
        pending = self.snapshot.pending
        return [
            key
            for key in self._waiting()
            if any(
                "persistentVolumeClaim" in v or "ephemeral" in v
                for v in get_in(pending[(key[0], key[1])], "spec", "volumes", default=())
            )
        ]

    def _waiting(self) -> list[Key]:
        """Pods that were found unschedulable: highest priority first, then oldest."""
        pending = [pod for pod in self.snapshot.pending.values() if _ours(pod)]
        pending.sort(
            key=lambda p: (
                -int(get_in(p, "spec", "priority", default=0)),
                p["metadata"]["creationTimestamp"],
                namespace_of(p),
                name_of(p),
            )
        )
        return [(namespace_of(pod), name_of(pod)) for pod in pending]

    def _needs_company(self, key: Key) -> bool:
        pod = self.snapshot.pending[(key[0], key[1])]
        return bool(get_in(pod, "spec", "affinity", "podAffinity") or get_in(pod, "spec", "topologySpreadConstraints"))

    # -- one attempt ---------------------------------------------------------------------------------------------------

    def reconcile(self, key: Key) -> After | None:
        pod = self.client.find("pods", key[1], key[0])
        if pod is None or not _ours(pod):
            return None
        snapshot = self.snapshot
        cycle = Cycle.begin(self.client, snapshot, pod)
        fitting, refusals = self._filter(cycle)
        if fitting:
            chosen = scores.best(cycle, fitting)
            if self._claims_bound(pod, chosen):
                self._bind(pod, chosen)
            return None
        message = self._message(cycle, refusals)
        if cycle.blocked:
            refusals = {name: Refusal((cycle.blocked,)) for name in snapshot.order}
        candidate, said = preemption.find(cycle, refusals) if snapshot.order else (None, "")
        if candidate is not None:
            self._preempt(pod, candidate)
            said = ""
        tail = f" {_DRA}{said}" if said else ""
        self._unschedulable(pod, message + tail, candidate.node if candidate else "")
        return None

    def _filter(self, cycle: Cycle) -> tuple[list[NodeInfo], dict[str, Refusal]]:
        """Nodes that fit (in large clusters only as many as are worth scoring) and the refusals of the others."""
        order = cycle.snapshot.order
        fitting: list[NodeInfo] = []
        refusals: dict[str, Refusal] = {}
        if cycle.blocked:
            return fitting, refusals
        names_ = list(order)
        if cycle.only is not None:
            names_ = [name for name in cycle.only if name in cycle.snapshot.nodes]
            refusals = {name: Refusal((_ABSENT,)) for name in order if name not in names_}
        nominee = str(get_in(cycle.pod, "status", "nominatedNodeName", default=""))
        if nominee in names_ and refused(cycle, cycle.snapshot.nodes[nominee]) is None:
            return [cycle.snapshot.nodes[nominee]], refusals
        wanted = _nodes_to_find(len(names_))
        start = names.number(self.seed, 0, len(names_) - 1, "start", *cycle.info.place) if wanted < len(names_) else 0
        for name in names_[start:] + names_[:start]:
            info = cycle.snapshot.nodes[name]
            if info.node is None:
                continue
            found = refused(cycle, info)
            if found is None:
                fitting.append(info)
                if len(fitting) >= wanted:
                    break
            else:
                refusals[name] = found
        return fitting, refusals

    @staticmethod
    def _message(cycle: Cycle, refusals: dict[str, Refusal]) -> str:
        total = len(cycle.snapshot.order)
        if total == 0:
            return "no nodes available to schedule pods"
        if cycle.blocked:
            return f"0/{total} nodes are available: {cycle.blocked}."
        counts: Counter[str] = Counter(reason for refusal in refusals.values() for reason in refusal.reasons)
        rows = sorted(f"{count} {reason}" for reason, count in counts.items())
        return f"0/{total} nodes are available: {', '.join(rows)}."

    # -- what follows --------------------------------------------------------------------------------------------------

    def _claims_bound(self, pod: Object, node: str) -> bool:
        """Ask for the volumes that wait for their first consumer; False until they are bound."""
        waiting = False
        for volume in get_in(pod, "spec", "volumes", default=()):
            name = get_in(volume, "persistentVolumeClaim", "claimName")
            claim = self.client.find("persistentvolumeclaims", str(name), namespace_of(pod)) if name else None
            if claim is None or get_in(claim, "spec", "volumeName") or not waits_for_consumer(self.client, claim):
                continue
            waiting = True
            key = "volume.kubernetes.io/selected-node"
            if get_in(claim, "metadata", "annotations", key) != node:
                self.client.update(
                    "persistentvolumeclaims",
                    merge_in(claim, ("metadata", "annotations"), {key: node}),
                    namespace_of(pod),
                )
        return not waiting

    def _bind(self, pod: Object, node: str) -> None:
        namespace, name = namespace_of(pod), name_of(pod)
        self.client.bind(name, namespace, node)
        if get_in(pod, "status", "nominatedNodeName"):
            bound = self.client.get("pods", name, namespace)
            status = {k: v for k, v in bound["status"].items() if k != "nominatedNodeName"}
            self.client.update_status("pods", {**bound, "status": status}, namespace)
        self.recorder.event(pod, "Normal", "Scheduled", f"Successfully assigned {namespace}/{name} to {node}")

    def _unschedulable(self, pod: Object, message: str, nominee: str) -> None:
        before = condition_of(pod, "PodScheduled")
        changed = before is None or before["status"] != "False"
        condition = {
            "lastProbeTime": None,
            "lastTransitionTime": rfc3339(self.client.now)
            if changed or before is None
            else before["lastTransitionTime"],
            "message": message,
            "reason": "Unschedulable",
            "status": "False",
            "type": "PodScheduled",
        }
        generation = pod["metadata"].get("generation")
        if generation is not None:
            condition["observedGeneration"] = generation
        status = {**(pod.get("status") or {})}
        others = [c for c in status.get("conditions") or () if c["type"] != "PodScheduled"]
        status["conditions"] = [*others, dict(sorted(condition.items()))]
        if nominee:
            status["nominatedNodeName"] = nominee
        self.recorder.event(pod, "Warning", "FailedScheduling", message)
        if status != pod.get("status"):
            self.client.update_status("pods", {**pod, "status": status}, namespace_of(pod))

    def _preempt(self, pod: Object, candidate: preemption.Candidate) -> None:
        """Victims get the condition DisruptionTarget, an event, and their grace period."""
        for victim in candidate.victims:
            namespace, name = victim.place
            current = self.client.find("pods", name, namespace)
            if current is None or current["metadata"].get("deletionTimestamp"):
                continue
            condition = {
                "lastProbeTime": None,
                "lastTransitionTime": rfc3339(self.client.now),
                "message": f"{NAME}: preempting to accommodate a higher priority pod",
                "reason": "PreemptionByScheduler",
                "status": "True",
                "type": "DisruptionTarget",
            }
            status = current.get("status") or {}
            conditions = [c for c in status.get("conditions") or () if c["type"] != "DisruptionTarget"] + [condition]
            self.client.update_status("pods", {**current, "status": {**status, "conditions": conditions}}, namespace)
            text = f"Preempted by pod {uid_of(pod)} on node {candidate.node}"
            self.recorder.event(current, "Normal", "Preempted", text)
            self.client.delete("pods", name, namespace)


_NODE_FACTS: tuple[tuple[str, ...], ...] = (
    ("metadata", "labels"),
    ("spec", "taints"),
    ("spec", "unschedulable"),
    ("status", "allocatable"),
)


def _facts(node: Object, path: tuple[str, ...]) -> object:
    return get_in(node, *path)


def _metadata(pod: Object) -> tuple[object, object]:
    return pod["metadata"].get("labels"), pod["metadata"].get("deletionTimestamp")


def _ended(pod: Object) -> bool:
    return get_in(pod, "status", "phase") in ("Succeeded", "Failed")


def _ours(pod: Object) -> bool:
    """To be scheduled now and by this scheduler."""
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and spec.get("schedulerName", NAME) == NAME
        and not spec.get("schedulingGates")
        and not pod["metadata"].get("deletionTimestamp")
        and not _ended(pod)
    )


def _nodes_to_find(total: int) -> int:
    """How many fitting nodes are enough (numFeasibleNodesToFind with the adaptive percentage)."""
    if total <= _MIN_NODES:
        return max(total, 1)
    percentage = max(50 - total // 125, 5)
    return max(total * percentage // 100, _MIN_NODES)
