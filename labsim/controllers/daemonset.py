"""DaemonSets: one pod on each node that fits. Source: pkg/controller/daemon of 1.35."""

from __future__ import annotations

from typing import Any

from labsim.controllers.common import (
    Manager,
    Objects,
    available_in,
    claim,
    create_pod,
    delete_pod,
    is_ready,
    matching_owners,
    own_key,
    owner_keys,
    percent,
    pod_from_template,
    write_status,
)
from labsim.controllers.revisions import HASH, current_revision, trim
from labsim.kube.cluster import Cluster
from labsim.kube.matching import pod_fits_node, untolerated
from labsim.kube.objects import Object, annotations_of, controller_of, get_in, labels_of, name_of, namespace_of
from labsim.sim.clock import MINUTE, SECOND, parse_time
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "daemonsets.apps"
GENERATION = "deprecated.daemonset.template.generation"
# A failed daemon pod is replaced after 1 s doubling to 15 min.
BACKOFF, BACKOFF_MAX = 1 * SECOND, 15 * MINUTE

_TOLERATIONS: tuple[Object, ...] = (
    {"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists"},
    {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node.kubernetes.io/disk-pressure", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node.kubernetes.io/memory-pressure", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node.kubernetes.io/pid-pressure", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
)
_NETWORK = {"effect": "NoSchedule", "key": "node.kubernetes.io/network-unavailable", "operator": "Exists"}


class DaemonSetController(Manager):
    name = "daemonset"
    account = "daemon-set-controller"
    component = "daemonset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch(RESOURCE, own_key),
            Watch("pods", self._pod_keys),
            Watch("nodes", self._node_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        if write.verb != "delete" and controller_of(write.after or {}) is None:
            return matching_owners(self.client, RESOURCE, write.after) + owner_keys("DaemonSet")(write)
        return owner_keys("DaemonSet")(write)

    def _node_keys(self, write: Write) -> list[Key]:
        """All DaemonSets, when what decides about placement changed."""
        before, after = write.before, write.after
        if (
            before is not None
            and after is not None
            and all(
                get_in(before, *path) == get_in(after, *path)
                for path in (("metadata", "labels"), ("spec", "taints"), ("spec", "unschedulable"))
            )
        ):
            return []
        return [(namespace_of(ds), name_of(ds)) for ds in self.client.list(RESOURCE)]

    def reconcile(self, key: Key) -> After | None:
        ds = self.client.find(RESOURCE, key[1], key[0])
        if ds is None or ds["metadata"].get("deletionTimestamp"):
            return None
        revision, old = current_revision(self, ds, RESOURCE)
        digest = labels_of(revision)[HASH]
        pods = claim(self.client, "pods", ds)
        by_node: dict[str, Objects] = {}
        for pod in pods:
            by_node.setdefault(_target(pod), []).append(pod)
        nodes = self.client.list("nodes")
        wanted = {name_of(node): _should(ds, node) for node in nodes}
        due = self._manage(ds, digest, nodes, wanted, by_node)
        if get_in(ds, "spec", "updateStrategy", "type") == "RollingUpdate":
            self._roll(ds, digest, nodes, wanted)
        trim(self, ds, old, claim(self.client, "pods", ds))
        later = self._status(ds, digest, nodes, wanted)
        dues = [d for d in (due, later) if d is not None]
        return min(dues, key=lambda d: d.ms) if dues else None

    # -- placement -----------------------------------------------------------------------------------------------------

    def _manage(
        self,
        ds: Object,
        digest: str,
        nodes: Objects,
        wanted: dict[str, tuple[bool, bool]],
        by_node: dict[str, Objects],
    ) -> After | None:
        missing: list[str] = []
        due: int | None = None
        for node in nodes:
            name = name_of(node)
            run, stay = wanted[name]
            here = by_node.pop(name, [])
            failed = [p for p in here if get_in(p, "status", "phase") == "Failed"]
            others = [p for p in here if get_in(p, "status", "phase") != "Failed"]
            if not stay:
                for pod in here:
                    delete_pod(self, ds, pod)
                continue
            for pod in failed:
                wait = self._failed(ds, name, pod)
                if wait:
                    due = wait if due is None else min(due, wait)
            if run and not here:
                missing.append(name)
            living = [p for p in others if not p["metadata"].get("deletionTimestamp")]
            living.sort(
                key=lambda p: (not get_in(p, "spec", "nodeName"), p["metadata"]["creationTimestamp"], name_of(p))
            )
            for pod in living[1 + self._surging(ds, digest, living) :]:
                delete_pod(self, ds, pod)
        for gone in by_node.values():
            for pod in gone:
                if not get_in(pod, "spec", "nodeName"):
                    delete_pod(self, ds, pod)
        for name in missing:
            if create_pod(self, ds, _pod(ds, digest, name)) is None:
                return After(5 * SECOND, periodic=True)
        return After(due, periodic=True) if due is not None else None

    @staticmethod
    def _surging(ds: Object, digest: str, living: Objects) -> int:
        surge = get_in(ds, "spec", "updateStrategy", "rollingUpdate", "maxSurge", default=0)
        return 1 if surge not in (0, "0%") and any(labels_of(p).get(HASH) != digest for p in living) else 0

    def _failed(self, ds: Object, node: str, pod: Object) -> int | None:
        """Delete a failed daemon pod, at once or when its back-off is over; ms to wait."""
        if pod["metadata"].get("deletionTimestamp"):
            return None
        events = self.client.by_index("events", "involvedObject.uid", ds["metadata"]["uid"])
        recent = [
            e
            for e in events
            if e.get("reason") == "FailedDaemonPod"
            and self.now - parse_time(e["lastTimestamp"]) < 2 * BACKOFF_MAX
            and f"on node {node}," in e["message"]
        ]
        count = sum(int(e.get("count", 1)) for e in recent)
        last = max((parse_time(e["lastTimestamp"]) for e in recent), default=0)
        at = last + min(BACKOFF << max(count - 1, 0), BACKOFF_MAX) if recent else 0
        if self.now < at:
            return at - self.now
        text = f"Found failed daemon pod {namespace_of(pod)}/{name_of(pod)} on node {node}, will try to kill it"
        self.recorder.event(ds, "Warning", "FailedDaemonPod", text)
        delete_pod(self, ds, pod)
        return None

    # -- rolling update ------------------------------------------------------------------------------------------------

    def _roll(self, ds: Object, digest: str, nodes: Objects, wanted: dict[str, tuple[bool, bool]]) -> None:
        """Replace old pods, at most maxUnavailable at a time; with maxSurge the new one comes first."""
        total = sum(1 for run, _ in wanted.values() if run)
        rolling = get_in(ds, "spec", "updateStrategy", "rollingUpdate", default={})
        unavailable = percent(rolling.get("maxUnavailable", 1), total, up=True)
        surge = percent(rolling.get("maxSurge", 0), total, up=True)
        wait = int(get_in(ds, "spec", "minReadySeconds", default=0))
        by_node: dict[str, Objects] = {}
        for pod in claim(self.client, "pods", ds):
            by_node.setdefault(_target(pod), []).append(pod)
        down, surging = 0, 0
        broken: Objects = []
        working: Objects = []
        for node in nodes:
            name = name_of(node)
            if not wanted[name][0]:
                continue
            here = by_node.get(name, [])
            new = [p for p in here if _is_new(ds, digest, p) and not p["metadata"].get("deletionTimestamp")]
            old = [p for p in here if not _is_new(ds, digest, p) and not p["metadata"].get("deletionTimestamp")]
            ready = any(available_in(p, wait, self.now) == 0 for p in (new or old))
            if not surge:
                if not ready:
                    down += 1
                if old:
                    (working if ready else broken).append(old[0])
                continue
            if old and new:
                if ready:
                    delete_pod(self, ds, old[0])
                else:
                    surging += 1
            elif old:
                if available_in(old[0], wait, self.now) == 0:
                    working.append(old[0])
                else:
                    delete_pod(self, ds, old[0])
        if surge:
            for pod in working[: max(surge - surging, 0)]:
                create_pod(self, ds, _pod(ds, digest, _target(pod)))
            return
        for pod in [*broken, *working[: max(unavailable - down, 0)]]:
            delete_pod(self, ds, pod)

    # -- status --------------------------------------------------------------------------------------------------------

    def _status(self, ds: Object, digest: str, nodes: Objects, wanted: dict[str, tuple[bool, bool]]) -> After | None:
        ds = self.client.get(RESOURCE, name_of(ds), namespace_of(ds))
        by_node: dict[str, Objects] = {}
        for pod in claim(self.client, "pods", ds):
            by_node.setdefault(_target(pod), []).append(pod)
        wait = int(get_in(ds, "spec", "minReadySeconds", default=0))
        desired = current = misscheduled = ready = updated = available = 0
        soon: list[int] = []
        for node in nodes:
            run, _ = wanted[name_of(node)]
            here = by_node.get(name_of(node), [])
            if not run:
                misscheduled += 1 if here else 0
                continue
            desired += 1
            if not here:
                continue
            current += 1
            newest = max(here, key=lambda p: (p["metadata"]["creationTimestamp"], name_of(p)))
            if is_ready(newest):
                ready += 1
                delay = available_in(newest, wait, self.now)
                if delay == 0:
                    available += 1
                elif delay:
                    soon.append(delay)
            updated += 1 if _is_new(ds, digest, newest) else 0
        status: Object = {
            "currentNumberScheduled": current,
            "desiredNumberScheduled": desired,
            "numberAvailable": available or None,
            "numberMisscheduled": misscheduled,
            "numberReady": ready,
            "numberUnavailable": desired - available or None,
            "observedGeneration": ds["metadata"].get("generation", 1),
            "updatedNumberScheduled": updated or None,
        }
        if get_in(ds, "status", "collisionCount") is not None:
            status["collisionCount"] = ds["status"]["collisionCount"]
        write_status(self, RESOURCE, ds, status)
        return After(min(soon)) if soon else None


def _is_new(ds: Object, digest: str, pod: Object) -> bool:
    generation = annotations_of(ds).get(GENERATION)
    return labels_of(pod).get(HASH) == digest or (
        generation is not None and labels_of(pod).get("pod-template-generation") == generation
    )


def _target(pod: Object) -> str:
    """The node a daemon pod runs on, or is meant for."""
    assigned = get_in(pod, "spec", "nodeName")
    if assigned:
        return str(assigned)
    required = get_in(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    for term in get_in(required, "nodeSelectorTerms", default=()):
        for field in term.get("matchFields") or ():
            if field["key"] == "metadata.name" and field.get("values"):
                return str(field["values"][0])
    return ""


def _tolerations(ds: Object) -> list[Any]:
    found = list(get_in(ds, "spec", "template", "spec", "tolerations", default=()))
    extra = [*_TOLERATIONS]
    if get_in(ds, "spec", "template", "spec", "hostNetwork"):
        extra.append(_NETWORK)
    return found + [t for t in extra if t not in found]


def _should(ds: Object, node: Object) -> tuple[bool, bool]:
    """(should run, may stay)."""
    template = {"spec": get_in(ds, "spec", "template", "spec", default={})}
    wanted = template["spec"].get("nodeName")
    if (wanted and wanted != name_of(node)) or not pod_fits_node(template, node):
        return False, False
    taints = get_in(node, "spec", "taints", default=())
    tolerations = _tolerations(ds)
    if untolerated(tolerations, taints, ("NoSchedule", "NoExecute")):
        return False, not untolerated(tolerations, taints, ("NoExecute",))
    return True, True


def _pod(ds: Object, digest: str, node: str) -> Object:
    labels = {HASH: digest}
    generation = annotations_of(ds).get(GENERATION)
    if generation is not None:
        labels["pod-template-generation"] = generation
    pod = pod_from_template(ds["spec"]["template"], ds, **labels)
    spec = dict(pod["spec"])
    affinity = dict(spec.get("affinity") or {})
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    node_affinity = dict(affinity.get("nodeAffinity") or {})
    required = node_affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = [{**t, **term} for t in required.get("nodeSelectorTerms") or ()] or [term]
    node_affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    spec["affinity"] = {**affinity, "nodeAffinity": node_affinity}
    spec["tolerations"] = _tolerations(ds)
    return {**pod, "spec": spec}
