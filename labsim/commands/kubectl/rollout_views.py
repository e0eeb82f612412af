"""Rollouts as `rollout status` and `rollout history` see them (polymorphichelpers; texts: kubectl.md 4.5)."""

from __future__ import annotations

from labsim.commands.kubectl.describers.base import Page
from labsim.commands.kubectl.describers.pod import write_template
from labsim.commands.kubectl.describers.replicasets import owned, revision
from labsim.commands.kubectl.errors import Failure
from labsim.kube.client import Client
from labsim.kube.matching import selector_text
from labsim.kube.objects import (
    Object,
    annotations_of,
    condition_of,
    controller_of,
    get_in,
    meta,
    name_of,
    namespace_of,
    set_in,
    uid_of,
)
from labsim.kube.scheme import Resource

CHANGE_CAUSE = "kubernetes.io/change-cause"
_NOT_ROLLING = "rollout status is only available for RollingUpdate strategy type"


def status(res: Resource, obj: Object, wanted: int = 0) -> tuple[str, bool]:
    """(one line, done). Raises Failure."""
    if res.key == "deployments.apps":
        return _deployment(obj, wanted)
    if res.key == "daemonsets.apps":
        return _daemon_set(obj)
    if res.key == "statefulsets.apps":
        return _stateful_set(obj)
    raise Failure(f'no status viewer has been implemented for {{"{res.group}" "{res.kind}"}}')


def _number(obj: Object, *path: str) -> int:
    return int(get_in(obj, *path, default=0))


def _unobserved(obj: Object) -> bool:
    return int(meta(obj).get("generation", 0)) > _number(obj, "status", "observedGeneration")


def _deployment(obj: Object, wanted: int) -> tuple[str, bool]:
    name = name_of(obj)
    if wanted:
        found = revision(obj)
        if found != wanted:
            raise Failure(f"desired revision ({wanted}) is different from the running revision ({found})")
    if _unobserved(obj):
        return "Waiting for deployment spec update to be observed...\n", False
    progressing = condition_of(obj, "Progressing")
    if progressing is not None and progressing.get("reason") == "ProgressDeadlineExceeded":
        raise Failure(f'deployment "{name}" exceeded its progress deadline')
    replicas, updated = _number(obj, "spec", "replicas"), _number(obj, "status", "updatedReplicas")
    waiting = f'Waiting for deployment "{name}" rollout to finish:'
    if updated < replicas:
        return f"{waiting} {updated} out of {replicas} new replicas have been updated...\n", False
    if _number(obj, "status", "replicas") > updated:
        old = _number(obj, "status", "replicas") - updated
        return f"{waiting} {old} old replicas are pending termination...\n", False
    available = _number(obj, "status", "availableReplicas")
    if available < updated:
        return f"{waiting} {available} of {updated} updated replicas are available...\n", False
    return f'deployment "{name}" successfully rolled out\n', True


def _daemon_set(obj: Object) -> tuple[str, bool]:
    name = name_of(obj)
    if get_in(obj, "spec", "updateStrategy", "type") != "RollingUpdate":
        raise Failure(_NOT_ROLLING)
    if _unobserved(obj):
        return "Waiting for daemon set spec update to be observed...\n", False
    desired, updated = (
        _number(obj, "status", "desiredNumberScheduled"),
        _number(obj, "status", "updatedNumberScheduled"),
    )
    waiting = f'Waiting for daemon set "{name}" rollout to finish:'
    if updated < desired:
        return f"{waiting} {updated} out of {desired} new pods have been updated...\n", False
    available = _number(obj, "status", "numberAvailable")
    if available < desired:
        return f"{waiting} {available} of {desired} updated pods are available...\n", False
    return f'daemon set "{name}" successfully rolled out\n', True


def _stateful_set(obj: Object) -> tuple[str, bool]:
    if get_in(obj, "spec", "updateStrategy", "type") != "RollingUpdate":
        raise Failure(_NOT_ROLLING)
    if _number(obj, "status", "observedGeneration") == 0 or _unobserved(obj):
        return "Waiting for statefulset spec update to be observed...\n", False
    replicas, ready = _number(obj, "spec", "replicas"), _number(obj, "status", "readyReplicas")
    if ready < replicas:
        return f"Waiting for {replicas - ready} pods to be ready...\n", False
    updated = _number(obj, "status", "updatedReplicas")
    partition = get_in(obj, "spec", "updateStrategy", "rollingUpdate", "partition")
    if partition is not None and get_in(obj, "spec", "updateStrategy", "rollingUpdate") is not None:
        goal = replicas - int(partition)
        if updated < goal:
            text = (
                f"Waiting for partitioned roll out to finish: {updated} out of {goal} new pods have been updated...\n"
            )
            return text, False
        return f"partitioned roll out complete: {updated} new pods have been updated...\n", True
    update, current = get_in(obj, "status", "updateRevision"), get_in(obj, "status", "currentRevision")
    if update != current:
        return f"waiting for statefulset rolling update to complete {updated} pods at revision {update}...\n", False
    count = _number(obj, "status", "currentReplicas")
    return f"statefulset rolling update complete {count} pods at revision {current}...\n", True


# -- history -----------------------------------------------------------------------------------------------------------


def revisions(client: Client, res: Resource, obj: Object) -> dict[int, tuple[str, Object]]:
    """revision -> (change cause, pod template). Raises Failure for a kind without history."""
    if res.key == "deployments.apps":
        return {revision(rs): (annotations_of(rs).get(CHANGE_CAUSE, ""), _with_cause(rs)) for rs in owned(client, obj)}
    if res.key not in ("daemonsets.apps", "statefulsets.apps"):
        raise Failure(f'no history viewer has been implemented for {{"{res.group}" "{res.kind}"}}')
    selector = selector_text(get_in(obj, "spec", "selector"))
    found = client.list("controllerrevisions.apps", namespace_of(obj), label_selector=selector)
    return {
        int(item.get("revision", 0)): (
            annotations_of(item).get(CHANGE_CAUSE, ""),
            get_in(item, "data", "spec", "template", default={}),
        )
        for item in found
        if (controller_of(item) or {}).get("uid") == uid_of(obj)
    }


def _with_cause(rs: Object) -> Object:
    template: Object = get_in(rs, "spec", "template", default={})
    cause = annotations_of(rs).get(CHANGE_CAUSE)
    if not cause:
        return template
    return set_in(template, ("metadata", "annotations"), {**annotations_of(template), CHANGE_CAUSE: cause})


def template_text(client: Client, now: int, template: Object) -> str:
    """A pod template as describe shows it, but without its tab writer."""
    page = Page(client, now)
    write_template(page, {k: v for k, v in template.items() if not k.startswith("$")})
    return page.unaligned()


def history_text(client: Client, now: int, res: Resource, obj: Object, wanted: int) -> str:
    """The table of revisions, or the template of one. Raises Failure for a revision that does not exist."""
    found = revisions(client, res, obj)
    if wanted:
        if wanted not in found:
            raise Failure("unable to find the specified revision")
        return template_text(client, now, found[wanted][1])
    if not found:
        return "No rollout history found."
    from labsim.kube.tabwriter import describe_writer

    writer = describe_writer()
    writer.write("REVISION\tCHANGE-CAUSE\n")
    for number in sorted(found):
        writer.write(f"{number}\t{found[number][0] or '<none>'}\n")
    return writer.flush()
