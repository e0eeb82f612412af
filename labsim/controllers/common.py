"""What the controllers share: pods from templates, claiming by owner, readiness, hashes, conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from json import dumps
from typing import Any

from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.events import Recorder
from labsim.kube.matching import selector_matches
from labsim.kube.objects import (
    Object,
    condition_of,
    controller_of,
    get_in,
    is_true,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
)
from labsim.sim import names
from labsim.sim.clock import parse_time, rfc3339
from labsim.sim.journal import Write
from labsim.sim.loop import Controller
from labsim.sim.timers import Key

Objects = list[Object]
FINISHED = ("Succeeded", "Failed")


class Manager(Controller):
    """A controller of kube-controller-manager: `account` is its service account, `component` names it in events."""

    account = ""
    component = ""

    def __init__(self, cluster: Cluster) -> None:
        self.client: Client = cluster.client(f"system:serviceaccount:kube-system:{self.account}")
        self.recorder = Recorder(self.client, self.component or self.account)
        self.seed = cluster.seed

    @property
    def now(self) -> int:
        return self.client.now

    @property
    def stamp(self) -> str:
        return rfc3339(self.client.now)


def own_key(write: Write) -> list[Key]:
    return [(write.namespace, write.name)]


def owner_keys(kind: str) -> Callable[[Write], list[Key]]:
    """Keys of the controlling owners of this kind, before and after a write."""

    def keys(write: Write) -> list[Key]:
        found: dict[Key, None] = {}
        for obj in (write.before, write.after):
            ref = controller_of(obj) if obj is not None else None
            if ref is not None and ref.get("kind") == kind:
                found[(write.namespace, str(ref["name"]))] = None
        return list(found)

    return keys


def owner_reference(owner: Object) -> Object:
    return {
        "apiVersion": owner["apiVersion"],
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": owner["kind"],
        "name": name_of(owner),
        "uid": uid_of(owner),
    }


def owned(client: Client, resource: str, owner: Object) -> Objects:
    """The objects that `owner` controls."""
    found = client.by_index(resource, "owner", uid_of(owner), namespace_of(owner))
    return [obj for obj in found if (controller_of(obj) or {}).get("uid") == uid_of(owner)]


def claim(client: Client, resource: str, owner: Object) -> Objects:
    """Owned objects, after adopting matching orphans and releasing those that do not match any more."""
    selector = get_in(owner, "spec", "selector")
    mine = []
    for obj in owned(client, resource, owner):
        if selector_matches(selector, labels_of(obj)) or obj["metadata"].get("deletionTimestamp"):
            mine.append(obj)
        elif not owner["metadata"].get("deletionTimestamp"):
            refs = [ref for ref in obj["metadata"]["ownerReferences"] if ref.get("uid") != uid_of(owner)]
            client.update(
                resource, {**obj, "metadata": {**obj["metadata"], "ownerReferences": refs}}, namespace_of(obj)
            )
    if owner["metadata"].get("deletionTimestamp"):
        return mine
    for obj in _orphans(client, resource, selector, namespace_of(owner)):
        refs = [*(obj["metadata"].get("ownerReferences") or ()), owner_reference(owner)]
        body = {**obj, "metadata": {**obj["metadata"], "ownerReferences": refs}}
        mine.append(client.update(resource, body, namespace_of(obj)))
    return mine


def _orphans(client: Client, resource: str, selector: Mapping[str, Any] | None, namespace: str) -> Objects:
    """Matching objects without a controller; found through one label of the selector."""
    labels = (selector or {}).get("matchLabels") or {}
    if labels:
        key = min(labels, key=lambda k: len(client.by_index(resource, "label", f"{k}={labels[k]}", namespace)))
        candidates = client.by_index(resource, "label", f"{key}={labels[key]}", namespace)
    else:
        candidates = client.list(resource, namespace)
    return [
        obj
        for obj in candidates
        if controller_of(obj) is None
        and not obj["metadata"].get("deletionTimestamp")
        and get_in(obj, "status", "phase") not in FINISHED
        and selector_matches(selector, labels_of(obj))
    ]


def matching_owners(client: Client, resource: str, pod: Object | None) -> list[Key]:
    """Owners that might adopt an orphan: all of the kind in its namespace whose selector fits."""
    if pod is None or controller_of(pod) is not None:
        return []
    return [
        (namespace_of(owner), name_of(owner))
        for owner in client.list(resource, namespace_of(pod))
        if selector_matches(get_in(owner, "spec", "selector"), labels_of(pod))
    ]


def template_hash(template: Mapping[str, Any], collisions: int = 0) -> str:
    """pod-template-hash: 32 bits of the template, in decimal, through rand.SafeEncodeString."""
    clean = {**template, "metadata": {k: v for k, v in (template.get("metadata") or {}).items() if v}}
    text = dumps([clean, collisions], sort_keys=True, separators=(",", ":"))
    number = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")
    return names.safe_encode(str(number))


def pod_from_template(template: Mapping[str, Any], owner: Object, *, name: str = "", **labels: str) -> Object:
    metadata: Object = {"ownerReferences": [owner_reference(owner)]}
    given = template.get("metadata") or {}
    metadata["labels"] = {**(given.get("labels") or {}), **labels}
    if given.get("annotations"):
        metadata["annotations"] = dict(given["annotations"])
    if given.get("finalizers"):
        metadata["finalizers"] = list(given["finalizers"])
    if name:
        metadata["name"] = name
    else:
        metadata["generateName"] = f"{name_of(owner)}-"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}


def create_pod(manager: Manager, owner: Object, pod: Object) -> Object | None:
    """Create a pod with the events that go with it; None when it was refused."""
    namespace = namespace_of(owner)
    try:
        created = manager.client.create("pods", pod, namespace)
    except ApiError as error:
        found = manager.client.find("namespaces", namespace)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return None  # a namespace that is being deleted is no news
        manager.recorder.event(owner, "Warning", "FailedCreate", f"Error creating: {error.message}")
        return None
    manager.recorder.event(owner, "Normal", "SuccessfulCreate", f"Created pod: {name_of(created)}")
    return created


def delete_pod(manager: Manager, owner: Object, pod: Object) -> None:
    if pod["metadata"].get("deletionTimestamp"):
        return
    manager.client.delete("pods", name_of(pod), namespace_of(pod))
    manager.recorder.event(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")


def is_ready(pod: Object) -> bool:
    return is_true(pod, "Ready")


def available_in(pod: Object, min_ready_seconds: int, now: int) -> int | None:
    """Milliseconds until a ready pod counts as available; 0 when it does, None when it is not ready."""
    ready = condition_of(pod, "Ready")
    if ready is None or ready["status"] != "True" or pod["metadata"].get("deletionTimestamp"):
        return None
    return max(0, parse_time(ready["lastTransitionTime"]) + min_ready_seconds * 1000 - now)


def alive(pods: Iterable[Object]) -> Objects:
    """Not finished and not being deleted."""
    return [
        pod
        for pod in pods
        if get_in(pod, "status", "phase") not in FINISHED and not pod["metadata"].get("deletionTimestamp")
    ]


def deletion_rank(pod: Object) -> tuple[Any, ...]:
    """First to be deleted sorts first: unassigned, pending, not ready, cheap, often restarted, young (ActivePods)."""
    cost = int((pod["metadata"].get("annotations") or {}).get("controller.kubernetes.io/pod-deletion-cost", 0))
    restarts = sum(int(s.get("restartCount", 0)) for s in get_in(pod, "status", "containerStatuses", default=()))
    phase = {"Pending": 0, "Unknown": 1}.get(str(get_in(pod, "status", "phase", default="Pending")), 2)
    age = -parse_time(pod["metadata"]["creationTimestamp"])
    return (bool(get_in(pod, "spec", "nodeName")), phase, is_ready(pod), cost, -restarts, age, name_of(pod))


def percent(value: Any, total: int, up: bool) -> int:
    """An IntOrString of a total."""
    if isinstance(value, str) and value.endswith("%"):
        product = int(value[:-1]) * total
        return -(-product // 100) if up else product // 100
    return int(value or 0)


def set_condition(
    conditions: Iterable[Object], now: str, kind: str, status: str, reason: str, message: str, *, update_time: bool
) -> Objects:
    """Conditions with one set; times change with its status (`lastUpdateTime` also with reason, where kept)."""
    found = list(conditions)
    before = next((c for c in found if c["type"] == kind), None)
    if before is not None and (before["status"], before.get("reason"), before.get("message")) == (
        status,
        reason,
        message,
    ):
        return found
    same = before is not None and before["status"] == status
    row: Object = {"lastTransitionTime": before["lastTransitionTime"] if same and before is not None else now}
    if update_time:
        row["lastUpdateTime"] = now
    row |= {"message": message, "reason": reason, "status": status, "type": kind}
    if before is None:
        return [*found, row]
    return [row if c["type"] == kind else c for c in found]


def write_status(manager: Manager, resource: str, obj: Object, status: Object) -> Object:
    """Only when it differs."""
    clean = {k: v for k, v in status.items() if v is not None}
    if clean == (obj.get("status") or {}):
        return obj
    return manager.client.update_status(resource, {**obj, "status": clean}, namespace_of(obj))
