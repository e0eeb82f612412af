"""Which pods a drain touches, and getting rid of them by eviction or deletion (kubectl.md 4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure, Failures, standard_text
from labsim.commands.kubectl.writing import DryRun, suffix, wait
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, annotations_of, controller_of, get_in, name_of, namespace_of, uid_of
from labsim.sim.clock import SECOND, parse_time

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

RETRY = 5 * SECOND
_MIRROR = "kubernetes.io/config.mirror"

_DAEMON_SET = ("DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", "ignoring DaemonSet-managed Pods")
_LOCAL = ("Pods with local storage (use --delete-emptydir-data to override)", "deleting Pods with local storage")
_UNMANAGED = (
    "cannot delete Pods that declare no controller (use --force to override)",
    "deleting Pods that declare no controller",
)


@dataclass(frozen=True)
class _Verdict:
    delete: bool = True
    warning: str = ""
    error: str = ""


_OKAY = _Verdict()


@dataclass
class Listed:
    """The pods to get rid of; the reasons against it; what to warn of."""

    pods: list[Object] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    warnings: str = ""


def pods_of(kubectl: Kubectl, node: str) -> Listed:
    pods = kubectl.client.list(
        "pods", label_selector=kubectl.flags["pod-selector"], field_selector=f"spec.nodeName={node}"
    )
    listed = Listed()
    errors: dict[str, list[str]] = {}
    warnings: dict[str, list[str]] = {}
    for pod in pods:
        verdict = _verdict(kubectl, pod)
        name = f"{namespace_of(pod)}/{name_of(pod)}"
        if verdict.delete:
            listed.pods.append(pod)
        if verdict.error:
            errors.setdefault(verdict.error, []).append(name)
        if verdict.warning:
            warnings.setdefault(verdict.warning, []).append(name)
    # The real order of the groups is that of a Go map; here that of their first pods.
    listed.errors = [Failure(f"cannot delete {text}: {', '.join(names)}") for text, names in errors.items()]
    listed.warnings = "; ".join(f"{text}: {', '.join(names)}" for text, names in warnings.items())
    return listed


def _verdict(kubectl: Kubectl, pod: Object) -> _Verdict:
    """The last filter's word, or that of the first that says no."""
    verdict = _OKAY
    for judge in (_skip_deleted, _daemon_set, _mirror, _local_storage, _unreplicated):
        verdict = judge(kubectl, pod)
        if not verdict.delete:
            break
    return verdict


def _finished(pod: Object) -> bool:
    return get_in(pod, "status", "phase") in ("Succeeded", "Failed")


def _skip_deleted(kubectl: Kubectl, pod: Object) -> _Verdict:
    return _Verdict(delete=not _given_up(kubectl, pod))


def _given_up(kubectl: Kubectl, pod: Object) -> bool:
    seconds, deleted = int(kubectl.flags["skip-wait-for-delete-timeout"]), get_in(pod, "metadata", "deletionTimestamp")
    return seconds > 0 and bool(deleted) and (kubectl.now() - parse_time(deleted)) // SECOND > seconds


def _daemon_set(kubectl: Kubectl, pod: Object) -> _Verdict:
    owner = controller_of(pod)
    if owner is None or owner.get("kind") != "DaemonSet" or _finished(pod):
        return _OKAY
    try:
        kubectl.client.get("daemonsets.apps", owner["name"], namespace_of(pod))
    except ApiError as error:
        if error.code == 404 and kubectl.flags["force"]:
            return _Verdict(warning=error.message)
        return _Verdict(delete=False, error=error.message)
    fatal, warning = _DAEMON_SET
    if not kubectl.flags["ignore-daemonsets"]:
        return _Verdict(delete=False, error=fatal)
    return _Verdict(delete=False, warning=warning)


def _mirror(kubectl: Kubectl, pod: Object) -> _Verdict:
    return _Verdict(delete=_MIRROR not in annotations_of(pod))


def _local_storage(kubectl: Kubectl, pod: Object) -> _Verdict:
    if _finished(pod) or not any("emptyDir" in volume for volume in get_in(pod, "spec", "volumes", default=())):
        return _OKAY
    fatal, warning = _LOCAL
    return _Verdict(warning=warning) if kubectl.flags["delete-emptydir-data"] else _Verdict(delete=False, error=fatal)


def _unreplicated(kubectl: Kubectl, pod: Object) -> _Verdict:
    if _finished(pod) or controller_of(pod) is not None:
        return _OKAY
    fatal, warning = _UNMANAGED
    return _Verdict(warning=warning) if kubectl.flags["force"] else _Verdict(delete=False, error=fatal)


# -- getting rid of them ---------------------------------------------------------------------------------------------


def _gone(kubectl: Kubectl, pod: Object) -> bool:
    now = kubectl.client.find("pods", name_of(pod), namespace_of(pod))
    return now is None or uid_of(now) != uid_of(pod)


def _skipped(kubectl: Kubectl, pod: Object) -> bool:
    now = kubectl.client.find("pods", name_of(pod), namespace_of(pod))
    return now is not None and _given_up(kubectl, now)


def _grace(kubectl: Kubectl) -> int | None:
    seconds = int(kubectl.flags["grace-period"])
    return seconds if seconds >= 0 else None


