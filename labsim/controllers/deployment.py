"""Deployments: ReplicaSets by template, rolled over step by step. Source: pkg/controller/deployment of 1.35."""

from __future__ import annotations

from labsim.controllers.common import (
    Manager,
    Objects,
    claim,
    own_key,
    owned,
    owner_keys,
    owner_reference,
    percent,
    set_condition,
    template_hash,
    write_status,
)
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, annotations_of, condition_of, controller_of, get_in, merge_in, name_of, set_in
from labsim.kube.objects import namespace_of as space
from labsim.sim.clock import SECOND, parse_time
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE, SETS = "deployments.apps", "replicasets.apps"
REVISION, HISTORY = "deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history"
DESIRED, MAX = "deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas"
HASH = "pod-template-hash"
_NOT_COPIED = ("kubectl.kubernetes.io/last-applied-configuration", REVISION, HISTORY, DESIRED, MAX)


class DeploymentController(Manager):
    name = "deployment"
    account = "deployment-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch(RESOURCE, own_key),
            Watch(SETS, owner_keys("Deployment")),
            Watch("pods", self._pod_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        """Recreate waits for the last old pod to be gone."""
        if write.verb != "delete" or write.before is None:
            return []
        ref = controller_of(write.before)
        rs = self.client.find(SETS, str(ref["name"]), write.namespace) if ref and ref["kind"] == "ReplicaSet" else None
        owner = controller_of(rs) if rs is not None else None
        return [(write.namespace, str(owner["name"]))] if owner is not None else []

    def reconcile(self, key: Key) -> After | None:
        deployment = self.client.find(RESOURCE, key[1], key[0])
        if deployment is None or deployment["metadata"].get("deletionTimestamp"):
            return None
        sets = claim(self.client, SETS, deployment)
        template = deployment["spec"]["template"]
        new = _newest(sets, template)
        paused = bool(get_in(deployment, "spec", "paused", default=False))
        if paused and new is None:
            deployment = self._scale_proportionally(deployment, sets, None)
            return self._status(deployment, owned(self.client, SETS, deployment), None)
        deployment, new = self._ensure_new(deployment, sets, new, create=not paused)
        old = [rs for rs in owned(self.client, SETS, deployment) if new is None or name_of(rs) != name_of(new)]
        if paused or self._scaling(deployment, [*old, new] if new else old):
            deployment = self._scale_proportionally(deployment, old, new)
        elif new is not None and get_in(deployment, "spec", "strategy", "type") == "Recreate":
            self._recreate(deployment, old, new)
        elif new is not None:
            self._roll(deployment, old, new)
        sets = owned(self.client, SETS, deployment)
        new = _newest(sets, template)
        deployment = self.client.get(RESOURCE, key[1], key[0])
        after = self._status(deployment, sets, new)
        if not paused and new is not None and _complete(self.client.get(RESOURCE, key[1], key[0])):
            self._clean_up(deployment, [rs for rs in sets if name_of(rs) != name_of(new)])
        return after

    # -- the new ReplicaSet --------------------------------------------------------------------------------------------

    def _ensure_new(
        self, deployment: Object, sets: Objects, new: Object | None, *, create: bool
    ) -> tuple[Object, Object | None]:
        old = [rs for rs in sets if new is None or name_of(rs) != name_of(new)]
        revision = str(max((_revision(rs) for rs in old), default=0) + 1)
        copied = {k: v for k, v in annotations_of(deployment).items() if k not in _NOT_COPIED}
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        surge = _bounds(deployment)[0]
        if new is None:
            if not create:
                return deployment, None
            new = self._create(deployment, old, revision, copied, wanted + surge)
            if new is None:
                return deployment, None
            self._progress(deployment, "NewReplicaSetCreated", f'Created new replica set "{name_of(new)}"')
            deployment = self.client.get(RESOURCE, name_of(deployment), space(deployment))
        else:
            changes: dict[str, str] = dict(copied)
            if _revision(new) < int(revision):
                before = annotations_of(new).get(REVISION, "")
                history = [h for h in annotations_of(new).get(HISTORY, "").split(",") if h]
                changes[REVISION] = revision
                if before:
                    changes[HISTORY] = ",".join([*history, before])
            changed = merge_in(new, ("metadata", "annotations"), changes)
            if get_in(deployment, "spec", "minReadySeconds") != get_in(new, "spec", "minReadySeconds"):
                changed = merge_in(
                    changed, ("spec",), {"minReadySeconds": get_in(deployment, "spec", "minReadySeconds")}
                )
            if changed != new:
                new = self.client.update(SETS, changed, space(new))
            if condition_of(deployment, "Progressing") is None:
                self._progress(deployment, "FoundNewReplicaSet", f'Found new replica set "{name_of(new)}"')
                deployment = self.client.get(RESOURCE, name_of(deployment), space(deployment))
        current = annotations_of(new).get(REVISION, revision)
        if annotations_of(deployment).get(REVISION) != current:
            changed = merge_in(deployment, ("metadata", "annotations"), {REVISION: current})
            deployment = self.client.update(RESOURCE, changed, space(deployment))
        return deployment, new

    def _create(
        self, deployment: Object, old: Objects, revision: str, copied: dict[str, str], most: int
    ) -> Object | None:
        template = deployment["spec"]["template"]
        collisions = int(get_in(deployment, "status", "collisionCount", default=0))
        digest = template_hash(template, collisions)
        labels = {**get_in(template, "metadata", "labels", default={}), HASH: digest}
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        total = sum(int(get_in(rs, "spec", "replicas", default=0)) for rs in old)
        if get_in(deployment, "spec", "strategy", "type") == "Recreate":
            replicas = 0 if total else wanted
        else:
            replicas = min(max(most - total, 0), wanted)
        selector = get_in(deployment, "spec", "selector", default={})
        match = {**(selector.get("matchLabels") or {}), HASH: digest}
        name = f"{name_of(deployment)}-{digest}"
        if self.client.find(SETS, name, space(deployment)) is not None:
            status = {**(deployment.get("status") or {}), "collisionCount": collisions + 1}
            write_status(self, RESOURCE, deployment, status)
            return None
        body: Object = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "labels": labels,
                "annotations": {**copied, DESIRED: str(wanted), MAX: str(most), REVISION: revision},
                "ownerReferences": [owner_reference(deployment)],
            },
            "spec": {
                "replicas": replicas,
                "selector": {**selector, "matchLabels": match},
                "template": set_in(template, ("metadata", "labels"), labels),
            },
        }
        if get_in(deployment, "spec", "minReadySeconds"):
            body["spec"]["minReadySeconds"] = deployment["spec"]["minReadySeconds"]
        created = self.client.create(SETS, body, space(deployment))
        if replicas:
            self._scaled(deployment, name, 0, replicas)
        return created

    def _scaled(self, deployment: Object, name: str, before: int, after: int) -> None:
        direction = "up" if after > before else "down"
        text = f"Scaled {direction} replica set {name} from {before} to {after}"
        self.recorder.event(deployment, "Normal", "ScalingReplicaSet", text)

    def _scale(self, deployment: Object, rs: Object, replicas: int) -> Object:
        before = int(get_in(rs, "spec", "replicas", default=0))
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        marks = {DESIRED: str(wanted), MAX: str(wanted + _bounds(deployment)[0])}
        changed = merge_in(set_in(rs, ("spec", "replicas"), replicas), ("metadata", "annotations"), marks)
        if changed == rs:
            return rs
        rs = self.client.update(SETS, changed, space(rs))
        if before != replicas:
            self._scaled(deployment, name_of(rs), before, replicas)
        return rs

    # -- strategies ----------------------------------------------------------------------------------------------------

    def _recreate(self, deployment: Object, old: Objects, new: Object) -> None:
        for rs in old:
            if int(get_in(rs, "spec", "replicas", default=0)):
                self._scale(deployment, rs, 0)
        for rs in old:
            if self.client.by_index("pods", "owner", rs["metadata"]["uid"]):
                return  # their pods must be gone first, the terminating ones too
        self._scale(deployment, new, int(get_in(deployment, "spec", "replicas", default=1)))

    def _roll(self, deployment: Object, old: Objects, new: Object) -> None:
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        surge, unavailable = _bounds(deployment)
        sizes = sum(int(get_in(rs, "spec", "replicas", default=0)) for rs in old)
        have = int(get_in(new, "spec", "replicas", default=0))
        if have < wanted:
            grown = min(have + max(wanted + surge - sizes - have, 0), wanted)
            new = self._scale(deployment, new, grown)
            if grown != have:
                return
        elif have > wanted:
            self._scale(deployment, new, wanted)
            return
        if not sizes:
            self._scale(deployment, new, have)
            return
        available = sum(_count(rs, "availableReplicas") for rs in [*old, new])
        new_unavailable = have - _count(new, "availableReplicas")
        spare = sizes + have - (wanted - unavailable) - new_unavailable
        if spare <= 0:
            return
        ordered = sorted(old, key=lambda rs: (rs["metadata"]["creationTimestamp"], name_of(rs)))
        for n, rs in enumerate(ordered):  # replicas that do not work go first
            size = int(get_in(rs, "spec", "replicas", default=0))
            broken = min(size - _count(rs, "availableReplicas"), spare)
            if broken > 0:
                ordered[n] = self._scale(deployment, rs, size - broken)
                spare -= broken
        spare = available - (wanted - unavailable)
        for rs in ordered:
            size = int(get_in(rs, "spec", "replicas", default=0))
            less = min(size, spare)
            if less > 0:
                self._scale(deployment, rs, size - less)
                spare -= less

    @staticmethod
    def _scaling(deployment: Object, sets: Objects) -> bool:
        """The size asked for changed since the ReplicaSets were last marked."""
        wanted = str(get_in(deployment, "spec", "replicas", default=1))
        return any(
            int(get_in(rs, "spec", "replicas", default=0)) and annotations_of(rs).get(DESIRED, wanted) != wanted
            for rs in sets
        )

    def _scale_proportionally(self, deployment: Object, old: Objects, new: Object | None) -> Object:
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        live = [rs for rs in ([*old, new] if new else old) if int(get_in(rs, "spec", "replicas", default=0))]
        if len(live) <= 1:
            one = live[0] if live else new
            if one is not None:
                self._scale(deployment, one, wanted)
            return deployment
        surge = _bounds(deployment)[0]
        allowed = wanted + surge if wanted else 0
        total = sum(int(rs["spec"]["replicas"]) for rs in live)
        left = allowed - total
        live.sort(key=lambda rs: (-int(rs["spec"]["replicas"]), rs["metadata"]["creationTimestamp"]))
        for rs in live:
            size = int(rs["spec"]["replicas"])
            before = int(annotations_of(rs).get(MAX, total)) or 1
            share = round(size * allowed / before) - size if left else 0
            share = min(share, left) if left > 0 else max(share, left, -size)
            left -= share
            if rs is live[0]:
                first, extra = rs, share
            else:
                self._scale(deployment, rs, size + share)
        self._scale(deployment, first, max(int(first["spec"]["replicas"]) + extra + left, 0))
        return deployment

    def _clean_up(self, deployment: Object, old: Objects) -> None:
        """Old ReplicaSets beyond revisionHistoryLimit."""
        limit = int(get_in(deployment, "spec", "revisionHistoryLimit", default=10))
        empty = [
            rs
            for rs in old
            if not int(get_in(rs, "spec", "replicas", default=0))
            and not _count(rs, "replicas")
            and not rs["metadata"].get("deletionTimestamp")
        ]
        for rs in sorted(empty, key=_revision)[: max(len(old) - limit, 0)]:
            self.client.delete(SETS, name_of(rs), space(rs))

    # -- status --------------------------------------------------------------------------------------------------------

    def _progress(self, deployment: Object, reason: str, message: str) -> None:
        old = deployment.get("status") or {}
        conditions = set_condition(
            old.get("conditions") or (), self.stamp, "Progressing", "True", reason, message, update_time=True
        )
        write_status(self, RESOURCE, deployment, {**old, "conditions": conditions})

    def _status(self, deployment: Object, sets: Objects, new: Object | None) -> After | None:
        old = deployment.get("status") or {}
        wanted = int(get_in(deployment, "spec", "replicas", default=1))
        total = sum(_count(rs, "replicas") for rs in sets)
        available = sum(_count(rs, "availableReplicas") for rs in sets)
        ready = sum(_count(rs, "readyReplicas") for rs in sets)
        updated = _count(new, "replicas") if new is not None else 0
        status: Object = {
            "availableReplicas": available or None,
            "collisionCount": old.get("collisionCount"),
            "observedGeneration": deployment["metadata"].get("generation", 1),
            "readyReplicas": ready or None,
            "replicas": total or None,
            "terminatingReplicas": sum(_count(rs, "terminatingReplicas") for rs in sets),
            "unavailableReplicas": max(
                sum(int(get_in(rs, "spec", "replicas", default=0)) for rs in sets) - available, 0
            )
            or None,
            "updatedReplicas": updated or None,
        }
        conditions = list(old.get("conditions") or ())
        if available >= wanted - _bounds(deployment)[1]:
            found = ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        else:
            found = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        conditions = set_condition(conditions, self.stamp, "Available", *found, update_time=True)
        conditions, due = self._progressing(deployment, conditions, status, old, new)
        broken = next((c for rs in sets if (c := condition_of(rs, "ReplicaFailure"))), None)
        if broken is not None:
            row = (broken["status"], broken["reason"], broken.get("message", ""))
            conditions = set_condition(conditions, self.stamp, "ReplicaFailure", *row, update_time=True)
        else:
            conditions = [c for c in conditions if c["type"] != "ReplicaFailure"]
        status["conditions"] = conditions
        write_status(self, RESOURCE, deployment, status)
        return due

    def _progressing(
        self, deployment: Object, conditions: Objects, status: Object, old: Object, new: Object | None
    ) -> tuple[Objects, After | None]:
        limit = get_in(deployment, "spec", "progressDeadlineSeconds")
        before = condition_of(deployment, "Progressing")
        what = f'ReplicaSet "{name_of(new)}"' if new is not None else f'Deployment "{name_of(deployment)}"'
        if limit is None or int(limit) == 2**31 - 1:
            return conditions, None
        if bool(get_in(deployment, "spec", "paused", default=False)):
            if before is None or before.get("reason") != "DeploymentPaused":
                row = ("Unknown", "DeploymentPaused", "Deployment is paused")
                conditions = set_condition(conditions, self.stamp, "Progressing", *row, update_time=True)
            return conditions, None
        if before is not None and before.get("reason") == "DeploymentPaused":
            row = ("Unknown", "DeploymentResumed", "Deployment is resumed")
            conditions = set_condition(conditions, self.stamp, "Progressing", *row, update_time=True)
            before = next(c for c in conditions if c["type"] == "Progressing")
        if (
            before is not None
            and before.get("reason") == "NewReplicaSetAvailable"
            and status.get("updatedReplicas") == status.get("replicas")
        ):
            # A finished rollout stays finished, whatever becomes of its pods later.
            return conditions, None
        if _complete({**deployment, "status": status}):
            row = ("True", "NewReplicaSetAvailable", f"{what} has successfully progressed.")
            return set_condition(conditions, self.stamp, "Progressing", *row, update_time=True), None
        moved = any(
            int(status.get(k) or 0) > int(old.get(k) or 0)
            for k in ("updatedReplicas", "readyReplicas", "availableReplicas")
        )
        fewer = int(status.get("replicas") or 0) - int(status.get("updatedReplicas") or 0) < int(
            old.get("replicas") or 0
        ) - int(old.get("updatedReplicas") or 0)
        if moved or fewer:
            row = ("True", "ReplicaSetUpdated", f"{what} is progressing.")
            conditions = [c for c in conditions if c["type"] != "Progressing"]
            kept = before["lastTransitionTime"] if before and before["status"] == "True" else self.stamp
            conditions = set_condition(conditions, self.stamp, "Progressing", *row, update_time=True)
            conditions = [{**c, "lastTransitionTime": kept} if c["type"] == "Progressing" else c for c in conditions]
            before = next(c for c in conditions if c["type"] == "Progressing")
        if before is None or before.get("reason") == "ProgressDeadlineExceeded":
            return conditions, None
        at = parse_time(before["lastUpdateTime"]) + int(limit) * SECOND
        if self.now >= at:
            row = ("False", "ProgressDeadlineExceeded", f"{what} has timed out progressing.")
            return set_condition(conditions, self.stamp, "Progressing", *row, update_time=True), None
        return conditions, After(at - self.now, periodic=True)


