"""The pods that a workload stands for (polymorphichelpers): for logs, exec, attach and debug with `type/name`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.kube.client import Client
from labsim.kube.matching import selector_text
from labsim.kube.objects import Object, condition_of, get_in, is_true, name_of, namespace_of
from labsim.kube.scheme import Resource

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

_WORKLOADS = frozenset(
    {
        "deployments.apps",
        "replicasets.apps",
        "daemonsets.apps",
        "statefulsets.apps",
        "jobs.batch",
        "replicationcontrollers",
    }
)


def selector_of(res: Resource, obj: Object) -> str:
    """Raises Failure for a kind without pods."""
    if res.key in _WORKLOADS:
        selector = get_in(obj, "spec", "selector", default={})
        return selector_text({"matchLabels": selector} if res.key == "replicationcontrollers" else selector)
    if res.key == "services":
        selector = get_in(obj, "spec", "selector", default={})
        if not selector:
            raise Failure(f"invalid service '{name_of(obj)}': Service is defined without a selector")
        return selector_text({"matchLabels": selector})
    kind = f"{res.group}/{res.version}, Kind={res.kind}" if res.group else f"/{res.version}, Kind={res.kind}"
    raise Failure(f"cannot get the logs from {kind}: selector for {res.kind} not implemented")


def pods_of(client: Client, res: Resource, obj: Object) -> list[Object]:
    return client.list("pods", namespace_of(obj), label_selector=selector_of(res, obj))


def attachable_pod(kubectl: Kubectl, res: Resource, obj: Object, timeout_ms: int) -> tuple[Object, int]:
    """(the pod to use, how many there are): the best by readiness; waits for the first one to appear."""
    client = kubectl.client
    if not pods_of(client, res, obj):
        kubectl.ctx.advance(lambda: bool(pods_of(client, res, obj)), timeout_ms)
    found = pods_of(client, res, obj)
    if not found:
        raise Failure("timed out waiting for the condition")
    return sorted(found, key=_rank)[0], len(found)


def _rank(pod: Object) -> tuple[object, ...]:
    """podutils.ActivePods, best first: assigned, running, ready, longer ready, fewer restarts, older."""
    phase = {"Running": 0, "Unknown": 1, "Pending": 2}.get(get_in(pod, "status", "phase", default=""), 3)
    ready = condition_of(pod, "Ready")
    restarts = max(
        (int(s.get("restartCount", 0)) for s in get_in(pod, "status", "containerStatuses", default=())), default=0
    )
    return (
        not get_in(pod, "spec", "nodeName"),
        phase,
        not is_true(pod, "Ready"),
        str((ready or {}).get("lastTransitionTime", "")) if is_true(pod, "Ready") else "",
        restarts,
        str(get_in(pod, "metadata", "creationTimestamp", default="")),
    )
