"""What `set image`, `set env`, `set resources` and `set serviceaccount` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl import templates_change
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.writing import ALL, DRY_RUN, LOCAL, dry_run, field_manager
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

SPEC = (*OUTPUT, *FILENAME, SELECTOR, ALL, LOCAL, DRY_RUN, field_manager("kubectl-set"))
NO_RESOURCE = "one or more resources must be specified as <resource> <name> or <resource>/<name>"
NOTHING = (
    "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n"
    "   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'"
)


def check(kubectl: Kubectl, words: Sequence[str], nothing: str = NO_RESOURCE) -> None:
    flags = kubectl.flags
    if flags["all"] and flags.get("selector"):
        raise Failure("cannot set --all and --selector at the same time")
    if flags["local"] and dry_run(kubectl) == "server":
        raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if not words and not flags["filename"] and not flags["kustomize"]:
        raise Failure(nothing)


def infos_of(kubectl: Kubectl, words: Sequence[str]) -> list[Info]:
    local = kubectl.flags["local"]
    if local and words:
        raise Failure(
            "resource(s) were provided, but no name was specified"
            if len(words) == 1 and "/" not in words[0]
            else "when --local is true, you must specify files"
        )
    result = kubectl.resources(
        words, select_all=kubectl.flags["all"], all_without_selector=False, fetch_files=not local
    )
    found: list[Info] = result.all_infos()
    return found


def change(
    kubectl: Kubectl,
    words: Sequence[str],
    how: Callable[[Info], Object],
    done: str,
    what: str,
    errors: list[Exception] | None = None,
) -> int:
    """Patch the pod specs of all objects. `what` is the change in "failed to patch WHAT to pod template"."""
    infos = infos_of(kubectl, words)
    templates_change.change_all(
        kubectl,
        infos,
        how,
        done,
        dry_run(kubectl),
        errors if errors is not None else [],
        local=kubectl.flags["local"],
        failed=f"failed to patch {what} to pod template: {{}}",
        cannot="error: {object} {why}\n",
    )
    return 0
