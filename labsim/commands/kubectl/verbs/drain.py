"""kubectl drain: cordon, choose the pods, evict or delete them, wait until they are gone (kubectl.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import eviction, nodes
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, Failures
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import CHUNK_SIZE, SELECTOR
from labsim.commands.kubectl.writing import DRY_RUN, DryRun, dry_run, suffix
from labsim.kube.objects import name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "drain NODE"
ABOUT = """Empty nodes before maintenance: cordon them, then evict their pods and wait until they are gone.

 Pods of DaemonSets stay and must be allowed for with --ignore-daemonsets. Pods without a controller are lost for good
and need --force; pods that keep data in an emptyDir need --delete-emptydir-data. An eviction that would break a
PodDisruptionBudget is tried again every five seconds. Use `kubectl uncordon` afterwards."""
EXAMPLES = """  # As most GPU nodes need it
  kubectl drain gpu-node2 --ignore-daemonsets --delete-emptydir-data

  # Pods without a controller as well, five minutes at most
  kubectl drain gpu-node2 --ignore-daemonsets --force --timeout=5m"""
SPEC = (
    SELECTOR,
    DRY_RUN,
    CHUNK_SIZE,
    Flag("delete-emptydir-data", kind="bool", help="Go on even if pods lose the data of an emptyDir"),
    Flag("disable-eviction", kind="bool", help="Delete instead of evicting: disruption budgets are not asked"),
    Flag("force", kind="bool", help="Go on even if pods have no controller that would make them again"),
    Flag("grace-period", kind="int", default=-1, help="Seconds for each pod to end; negative: what the pod says"),
    Flag("ignore-daemonsets", kind="bool", help="Leave the pods of DaemonSets where they are"),
    Flag("pod-selector", help="Only pods with these labels"),
    Flag(
        "skip-wait-for-delete-timeout",
        kind="int",
        help="Do not wait for pods whose deletion began more than this many seconds ago; 0 waits for all",
    ),
    Flag("timeout", kind="duration", help="How long to wait before giving up, zero for ever"),
)


def run(kubectl: Kubectl) -> int:
    dry = dry_run(kubectl)
    infos = nodes.chosen(kubectl, USAGE)
    if kubectl.flags["pod-selector"]:
        _check_selector(kubectl.flags["pod-selector"])
    nodes.cordon_or_uncordon(kubectl, infos, True, dry)
    failed: list[tuple[str, Failure | Failures]] = []
    for info in infos:
        try:
            _drain(kubectl, info, dry)
        except (Failure, Failures) as error:
            text = error.text if isinstance(error, Failure) else str(error)
            kubectl.ctx.emit(
                f'error: unable to drain node "{info.name}" due to error: {text}, continuing command...\n', "stderr"
            )
            failed.append((info.name, error))
        else:
            kubectl.emit(f"node/{info.name} drained{suffix(dry)}\n")
    if failed:
        kubectl.err("There are pending nodes to be drained:\n" + "".join(f" {name}\n" for name, _ in failed))
        if len(failed) == 1:
            raise failed[0][1]
        raise Failures([error for _, error in failed])
    return 0


def _check_selector(text: str) -> None:
    from labsim.kube.selectors import parse_label

    try:
        parse_label(text)
    except ValueError:
        raise Failure("--pod-selector=<pod_selector> must be a valid label selector") from None


def _drain(kubectl: Kubectl, info: Info, dry: DryRun) -> None:
    """Raises Failures, or Failure when time is up."""
    listed = eviction.pods_of(kubectl, info.name)
    if listed.errors:
        raise Failures(listed.errors)
    if listed.warnings:
        kubectl.ctx.emit(f"Warning: {listed.warnings}\n", "stderr")
    if dry == "client":
        for pod in listed.pods:
            kubectl.out(f"evicting pod {namespace_of(pod)}/{name_of(pod)} (dry run)\n")
        return
    try:
        if kubectl.flags["disable-eviction"]:
            eviction.delete(kubectl, listed.pods, dry)
        else:
            eviction.evict(kubectl, listed.pods, dry)
    except (Failure, Failures) as error:
        pending = eviction.pods_of(kubectl, info.name)
        if pending.pods:
            text = error.text if isinstance(error, Failure) else str(error)
            kubectl.err(f'There are pending pods in node "{info.name}" when an error occurred: {text}\n')
            kubectl.err("".join(f"pod/{name_of(pod)}\n" for pod in pending.pods))
        if pending.errors:
            kubectl.err(
                f"Following errors occurred while getting the list of pods to delete:\n{Failures(pending.errors)}"
            )
        raise
