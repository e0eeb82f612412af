"""ReplicaSets: keep as many pods as asked for. Source: pkg/controller/replicaset of 1.35."""

from __future__ import annotations

from labsim.controllers.common import (
    FINISHED,
    Manager,
    Objects,
    alive,
    available_in,
    claim,
    create_pod,
    delete_pod,
    deletion_rank,
    is_ready,
    matching_owners,
    own_key,
    owner_keys,
    pod_from_template,
    set_condition,
    write_status,
)
from labsim.kube.cluster import Cluster
from labsim.kube.matching import selector_matches
from labsim.kube.objects import Object, controller_of, get_in, labels_of
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "replicasets.apps"
BURST = 500
# A refused create is tried again with the work queue's back-off: 5 ms doubling, in practice seconds apart.
RETRY, RETRY_MAX = 5 * SECOND, 1000 * SECOND


class ReplicaSetController(Manager):
    name = "replicaset"
    account = "replicaset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch(RESOURCE, own_key), Watch("pods", self._pod_keys))

    def _pod_keys(self, write: Write) -> list[Key]:
        if write.verb != "delete" and controller_of(write.after or {}) is None:
            return matching_owners(self.client, RESOURCE, write.after) + owner_keys("ReplicaSet")(write)
        return owner_keys("ReplicaSet")(write)

    def reconcile(self, key: Key) -> After | None:
        rs = self.client.find(RESOURCE, key[1], key[0])
        if rs is None:
            return None
        pods = [p for p in claim(self.client, "pods", rs) if get_in(p, "status", "phase") not in FINISHED]
        active = alive(pods)
        failure = ""
        if not rs["metadata"].get("deletionTimestamp"):
            failure = self._scale(rs, active)
            pods = [p for p in claim(self.client, "pods", rs) if get_in(p, "status", "phase") not in FINISHED]
            active = alive(pods)
        return self._status(rs, active, len(pods) - len(active), failure)

    def _scale(self, rs: Object, active: Objects) -> str:
        """Create or delete; the reason of ReplicaFailure when a create was refused."""
        wanted = int(get_in(rs, "spec", "replicas", default=1))
        missing = wanted - len(active)
        for _ in range(min(missing, BURST)):
            if create_pod(self, rs, pod_from_template(rs["spec"]["template"], rs)) is None:
                return "FailedCreate"
        if missing < 0:
            related = self._related(rs)
            for pod in sorted(active, key=lambda p: _rank(p, related))[:-missing]:
                delete_pod(self, rs, pod)
        return ""

    def _related(self, rs: Object) -> dict[str, int]:
        """Pods of the same owner's ReplicaSets on each node: crowded nodes give up theirs first."""
        ref = controller_of(rs)
        sets = [rs]
        if ref is not None:
            sets = self.client.by_index(RESOURCE, "owner", str(ref["uid"]), rs["metadata"]["namespace"])
        counts: dict[str, int] = {}
        for one in sets:
            for pod in alive(self.client.by_index("pods", "owner", one["metadata"]["uid"])):
                node = str(get_in(pod, "spec", "nodeName", default=""))
                counts[node] = counts.get(node, 0) + 1
        return counts

    def _status(self, rs: Object, active: Objects, terminating: int, failure: str) -> After | None:
        old = rs.get("status") or {}
        wait = int(get_in(rs, "spec", "minReadySeconds", default=0))
        delays = [available_in(pod, wait, self.now) for pod in active]
        labels = get_in(rs, "spec", "template", "metadata", "labels", default={})
        full = sum(1 for pod in active if selector_matches({"matchLabels": labels}, labels_of(pod)))
        conditions = list(old.get("conditions") or ())
        if failure and not any(c["type"] == "ReplicaFailure" for c in conditions):
            # The first refusal stays until a create succeeds (replica_set_utils.go, calculateStatus): every try names
            # another pod, and a message that followed them would never come to rest.
            message = self._last_failure(rs)
            conditions = set_condition(
                conditions, self.stamp, "ReplicaFailure", "True", failure, message, update_time=False
            )
        elif not failure:
            conditions = [c for c in conditions if c["type"] != "ReplicaFailure"]
        status: Object = {
            "availableReplicas": sum(1 for d in delays if d == 0) or None,
            "conditions": conditions or None,
            "fullyLabeledReplicas": full or None,
            "observedGeneration": rs["metadata"].get("generation", 1),
            "readyReplicas": sum(1 for pod in active if is_ready(pod)) or None,
            "replicas": len(active),
            "terminatingReplicas": terminating,
        }
        write_status(self, RESOURCE, rs, status)
        soon = [d for d in delays if d]
        if failure:
            return After(self._retry(old, failure), periodic=True)
        return After(min(soon)) if soon else None

    def _retry(self, old: Object, failure: str) -> int:
        """The next try after a refusal: the longer it lasts, the rarer."""
        from labsim.sim.clock import parse_time

        since = next(
            (c["lastTransitionTime"] for c in old.get("conditions") or () if c["type"] == "ReplicaFailure"), ""
        )
        return min(max(RETRY, self.now - parse_time(since) if since else RETRY), RETRY_MAX)

    def _last_failure(self, rs: Object) -> str:
        events = self.client.by_index("events", "involvedObject.uid", rs["metadata"]["uid"])
        found = [e for e in events if e.get("reason") == "FailedCreate"]
        latest = max(found, key=lambda e: (e["lastTimestamp"], int(e["metadata"]["resourceVersion"])), default=None)
        return str((latest or {}).get("message", "")).rpartition("Error creating: ")[2]


def _rank(pod: Object, related: dict[str, int]) -> tuple[object, ...]:
    unassigned, phase, ready, cost, *rest = deletion_rank(pod)
    crowd = -related.get(str(get_in(pod, "spec", "nodeName", default="")), 0)
    return (unassigned, phase, ready, cost, crowd, *rest)
