"""ControllerRevisions: the templates that DaemonSets and StatefulSets have had. Source: pkg/controller/history."""

from __future__ import annotations

from labsim.controllers.common import Manager, Objects, owned, owner_reference, template_hash
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of, set_in

RESOURCE = "controllerrevisions.apps"
HASH = "controller-revision-hash"


def data_of(owner: Object) -> Object:
    """The patch that a revision keeps: the template, replaced as a whole."""
    return {"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}}


def current_revision(manager: Manager, owner: Object, resource: str) -> tuple[Object, Objects]:
    """(the revision of the present template, the older ones by revision); made or raised to the newest when needed."""
    found = sorted(owned(manager.client, RESOURCE, owner), key=lambda r: (int(r["revision"]), name_of(r)))
    data = data_of(owner)
    latest = int(found[-1]["revision"]) if found else 0
    same = [r for r in found if r["data"] == data]
    if same:
        current = same[-1]
        if int(current["revision"]) < latest:
            current = manager.client.update(RESOURCE, {**current, "revision": latest + 1}, namespace_of(owner))
        return current, [r for r in found if name_of(r) != name_of(current)]
    digest = template_hash(owner["spec"]["template"], int(get_in(owner, "status", "collisionCount", default=0)))
    name = f"{name_of(owner)}-{digest}"
    labels = {**(get_in(owner, "spec", "template", "metadata", "labels", default={})), HASH: digest}
    annotations = {
        k: v
        for k, v in (owner["metadata"].get("annotations") or {}).items()
        if k != "kubectl.kubernetes.io/last-applied-configuration"
    }
    body: Object = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": name, "labels": labels, "ownerReferences": [owner_reference(owner)]},
        "data": data,
        "revision": latest + 1,
    }
    if annotations:
        body = set_in(body, ("metadata", "annotations"), annotations)
    return manager.client.create(RESOURCE, body, namespace_of(owner)), found


def trim(manager: Manager, owner: Object, old: Objects, pods: Objects) -> None:
    """Old revisions beyond revisionHistoryLimit that no pod has any more."""
    limit = int(get_in(owner, "spec", "revisionHistoryLimit", default=10))
    used = {labels_of(pod).get(HASH) for pod in pods}
    free = [r for r in old if labels_of(r).get(HASH) not in used and name_of(r) not in used]
    for revision in free[: max(len(free) - limit, 0)]:
        manager.client.delete(RESOURCE, name_of(revision), namespace_of(revision))
