"""Subresources that are more than a part of the object: pods/binding, pods/eviction, scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.kube import errors
from labsim.kube.objects import Object, get_in, merge_in, name_of, namespace_of, set_in
from labsim.sim.clock import rfc3339

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer


def bind(api: APIServer, user: str, name: str, namespace: str, binding: Object) -> None:
    """Assign a pod to a node (POST pods/NAME/binding)."""
    strategy = api.served(user, "pods", "create")
    pod = api.stored(strategy, namespace, name)
    node = str(get_in(binding, "target", "name", default=""))
    if get_in(pod, "metadata", "deletionTimestamp"):
        raise errors.conflict("pods/binding", name, f"pod {name} is being deleted, cannot be assigned to a host")
    if get_in(pod, "spec", "nodeName"):
        assigned = get_in(pod, "spec", "nodeName")
        raise errors.conflict("pods/binding", name, f'pod {name} is already assigned to node "{assigned}"')
    if get_in(pod, "spec", "schedulingGates"):
        raise errors.conflict("pods/binding", name, f"pod {name} has non-empty .spec.schedulingGates")
    pod = set_in(pod, ("spec", "nodeName"), node)
    annotations = get_in(binding, "metadata", "annotations", default={})
    if annotations:
        pod = merge_in(pod, ("metadata", "annotations"), annotations)
    labels = get_in(binding, "metadata", "labels", default={})
    if labels:
        pod = merge_in(pod, ("metadata", "labels"), labels)
    others = [c for c in get_in(pod, "status", "conditions", default=()) if c["type"] != "PodScheduled"]
    scheduled = {
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": rfc3339(api.now),
        "observedGeneration": get_in(pod, "metadata", "generation", default=1),
    }
    pod = set_in(pod, ("status", "conditions"), [*others, scheduled])
    api.store.put(user, "pods", namespace, name, pod)


def evict(
    api: APIServer, user: str, name: str, namespace: str, *, grace_seconds: int | None = None, dry_run: bool = False
) -> None:
    """Delete a pod if its disruption budget allows it. ApiError 429 when not (policy/v1 Eviction)."""
    pod = api.stored(api.served(user, "pods", "create"), namespace, name)
    api.delete(user, "pods", name, namespace, grace_seconds=grace_seconds, dry_run=dry_run)
    del pod
