"""kubectl delete (kubectl.md 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import NoTerminal
from labsim.commands.kubectl import deletion
from labsim.commands.kubectl.builder import Info, Result
from labsim.commands.kubectl.errors import Failure, Failures
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, SELECTOR
from labsim.commands.kubectl.writing import ALL, DRY_RUN, dry_run
from labsim.kube.errors import ApiError

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])"
ABOUT = """Delete objects by file, stdin, name or label.

 Pods are given time to end (--grace-period, --now). The command returns when the objects are gone, unless --wait=false.
--force with a grace period of 0 removes a pod from the API without waiting for its node: it may still run there."""
EXAMPLES = """  # What a file describes
  kubectl delete -f pod.yaml

  # All pods with a label, without waiting
  kubectl delete pods -l app=web --wait=false"""
SPEC = (
    *FILENAME,
    SELECTOR,
    FIELD_SELECTOR,
    ALL_NAMESPACES,
    ALL,
    DRY_RUN,
    *deletion.flags(wait_default=True),
    Flag("ignore-not-found", kind="bool", help="A missing object is no error; the default with --all and selectors"),
    Flag("interactive", "i", kind="bool", help="Ask before anything is deleted"),
    Flag("now", kind="bool", help="End at once: the same as --grace-period=1"),
    Flag("output", "o", help="name, or nothing for the usual line"),
    Flag("raw", help="Path on the server to delete", refused=True),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    selecting = bool(flags["all"] or flags["selector"] or flags["field-selector"])
    ignore = flags["ignore-not-found"] or (selecting and not kubectl.given("ignore-not-found"))
    propagation = deletion.propagation(kubectl)
    how = deletion.Deletion(propagation=propagation, dry=dry_run(kubectl), timeout=int(flags["timeout"]))
    if flags["now"] and flags["grace-period"] != -1:
        raise Failure("--now and --grace-period cannot be specified together")
    if flags["all"] and (flags["selector"] or flags["field-selector"]):
        raise Failure("setting 'all' parameter but found a non empty selector. ")
    result: Result = kubectl.resources(
        select_all=flags["all"], all_without_selector=False, fetch_files=False, require_object=False
    )
    if flags["output"] not in ("", "name"):
        raise Failure(f"unexpected -o output mode: {flags['output']}. We only support '-o name'")
    how.grace = deletion.grace_and_force(kubectl, now=flags["now"])
    if flags["interactive"] and not _confirmed(kubectl, result, ignore):
        return 0
    return _delete(kubectl, result, how, ignore)


def _delete(kubectl: Kubectl, result: Result, how: deletion.Deletion, ignore: bool) -> int:
    found: list[tuple[Info, str]] = []
    warned = False

    def act(info: Info) -> None:
        nonlocal warned
        uid = deletion.uid_now(kubectl, info)
        found.append((info, uid))
        if (
            not info.resource.namespaced
            and kubectl.namespace_given
            and not kubectl.flags["all-namespaces"]
            and not warned
        ):
            kubectl.err("Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n")
            warned = True
        if how.dry == "client":
            deletion.tell(kubectl, info, how)
        else:
            deletion.delete(kubectl, info, how)

    _visit(result, act, ignore)
    if not found:
        kubectl.out("No resources found\n")
        return 0
    if kubectl.flags["wait"] and how.dry == "none":
        deletion.wait_until_gone(kubectl, found, how.timeout)
    return 0


def _visit(result: Result, act: object, ignore: bool) -> None:
    """Visit, with missing objects passed over in silence if `ignore`."""
    try:
        result.visit(act)  # type: ignore[arg-type]
    except (ApiError, Failure, Failures) as error:
        errors = error.errors if isinstance(error, Failures) else [error]
        left = [e for e in errors if not (ignore and isinstance(e, ApiError) and e.code == 404)]
        if len(left) == len(errors):
            raise
        if len(left) == 1:
            raise left[0] from None
        if left:
            raise Failures(left) from None


def _confirmed(kubectl: Kubectl, result: Result, ignore: bool) -> bool:
    infos: list[Info] = []
    _visit(result, infos.append, ignore)
    if not infos:
        kubectl.out("No resources found\n")
        return False
    # Shown before the answer is awaited.
    kubectl.ctx.emit(f"You are about to delete the following {len(infos)} resource(s):\n")
    for info in infos:
        kubectl.ctx.emit(f"{info.kind_name}\n")
    question = "Do you want to continue? (y/N): "
    kubectl.out(question)
    try:
        answer = kubectl.ctx.ask(question)
    except NoTerminal:
        answer = ""
    if answer.strip().lower() in ("y", "yes"):
        return True
    kubectl.out("deletion is cancelled\n")
    return False
