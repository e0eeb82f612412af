"""PodDisruptionBudget status: how many pods may go now. Source: pkg/controller/disruption of 1.35."""

from __future__ import annotations

from labsim.controllers.common import (
    FINISHED,
    Manager,
    Objects,
    is_ready,
    own_key,
    percent,
    set_condition,
    write_status,
)
from labsim.kube.cluster import Cluster
from labsim.kube.matching import selector_matches
from labsim.kube.objects import Object, controller_of, get_in, labels_of, name_of, namespace_of
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "poddisruptionbudgets.policy"
_SCALES = {
    "ReplicaSet": "replicasets.apps",
    "StatefulSet": "statefulsets.apps",
    "ReplicationController": "replicationcontrollers",
    "Deployment": "deployments.apps",
}


class DisruptionController(Manager):
    name = "disruption"
    account = "disruption-controller"
    component = "controllermanager"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch(RESOURCE, own_key),
            Watch("pods", self._pod_keys),
            Watch("deployments.apps", self._owner_keys),
            Watch("statefulsets.apps", self._owner_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        found: list[Key] = []
        for budget in self.client.list(RESOURCE, write.namespace):
            selector = get_in(budget, "spec", "selector")
            if any(o is not None and selector_matches(selector, labels_of(o)) for o in (write.before, write.after)):
                found.append((write.namespace, name_of(budget)))
        return found

    def _owner_keys(self, write: Write) -> list[Key]:
        """The size of a workload decides what a percentage means."""
        before, after = (get_in(o, "spec", "replicas") for o in (write.before, write.after))
        if before == after:
            return []
        return [(write.namespace, name_of(budget)) for budget in self.client.list(RESOURCE, write.namespace)]

    def reconcile(self, key: Key) -> After | None:
        budget = self.client.find(RESOURCE, key[1], key[0])
        if budget is None or budget["metadata"].get("deletionTimestamp"):
            return None
        pods = [p for p in self._selected(budget) if get_in(p, "status", "phase") not in FINISHED]
        healthy = sum(1 for p in pods if is_ready(p) and not p["metadata"].get("deletionTimestamp"))
        if get_in(budget, "spec", "maxUnavailable") is not None:
            expected = self._expected(pods)
            wanted = max(expected - percent(budget["spec"]["maxUnavailable"], expected, up=True), 0)
        else:
            least = get_in(budget, "spec", "minAvailable", default=1)
            expected = self._expected(pods) if isinstance(least, str) else len(pods)
            wanted = percent(least, expected, up=True)
        allowed = max(healthy - wanted, 0) if expected else 0
        found = ("True", "SufficientPods", "") if allowed else ("False", "InsufficientPods", "")
        conditions = set_condition(
            get_in(budget, "status", "conditions", default=()),
            self.stamp,
            "DisruptionAllowed",
            *found,
            update_time=False,
        )
        generation = budget["metadata"].get("generation", 1)
        status: Object = {
            "conditions": [{**c, "observedGeneration": generation} for c in conditions],
            "currentHealthy": healthy,
            "desiredHealthy": wanted,
            "disruptedPods": None,
            "disruptionsAllowed": allowed,
            "expectedPods": expected,
            "observedGeneration": generation,
        }
        write_status(self, RESOURCE, budget, status)
        return None

    def _selected(self, budget: Object) -> Objects:
        selector = get_in(budget, "spec", "selector")
        labels = get_in(selector, "matchLabels", default={})
        namespace = namespace_of(budget)
        if labels:
            key = min(labels)
            candidates = self.client.by_index("pods", "label", f"{key}={labels[key]}", namespace)
        else:
            candidates = self.client.list("pods", namespace)
        return [pod for pod in candidates if selector_matches(selector, labels_of(pod))]

    def _expected(self, pods: Objects) -> int:
        """The sizes of the workloads behind the pods; a pod without one counts as one."""
        seen: dict[str, int] = {}
        for pod in pods:
            ref = controller_of(pod)
            uid, size = (str(ref["uid"]), 1) if ref is not None else (str(pod["metadata"]["uid"]), 1)
            if ref is not None and ref["kind"] in _SCALES:
                owner = self.client.find(_SCALES[ref["kind"]], ref["name"], namespace_of(pod))
                above = controller_of(owner) if owner is not None else None
                if above is not None and above["kind"] in _SCALES:
                    uid = str(above["uid"])
                    owner = self.client.find(_SCALES[above["kind"]], above["name"], namespace_of(pod))
                size = int(get_in(owner, "spec", "replicas", default=1))
            seen[uid] = size
        return sum(seen.values())