def _bounds(deployment: Object) -> tuple[int, int]:
    """(surge, unavailable) in pods; never both 0."""
    if get_in(deployment, "spec", "strategy", "type", default="RollingUpdate") != "RollingUpdate":
        return 0, 0
    wanted = int(get_in(deployment, "spec", "replicas", default=1))
    rolling = get_in(deployment, "spec", "strategy", "rollingUpdate", default={})
    surge = percent(rolling.get("maxSurge", "25%"), wanted, up=True)
    unavailable = percent(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    if not surge and not unavailable:
        unavailable = 1
    return surge, min(unavailable, wanted)


def _count(rs: Object | None, key: str) -> int:
    return int(get_in(rs, "status", key, default=0))


def _revision(rs: Object) -> int:
    text = annotations_of(rs).get(REVISION, "0")
    return int(text) if text.isdigit() else 0


def _newest(sets: Objects, template: Object) -> Object | None:
    """The oldest ReplicaSet whose template is this one, the hash label apart."""
    found = [rs for rs in sets if _plain(rs["spec"]["template"]) == _plain(template)]
    return min(found, key=lambda rs: (rs["metadata"]["creationTimestamp"], name_of(rs)), default=None)


def _plain(template: Object) -> Object:
    metadata = {k: v for k, v in (template.get("metadata") or {}).items() if v and k != "creationTimestamp"}
    labels = {k: v for k, v in (metadata.get("labels") or {}).items() if k != HASH}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _complete(deployment: Object) -> bool:
    wanted = int(get_in(deployment, "spec", "replicas", default=1))
    status = deployment.get("status") or {}
    return (
        int(status.get("updatedReplicas") or 0) == wanted
        and int(status.get("replicas") or 0) == wanted
        and int(status.get("availableReplicas") or 0) == wanted
        and int(status.get("observedGeneration") or 0) >= int(deployment["metadata"].get("generation", 1))
    )
