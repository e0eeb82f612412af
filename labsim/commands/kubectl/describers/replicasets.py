"""The replica sets of a deployment: which one has its present template, and which are old (deploymentutil)."""

from __future__ import annotations

from labsim.kube.client import Client
from labsim.kube.matching import selector_text
from labsim.kube.objects import Object, controller_of, get_in, labels_of, name_of, namespace_of, uid_of

_HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"


def owned(client: Client, deployment: Object) -> list[Object]:
    selector = selector_text(get_in(deployment, "spec", "selector"))
    found = client.list("replicasets.apps", namespace_of(deployment), label_selector=selector)
    return [rs for rs in found if (controller_of(rs) or {}).get("uid") == uid_of(deployment)]


def same_template(a: Object, b: Object) -> bool:
    """Equal but for the hash label."""

    def bare(template: Object) -> Object:
        labels = {k: v for k, v in labels_of(template).items() if k != _HASH}
        metadata = {k: v for k, v in (template.get("metadata") or {}).items() if v and k != "labels"}
        return {"metadata": {**metadata, "labels": labels}, "spec": template.get("spec")}

    return bare(a) == bare(b)


def new_and_old(client: Client, deployment: Object) -> tuple[Object | None, list[Object]]:
    """(the one with the deployment's template, all others by name)."""
    template = get_in(deployment, "spec", "template", default={})
    found = owned(client, deployment)
    matching = [rs for rs in found if same_template(get_in(rs, "spec", "template", default={}), template)]
    matching.sort(key=lambda rs: (str(get_in(rs, "metadata", "creationTimestamp", default="")), name_of(rs)))
    new = matching[0] if matching else None
    return new, [rs for rs in found if new is None or uid_of(rs) != uid_of(new)]


def revision(obj: Object) -> int:
    text = get_in(obj, "metadata", "annotations", REVISION, default="0")
    return int(text) if str(text).isdigit() else 0