@dataclass
class _Eviction:
    """One pod's goroutine: when to try next, until the eviction is accepted and the pod is waited for."""

    pod: Object
    due: int
    accepted: bool = False
    done: bool = False
    error: Failure | None = None


def evict(kubectl: Kubectl, pods: list[Object], dry: DryRun) -> None:
    """Evict all at once, each tried again while its budget forbids it; wait until they are gone. Raises Failures."""
    started = kubectl.now()
    limit = int(kubectl.flags["timeout"])
    deadline = started + limit if limit else None
    tasks = [_Eviction(pod, started) for pod in pods]
    while True:
        for task in tasks:
            if not task.done and not task.accepted and task.due <= kubectl.now():
                _try(kubectl, task, dry, deadline, limit)
        for task in tasks:
            if task.accepted and not task.done:
                _look(kubectl, task, deadline, limit)
        open_tasks = [task for task in tasks if not task.done]
        if not open_tasks:
            break
        _pause(kubectl, open_tasks, deadline)
    errors = [task.error for task in tasks if task.error is not None]
    if errors:
        raise Failures(errors)


def _pause(kubectl: Kubectl, tasks: list[_Eviction], deadline: int | None) -> None:
    """Until a pod has gone, a retry is due, or time is up."""
    waiting = [task.pod for task in tasks if task.accepted]
    times = [task.due for task in tasks if not task.accepted]
    if deadline is not None:
        times.append(deadline)

    def news() -> bool:
        return any(_gone(kubectl, pod) or _skipped(kubectl, pod) for pod in waiting)

    wait(kubectl, news, max(0, min(times) - kubectl.now()) if times else None)


def _try(kubectl: Kubectl, task: _Eviction, dry: DryRun, deadline: int | None, limit: int) -> None:
    name, namespace = name_of(task.pod), namespace_of(task.pod)
    kubectl.emit(f"evicting pod {namespace}/{name}{suffix(dry)}\n")
    if deadline is not None and kubectl.now() >= deadline:
        what = f"global timeout reached: {_duration(limit)}"
        task.error, task.done = Failure(f'error when evicting pods/"{name}" -n "{namespace}": {what}'), True
        return
    try:
        kubectl.client.evict(name, namespace, grace_seconds=_grace(kubectl), dry_run=dry == "server")
    except ApiError as error:
        _refused(kubectl, task, error)
        return
    task.accepted = True
    task.done = dry == "server"


def _refused(kubectl: Kubectl, task: _Eviction, error: ApiError) -> None:
    name, namespace = name_of(task.pod), namespace_of(task.pod)
    if error.code == 404:
        task.done = True
    elif error.code == 429:
        text = f'error when evicting pods/"{name}" -n "{namespace}" (will retry after 5s): {error.message}\n'
        kubectl.ctx.emit(text, "stderr")
        task.due = kubectl.now() + RETRY
    else:
        task.error = Failure(f'error when evicting pods/"{name}" -n "{namespace}": {error.message}')
        task.done = True


def _look(kubectl: Kubectl, task: _Eviction, deadline: int | None, limit: int) -> None:
    name, namespace = name_of(task.pod), namespace_of(task.pod)
    if _gone(kubectl, task.pod):
        kubectl.emit(f"pod/{name} evicted\n")
        task.done = True
    elif _skipped(kubectl, task.pod):
        kubectl.emit(_skip_text(kubectl, name))
        task.done = True
    elif deadline is not None and kubectl.now() >= deadline:
        what = f"global timeout reached: {_duration(limit)}"
        task.error = Failure(f'error when waiting for pod "{name}" in namespace "{namespace}" to terminate: {what}')
        task.done = True


def _skip_text(kubectl: Kubectl, name: str) -> str:
    seconds = kubectl.flags["skip-wait-for-delete-timeout"]
    return f'pod "{name}" has DeletionTimestamp older than {seconds} seconds, skipping\n'


def delete(kubectl: Kubectl, pods: list[Object], dry: DryRun) -> None:
    """--disable-eviction: delete one after the other, then wait for all. Raises Failure."""
    for pod in pods:
        try:
            kubectl.client.delete(
                "pods", name_of(pod), namespace_of(pod), grace_seconds=_grace(kubectl), dry_run=dry == "server"
            )
        except ApiError as error:
            if error.code != 404:
                raise Failure(standard_text(error), prefix=False) from None
    if dry == "server":
        return
    limit = int(kubectl.flags["timeout"])
    deadline = kubectl.now() + limit if limit else None
    left = pods
    while True:
        pending = []
        for pod in left:
            if _gone(kubectl, pod):
                kubectl.emit(f"pod/{name_of(pod)} deleted\n")
            elif _skipped(kubectl, pod):
                kubectl.emit(_skip_text(kubectl, name_of(pod)))
            else:
                pending.append(pod)
        left = pending
        if not left:
            return
        if deadline is not None and kubectl.now() >= deadline:
            raise Failure(f"global timeout reached: {_duration(limit)}")
        wait(kubectl, _any_settled(kubectl, left), None if deadline is None else deadline - kubectl.now())


def _any_settled(kubectl: Kubectl, pods: list[Object]) -> Callable[[], bool]:
    return lambda: any(_gone(kubectl, pod) or _skipped(kubectl, pod) for pod in pods)


def _duration(milliseconds: int) -> str:
    from labsim.kube.duration import format_go_duration

    return format_go_duration(milliseconds)
