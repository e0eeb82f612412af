"""Deleting objects and waiting until they are gone: for delete, replace --force and run --rm (kubectl.md 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, with_context
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.writing import DryRun, suffix, wait
from labsim.kube.errors import ApiError
from labsim.kube.objects import meta, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

WEEK = 168 * 3_600_000
IMMEDIATE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The "
    "resource may continue to run on the cluster indefinitely.\n"
)


def flags(wait_default: bool) -> tuple[Flag, ...]:
    return (
        Flag(
            "cascade",
            default="background",
            bare="background",
            help="background, orphan or foreground: what becomes of the objects that this one owns",
        ),
        Flag("force", kind="bool", help="Remove at once, without waiting for the node's word; needs care"),
        Flag(
            "grace-period",
            kind="int",
            default=-1,
            help="Seconds to end in; negative: what the object says; 0 needs --force",
        ),
        Flag("timeout", kind="duration", help="How long to wait for the end; zero means a week"),
        Flag("wait", kind="bool", default=wait_default, help="Wait until the objects are gone"),
    )


@dataclass
class Deletion:
    """How to delete. `grace` in seconds, -1: what the object says; `timeout` in ms, 0: a week."""

    grace: int = -1
    propagation: str = "Background"
    dry: DryRun = "none"
    timeout: int = 0


def propagation(kubectl: Kubectl) -> str:
    """--cascade as the API's word. Raises Failure."""
    value = str(kubectl.flags["cascade"])
    known = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}
    if value not in known:
        raise Failure(f'invalid cascade value ({value}). Must be "background", "foreground", or "orphan"')
    return known[value]


def grace_and_force(kubectl: Kubectl, now: bool = False) -> int:
    """The grace period meant by --grace-period, --force and --now; prints the warning of --force. Raises Failure."""
    grace, force = int(kubectl.flags["grace-period"]), bool(kubectl.flags["force"])
    if now:
        if grace != -1:
            raise Failure("--now and --grace-period cannot be specified together")
        grace = 1
    if grace == 0 and not force:
        grace = 1
    if force and grace < 0:
        grace = 0
    if force and grace == 0:
        kubectl.err(IMMEDIATE)
    elif force:
        raise Failure("--force and --grace-period greater than 0 cannot be specified together")
    return grace


def delete(kubectl: Kubectl, info: Info, how: Deletion) -> None:
    """One delete request; the line that tells of it is printed when it is accepted."""
    try:
        kubectl.client.delete(
            info.resource.key,
            info.name,
            info.namespace,
            grace_seconds=how.grace if how.grace >= 0 else None,
            propagation=how.propagation,
            dry_run=how.dry == "server",
        )
    except ApiError as error:
        raise with_context(error, f'error when deleting "{info.source}"') if info.source else error from None
    tell(kubectl, info, how)


def tell(kubectl: Kubectl, info: Info, how: Deletion) -> None:
    if kubectl.flags.get("output") == "name":
        kubectl.emit(f"{info.kind_name}\n")
        return
    done = "force deleted" if how.grace == 0 else "deleted"
    kind = info.kind_name.rpartition("/")[0]
    place = f" from {info.namespace} namespace" if info.resource.namespaced else ""
    kubectl.emit(f'{kind} "{info.name}" {done}{place}{suffix(how.dry)}\n')


def wait_until_gone(kubectl: Kubectl, infos: Iterable[tuple[Info, str]], timeout: int) -> None:
    """`infos` with their uids, one after the other. Raises Failure when time is up."""
    deadline = kubectl.now() + (timeout or WEEK)
    for info, uid in infos:
        gone = _gone(kubectl, info, uid)
        if gone():
            continue
        # A week is for ever in the lab: such a wait ends when the world is quiet.
        left = max(0, deadline - kubectl.now()) if timeout else None
        if not wait(kubectl, gone, left):
            raise Failure(f"timed out waiting for the condition on {info.resource.plural}/{info.name}")


def _gone(kubectl: Kubectl, info: Info, uid: str) -> Callable[[], bool]:
    def gone() -> bool:
        now = kubectl.client.find(info.resource.key, info.name, info.namespace)
        return now is None or (bool(uid) and uid_of(now) != uid)

    return gone


def uid_now(kubectl: Kubectl, info: Info) -> str:
    """The uid of the object as the server has it, "" if it has none."""
    found = kubectl.client.find(info.resource.key, info.name, info.namespace)
    return str(meta(found).get("uid", "")) if found is not None else ""
