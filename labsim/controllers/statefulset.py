"""StatefulSets: pods with names, in order, with their own claims. Source: pkg/controller/statefulset of 1.35."""

from __future__ import annotations

from labsim.controllers.common import (
    FINISHED,
    Manager,
    Objects,
    available_in,
    claim,
    is_ready,
    matching_owners,
    own_key,
    owner_keys,
    owner_reference,
    pod_from_template,
    write_status,
)
from labsim.controllers.revisions import HASH, current_revision, trim
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, controller_of, get_in, labels_of, name_of, namespace_of, set_in
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "statefulsets.apps"
POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


class StatefulSetController(Manager):
    name = "statefulset"
    account = "statefulset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch(RESOURCE, own_key), Watch("pods", self._pod_keys))

    def _pod_keys(self, write: Write) -> list[Key]:
        if write.verb != "delete" and controller_of(write.after or {}) is None:
            return matching_owners(self.client, RESOURCE, write.after) + owner_keys("StatefulSet")(write)
        return owner_keys("StatefulSet")(write)

    def reconcile(self, key: Key) -> After | None:
        sts = self.client.find(RESOURCE, key[1], key[0])
        if sts is None or sts["metadata"].get("deletionTimestamp"):
            return None
        update, old = current_revision(self, sts, RESOURCE)
        pods = {name_of(p): p for p in claim(self.client, "pods", sts)}
        current = self._current(sts, update, old)
        due = self._advance(sts, current, update, pods)
        pods = {name_of(p): p for p in claim(self.client, "pods", sts)}
        self._status(sts, current, update, pods)
        trim(self, sts, [r for r in old if name_of(r) != name_of(current)], list(pods.values()))
        return due

    def _current(self, sts: Object, update: Object, old: Objects) -> Object:
        """The revision that replicas not yet updated have."""
        name = get_in(sts, "status", "currentRevision")
        return next((r for r in old if name_of(r) == name), update)

    # -- one step ------------------------------------------------------------------------------------------------------

    def _advance(self, sts: Object, current: Object, update: Object, pods: dict[str, Object]) -> After | None:
        """At most one change in ordered mode; all at once with podManagementPolicy Parallel."""
        ordered = get_in(sts, "spec", "podManagementPolicy", default="OrderedReady") != "Parallel"
        start = int(get_in(sts, "spec", "ordinals", "start", default=0))
        wanted = int(get_in(sts, "spec", "replicas", default=1))
        wait = int(get_in(sts, "spec", "minReadySeconds", default=0))
        due: int | None = None
        for ordinal in range(start, start + wanted):
            name = f"{name_of(sts)}-{ordinal}"
            pod = pods.get(name)
            if pod is not None and get_in(pod, "status", "phase") in FINISHED:
                if not pod["metadata"].get("deletionTimestamp"):
                    self.client.delete("pods", name, namespace_of(sts))
                    self.recorder.event(
                        sts,
                        "Warning",
                        "RecreatingFailedPod",
                        f"StatefulSet {namespace_of(sts)}/{name_of(sts)} is recreating failed Pod {name}",
                    )
                pod = self.client.find("pods", name, namespace_of(sts))
                if pod is not None:
                    if ordered:
                        return None
                    continue
            if pod is None:
                if not self._create(sts, name, ordinal, self._revision_for(sts, ordinal - start, current, update)):
                    return After(5 * SECOND, periodic=True)
                if ordered:
                    return None
                continue
            if pod["metadata"].get("deletionTimestamp"):
                if ordered:
                    return None
                continue
            delay = available_in(pod, wait, self.now)
            if delay is None or delay > 0:
                if delay:
                    due = delay if due is None else min(due, delay)
                if ordered:
                    return After(delay) if delay else None
        condemned = sorted(
            (p for p in pods.values() if not start <= _ordinal(p) < start + wanted), key=_ordinal, reverse=True
        )
        for pod in condemned:
            if pod["metadata"].get("deletionTimestamp"):
                if ordered:
                    return None
                continue
            self._delete(sts, pod)
            if ordered:
                return None
        if get_in(sts, "spec", "updateStrategy", "type") == "RollingUpdate":
            self._update(sts, update, pods, start, wanted, wait)
        return After(due) if due is not None else None

    def _update(self, sts: Object, update: Object, pods: dict[str, Object], start: int, wanted: int, wait: int) -> None:
        """Replace one old pod at a time from the last ordinal down to the partition."""
        partition = int(get_in(sts, "spec", "updateStrategy", "rollingUpdate", "partition", default=0))
        for ordinal in range(start + wanted - 1, start + partition - 1, -1):
            pod = pods.get(f"{name_of(sts)}-{ordinal}")
            if pod is None or pod["metadata"].get("deletionTimestamp"):
                return
            if labels_of(pod).get(HASH) != name_of(update):
                self._delete(sts, pod)
                return
            if available_in(pod, wait, self.now) != 0:
                return

    def _revision_for(self, sts: Object, index: int, current: Object, update: Object) -> Object:
        if get_in(sts, "spec", "updateStrategy", "type") != "RollingUpdate":
            return update if not get_in(sts, "status", "currentReplicas") else current
        partition = int(get_in(sts, "spec", "updateStrategy", "rollingUpdate", "partition", default=0))
        return current if index < partition else update

    def _create(self, sts: Object, name: str, ordinal: int, revision: Object) -> bool:
        if not self._claims(sts, name):
            return False
        labels = {POD_NAME: name, POD_INDEX: str(ordinal), HASH: name_of(revision)}
        template = {k: v for k, v in revision["data"]["spec"]["template"].items() if k != "$patch"}
        pod = pod_from_template(template, sts, name=name, **labels)
        volumes = [
            v
            for v in pod["spec"].get("volumes") or ()
            if v["name"] not in {name_of(c) for c in get_in(sts, "spec", "volumeClaimTemplates", default=())}
        ]
        for found in get_in(sts, "spec", "volumeClaimTemplates", default=()):
            source = {"claimName": f"{name_of(found)}-{name}"}
            volumes.append({"name": name_of(found), "persistentVolumeClaim": source})
        spec: Object = {**pod["spec"], "hostname": name}
        if get_in(sts, "spec", "serviceName"):
            spec["subdomain"] = sts["spec"]["serviceName"]
        if volumes:
            spec["volumes"] = volumes
        try:
            self.client.create("pods", {**pod, "spec": spec}, namespace_of(sts))
        except ApiError as error:
            text = f"create Pod {name} in StatefulSet {name_of(sts)} failed error: {error.message}"
            self.recorder.event(sts, "Warning", "FailedCreate", text)
            return False
        text = f"create Pod {name} in StatefulSet {name_of(sts)} successful"
        self.recorder.event(sts, "Normal", "SuccessfulCreate", text)
        return True

    def _claims(self, sts: Object, pod: str) -> bool:
        for template in get_in(sts, "spec", "volumeClaimTemplates", default=()):
            name = f"{name_of(template)}-{pod}"
            if self.client.find("persistentvolumeclaims", name, namespace_of(sts)) is not None:
                continue
            labels = {
                **labels_of(template),
                **(get_in(sts, "spec", "selector", "matchLabels", default={})),
            }
            body = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "labels": labels}}
            body["spec"] = template["spec"]
            if get_in(sts, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted") == "Delete":
                body = set_in(body, ("metadata", "ownerReferences"), [owner_reference(sts)])
            try:
                self.client.create("persistentvolumeclaims", body, namespace_of(sts))
            except ApiError as error:
                text = f"create Claim {name} for Pod {pod} in StatefulSet {name_of(sts)} failed error: {error.message}"
                self.recorder.event(sts, "Warning", "FailedCreate", text)
                return False
            text = f"create Claim {name} Pod {pod} in StatefulSet {name_of(sts)} success"
            self.recorder.event(sts, "Normal", "SuccessfulCreate", text)
        return True

    def _delete(self, sts: Object, pod: Object) -> None:
        self.client.delete("pods", name_of(pod), namespace_of(pod))
        text = f"delete Pod {name_of(pod)} in StatefulSet {name_of(sts)} successful"
        self.recorder.event(sts, "Normal", "SuccessfulDelete", text)

    # -- status --------------------------------------------------------------------------------------------------------

    def _status(self, sts: Object, current: Object, update: Object, pods: dict[str, Object]) -> None:
        sts = self.client.get(RESOURCE, name_of(sts), namespace_of(sts))
        wait = int(get_in(sts, "spec", "minReadySeconds", default=0))
        live = [p for p in pods.values() if not p["metadata"].get("deletionTimestamp")]
        updated = sum(1 for p in live if labels_of(p).get(HASH) == name_of(update))
        wanted = int(get_in(sts, "spec", "replicas", default=1))
        ready = sum(1 for p in pods.values() if is_ready(p))
        rolling = get_in(sts, "spec", "updateStrategy", "type") == "RollingUpdate"
        if rolling and updated == wanted == len(pods) and ready == wanted:
            current = update
        status: Object = {
            "availableReplicas": sum(1 for p in pods.values() if available_in(p, wait, self.now) == 0),
            "collisionCount": int(get_in(sts, "status", "collisionCount", default=0)),
            "currentReplicas": sum(1 for p in live if labels_of(p).get(HASH) == name_of(current)) or None,
            "currentRevision": name_of(current),
            "observedGeneration": sts["metadata"].get("generation", 1),
            "readyReplicas": ready or None,
            "replicas": len(pods),
            "updateRevision": name_of(update),
            "updatedReplicas": updated or None,
        }
        write_status(self, RESOURCE, sts, status)


def _ordinal(pod: Object) -> int:
    tail = name_of(pod).rpartition("-")[2]
    return int(tail) if tail.isdigit() else -1
