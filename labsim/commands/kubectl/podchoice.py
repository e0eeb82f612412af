"""From `POD`, `TYPE/NAME` or -f to one pod: for exec, attach and cp (polymorphichelpers.AttachablePodForObject)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.local_patch import schema_of
from labsim.commands.kubectl.writing import wait
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, is_true, meta, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


def find(kubectl: Kubectl, word: str, several: str, timeout: int) -> Object:
    """Raises Failure(`several`) when -f has many objects, ApiError when it does not exist."""
    if word:
        words = [word if "/" in word else f"pods/{word}"]
        try:
            infos = kubectl.resources(words).all_infos()
        except ApiError as error:
            if error.code == 404:  # a namespace that does not exist is told in the pod's place
                kubectl.client.get("namespaces", kubectl.namespace)
            raise
    else:
        infos = kubectl.resources([]).all_infos()
    if len(infos) != 1:
        raise Failure(several)
    obj: Object = infos[0].obj
    if infos[0].resource.key == "pods":
        return obj
    selector = _selector(obj)
    if selector is None:
        kind = infos[0].resource
        if schema_of(obj) is not None:
            go = f"*{kind.version}.{kind.kind}"
            raise Failure(f"cannot attach to {go}: selector for {go} not implemented")
        raise Failure(
            f"cannot attach to *unstructured.Unstructured: selector for {kind.group}/{kind.version}, "
            f"Kind={kind.kind} not implemented"
        )
    namespace = namespace_of(obj)

    def pods() -> list[Object]:
        return list(kubectl.client.list("pods", namespace, label_selector=selector))

    if not pods() and not wait(kubectl, lambda: bool(pods()), timeout):
        raise Failure("timed out waiting for the condition")
    return min(pods(), key=_rank)


def _selector(obj: Object) -> str | None:
    """The label selector of what owns pods, as text."""
    selector = get_in(obj, "spec", "selector")
    if not isinstance(selector, dict):
        return None
    if obj.get("kind") in ("Service", "ReplicationController"):
        return ",".join(f"{k}={v}" for k, v in sorted(selector.items()))
    parts = [f"{k}={v}" for k, v in sorted((selector.get("matchLabels") or {}).items())]
    for term in selector.get("matchExpressions") or ():
        key, op, values = term["key"], term["operator"], ",".join(term.get("values") or ())
        parts.append(
            {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}.get(op, f"!{key}")
        )
    return ",".join(parts)


def _rank(pod: Object) -> tuple[bool, int, bool, str, str]:
    """The most alive first: on a node, running, ready, then the oldest (controller.ActivePods reversed)."""
    phase = get_in(pod, "status", "phase", default="")
    order = {"Running": 0, "Unknown": 1, "Pending": 2}.get(phase, 3)
    created = str(meta(pod).get("creationTimestamp", ""))
    return (not get_in(pod, "spec", "nodeName"), order, not is_true(pod, "Ready"), created, name_of(pod))
