"""Subresources that are more than a part of the object: pods/binding, pods/eviction, scale.

Source: kubernetes pkg/registry/core/pod/storage (eviction.go, storage.go), pkg/registry/apps/*/storage of 1.35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.kube import errors
from labsim.kube.matching import selector_matches, selector_text
from labsim.kube.objects import Object, get_in, is_true, labels_of, merge_in, meta, name_of, namespace_of, set_in
from labsim.sim.clock import MINUTE, parse_time, rfc3339

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

_BUDGETS = "poddisruptionbudgets.policy"
_TWO_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
# An eviction that the budget has counted but whose pod is still there is forgotten after this long (disruption.go).
DELETION_TIMEOUT = 2 * MINUTE


def bind(api: APIServer, user: str, name: str, namespace: str, binding: Object) -> None:
    """Assign a pod to a node (POST pods/NAME/binding). Raises 409 when it has one or is going away."""
    pod = api.stored(api.served(user, "pods", "create"), namespace, name)
    node = str(get_in(binding, "target", "name", default=""))
    if not node:
        raise errors.invalid("Binding", name, [errors.required("target.name")])
    if get_in(pod, "metadata", "deletionTimestamp"):
        raise errors.conflict("pods/binding", name, f"pod {name} is being deleted, cannot be assigned to a host")
    if get_in(pod, "spec", "nodeName"):
        detail = f'pod {name} is already assigned to node "{get_in(pod, "spec", "nodeName")}"'
        raise errors.conflict("pods/binding", name, detail)
    if get_in(pod, "spec", "schedulingGates"):
        raise errors.conflict("pods/binding", name, f"pod {name} has non-empty .spec.schedulingGates")
    pod = set_in(pod, ("spec", "nodeName"), node)
    for key in ("annotations", "labels"):
        if get_in(binding, "metadata", key):
            pod = merge_in(pod, ("metadata", key), binding["metadata"][key])
    others = [c for c in get_in(pod, "status", "conditions", default=()) if c["type"] != "PodScheduled"]
    scheduled = {
        "type": "PodScheduled",
        "observedGeneration": get_in(pod, "metadata", "generation", default=1),
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": rfc3339(api.now),
    }
    pod = set_in(pod, ("status", "conditions"), [*others, scheduled])
    api.store.put(user, "pods", namespace, name, pod)


def evict(
    api: APIServer,
    user: str,
    name: str,
    namespace: str,
    *,
    grace_seconds: int | None = None,
    dry_run: bool = False,
    preconditions: Object | None = None,
) -> None:
    """Delete a pod if its disruption budget allows it now. ApiError 429 when not (policy/v1 Eviction)."""
    pod = api.stored(api.served(user, "pods", "create"), namespace, name)
    phase = get_in(pod, "status", "phase")
    if phase not in ("Succeeded", "Failed", "Pending") and not meta(pod).get("deletionTimestamp"):
        budgets = [b for b in api.store.list(_BUDGETS, namespace) if _covers(b, pod)]
        if len(budgets) > 1:
            raise errors.internal(_TWO_BUDGETS)
        if budgets and not _ignored(budgets[0], pod):
            _charge(api, user, budgets[0], pod, dry_run)
    options: Object = {"grace_seconds": grace_seconds, "dry_run": dry_run, "preconditions": preconditions}
    api.delete(user, "pods", name, namespace, **options)


def _covers(budget: Object, pod: Object) -> bool:
    return selector_matches(get_in(budget, "spec", "selector"), labels_of(pod))


def _ignored(budget: Object, pod: Object) -> bool:
    """An unhealthy pod may go when the budget is met without it, or always if the budget says so."""
    if is_true(pod, "Ready"):
        return False
    if get_in(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    healthy = int(get_in(budget, "status", "currentHealthy", default=0))
    desired = int(get_in(budget, "status", "desiredHealthy", default=0))
    return healthy >= desired and desired > 0


def _charge(api: APIServer, user: str, budget: Object, pod: Object, dry_run: bool) -> None:
    """Take one disruption from the budget, or refuse."""
    status = budget.get("status") or {}
    name = name_of(budget)
    observed = int(status.get("observedGeneration") or 0)
    if observed < int(meta(budget).get("generation") or 0):
        raise errors.too_many_requests(
            "Cannot evict pod as it would violate the pod's disruption budget.",
            [
                {
                    "reason": "DisruptionBudget",
                    "message": f"The disruption budget {name} is still being processed by the server.",
                }
            ],
            retry=10,
        )
    allowed = int(status.get("disruptionsAllowed") or 0)
    if allowed < 1:
        message = (
            f"The disruption budget {name} needs {int(status.get('desiredHealthy') or 0)} healthy pods "
            f"and has {int(status.get('currentHealthy') or 0)} currently"
        )
        condition = next((c for c in status.get("conditions") or () if c["type"] == "DisruptionAllowed"), None)
        if condition is not None and condition.get("reason") == "SyncFailed":
            message = f"{message} (due to {condition.get('message', '')})"
        raise errors.too_many_requests(
            "Cannot evict pod as it would violate the pod's disruption budget.",
            [{"reason": "DisruptionBudget", "message": message}],
        )
    if dry_run:
        return
    disrupted = {
        k: v for k, v in (status.get("disruptedPods") or {}).items() if api.now - parse_time(v) <= DELETION_TIMEOUT
    }
    disrupted[name_of(pod)] = rfc3339(api.now)
    changed = {**budget, "status": {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}}
    api.store.put(user, _BUDGETS, namespace_of(budget), name, changed)


# -- scale -----------------------------------------------------------------------------------------------------------


def _scale_paths(api: APIServer, user: str, resource: str) -> tuple[str, str, str]:
    """Where replicas, their status and the selector string stand. Raises 404 for kinds without the subresource."""
    strategy = api.served(user, resource, "get")
    if "scale" not in strategy.resource.subresources:
        raise errors.no_such_path()
    custom = getattr(strategy, "scale", None)
    if custom:
        return (
            str(custom["specReplicasPath"]),
            str(custom["statusReplicasPath"]),
            str(custom.get("labelSelectorPath", "")),
        )
    return ".spec.replicas", ".status.replicas", ""


def _at(obj: Object, path: str) -> Any:
    return get_in(obj, *path.lstrip(".").split(".")) if path else None


def get_scale(api: APIServer, user: str, resource: str, name: str, namespace: str) -> Object:
    """The autoscaling/v1 Scale of a workload."""
    wanted, current, labels = _scale_paths(api, user, resource)
    return _scale_of(api.get(user, resource, name, namespace), wanted, current, labels)


def _scale_of(obj: Object, wanted: str, current: str, labels: str) -> Object:
    selector = _at(obj, labels) if labels else get_in(obj, "spec", "selector")
    if isinstance(selector, dict):
        structured = "matchLabels" in selector or "matchExpressions" in selector
        selector = selector_text(selector if structured else {"matchLabels": selector})
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: meta(obj)[key] for key in kept if key in meta(obj)},
        "spec": {"replicas": int(_at(obj, wanted) or 0)},
        "status": {"replicas": int(_at(obj, current) or 0), **({"selector": selector} if selector else {})},
    }


def set_scale(
    api: APIServer, user: str, resource: str, scale: Object, namespace: str, *, dry_run: bool = False
) -> Object:
    """PUT of a Scale; returns the new one. Raises 422 for negative replicas, 409 for an old version."""
    wanted, current, labels = _scale_paths(api, user, resource)
    name = name_of(scale)
    old = api.get(user, resource, name, namespace)
    replicas = get_in(scale, "spec", "replicas", default=0)
    if isinstance(replicas, bool) or not isinstance(replicas, int):
        found = "string" if isinstance(replicas, str) else "number"
        raise errors.bad_request(
            f'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal {found} '
            "into Go struct field ScaleSpec.spec.replicas of type int32"
        )
    if replicas < 0:
        detail = "must be greater than or equal to 0"
        raise errors.invalid("Scale", name, [errors.invalid_value("spec.replicas", replicas, detail)], "autoscaling")
    new = set_in(old, wanted.lstrip(".").split("."), replicas)
    version = meta(scale).get("resourceVersion")
    new = merge_in(new, ("metadata",), {"resourceVersion": version})
    return _scale_of(api.update(user, resource, new, namespace, dry_run=dry_run), wanted, current, labels)


def patch_scale(
    api: APIServer, user: str, resource: str, name: str, patch: Any, kind: str, namespace: str, *, dry_run: bool = False
) -> Object:
    """PATCH of a Scale (json or merge)."""
    from labsim.kube.patch import PatchError, json_patch, merge_patch

    old = get_scale(api, user, resource, name, namespace)
    try:
        new = json_patch(old, patch) if kind == "json" else merge_patch(old, patch)
    except PatchError as error:
        raise errors.ApiError(error.code, "Invalid" if error.code == 422 else "BadRequest", error.shown) from None
    return set_scale(api, user, resource, new, namespace, dry_run=dry_run)
