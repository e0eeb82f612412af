"""kubectl rollout undo (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.last_applied import ANNOTATION
from labsim.commands.kubectl.rollout_views import template_text
from labsim.commands.kubectl.writing import DRY_RUN, dry_run, patch, report
from labsim.kube.objects import Object, annotations_of, drop_in, get_in, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout undo (TYPE NAME | TYPE/NAME)"
ABOUT = "Go back to the revision before, or to the one that --to-revision names (see kubectl rollout history)."
EXAMPLES = """  kubectl rollout undo deployment/web
  kubectl rollout undo daemonset/exporter --to-revision=3"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    SELECTOR,
    DRY_RUN,
    Flag("to-revision", kind="int", help="The revision to go back to; 0 is the one before"),
)
_REVISION = "deployment.kubernetes.io/revision"
_KEPT = (
    ANNOTATION,
    _REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
)
_HASH = ("metadata", "labels", "pod-template-hash")


def run(kubectl: Kubectl) -> int:
    if not kubectl.args and not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure("required resource not specified")
    dry, wanted = dry_run(kubectl), int(kubectl.flags["to-revision"])

    def act(info: Info) -> None:
        if info.obj.get("kind") == "Deployment":
            said, body, kind = _deployment(kubectl, info, wanted)
        elif info.obj.get("kind") in ("DaemonSet", "StatefulSet"):
            said, body, kind = _revisioned(kubectl, info, wanted)
        else:
            raise Failure(_no(info))
        answer = info.obj
        if body is not None and dry == "client":
            template = _shown(kubectl, info, body, kind)
            said = template_text(kubectl.client, kubectl.now(), template)
        elif body is not None:
            answer = patch(kubectl, info.resource, info.name, info.namespace, body, kind, dry_run=dry == "server")
        report(kubectl, answer, said, dry)

    kubectl.resources().visit(act)
    return 0


def _shown(kubectl: Kubectl, info: Info, body: Any, kind: str) -> Object:
    """The template as the dry run shows it: of a Deployment with the hash of the ReplicaSet that has it."""
    if kind != "json":
        found: Object = get_in(body, "spec", "template")
        return found
    template: Object = body[0]["value"]
    for rs in kubectl.client.list("replicasets.apps", info.namespace):
        owned = any(ref.get("uid") == uid_of(info.obj) for ref in get_in(rs, "metadata", "ownerReferences", default=()))
        if owned and drop_in(rs["spec"]["template"], _HASH) == template:
            return dict(rs["spec"]["template"])
    return template


def _no(info: Info) -> str:
    res = info.resource
    if res.key in ("replicasets.apps", "jobs.batch", "pods", "replicationcontrollers", "cronjobs.batch"):
        return f'no rollbacker has been implemented for "{res.kind}{"." + res.group if res.group else ""}"'
    return f'error retrieving rollbacker for "{res.kind}", no visitor method exists for {{{res.group} {res.kind}}}'


def _deployment(kubectl: Kubectl, info: Info, wanted: int) -> tuple[str, Any, str]:
    """(what was done, JSON patch or None, its kind)"""
    owned = kubectl.client.list("replicasets.apps", info.namespace)
    by_revision = {
        int(annotations_of(rs).get(_REVISION) or 0): rs
        for rs in owned
        if any(ref.get("uid") == uid_of(info.obj) for ref in get_in(rs, "metadata", "ownerReferences", default=()))
    }
    if wanted:
        if wanted not in by_revision:
            raise Failure(f"unable to find specified revision {wanted} in history")
        chosen = by_revision[wanted]
    else:
        if len(by_revision) < 2:
            raise Failure(f'no rollout history found for deployment "{info.name}"')
        chosen = by_revision[sorted(by_revision)[-2]]
    if get_in(info.obj, "spec", "paused", default=False):
        raise Failure(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
        )
    template = drop_in(chosen["spec"]["template"], _HASH)
    if template == drop_in(info.obj["spec"]["template"], _HASH):
        return f"skipped rollback (current template already matches revision {wanted})", None, ""
    annotations = {k: v for k, v in annotations_of(info.obj).items() if k in _KEPT}
    annotations |= {k: v for k, v in annotations_of(chosen).items() if k not in _KEPT}
    operations = [
        {"op": "replace", "path": "/spec/template", "value": template},
        {"op": "replace", "path": "/metadata/annotations", "value": annotations},
    ]
    return "rolled back", operations, "json"


def _revisioned(kubectl: Kubectl, info: Info, wanted: int) -> tuple[str, Any, str]:
    history = sorted(
        (
            revision
            for revision in kubectl.client.list("controllerrevisions.apps", info.namespace)
            if any(
                ref.get("uid") == uid_of(info.obj)
                for ref in get_in(revision, "metadata", "ownerReferences", default=())
            )
        ),
        key=lambda revision: int(revision["revision"]),
    )
    if not history:
        raise Failure("no last revision to roll back to")
    if wanted:
        found = [revision for revision in history if int(revision["revision"]) == wanted]
        if not found:
            raise Failure(f"unable to find specified revision {wanted} in history")
        chosen = found[0]
    else:
        if len(history) < 2:
            raise Failure("no last revision to roll back to")
        chosen = history[-2]
    if _template(chosen) == _template(history[-1]):
        return f"skipped rollback (current template already matches revision {wanted})", None, ""
    return "rolled back", chosen["data"], "strategic"


def _template(revision: Object) -> Any:
    return get_in(revision, "data", "spec", "template")
