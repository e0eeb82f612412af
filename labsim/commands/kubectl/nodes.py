"""cordon and uncordon, as verbs and as the first half of drain (kubectl.md 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.writing import DryRun, dry_run, patch, suffix
from labsim.kube.errors import ApiError
from labsim.kube.objects import get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


def chosen(kubectl: Kubectl, usage: str) -> list[Info]:
    """The nodes a line means. The first error ends it: nothing has been done then."""
    if not kubectl.args and not kubectl.given("selector"):
        raise UsageFailure(kubectl.path, f"USAGE: {usage} [flags]")
    if kubectl.args and kubectl.flags["selector"]:
        raise UsageFailure(kubectl.path, "error: cannot specify both a node name and a --selector option")
    words: Sequence[str] = [word if "/" in word else f"nodes/{word}" for word in kubectl.args]
    if kubectl.flags["selector"]:
        words = ["nodes"]
    infos, errors = kubectl.resources(words).infos()
    if errors:
        raise errors[0]
    for info in infos:
        if info.resource.kind != "Node":
            raise Failure(f"error: expected resource of type node, got {_go_resource(info)}")
    return list(infos)


def _go_resource(info: Info) -> str:
    res = info.resource
    return f'"{res.group}/{res.version}, Resource={res.plural}"'


def cordon_or_uncordon(kubectl: Kubectl, infos: Sequence[Info], desired: bool, dry: DryRun) -> None:
    verb = "cordon" if desired else "uncordon"
    for info in infos:
        said = f"{verb}ed"
        if bool(get_in(info.obj, "spec", "unschedulable", default=False)) == desired:
            said = f"already {said}"
        elif dry != "client":
            body = {"spec": {"unschedulable": True if desired else None}}
            try:
                patch(kubectl, info.resource, info.name, "", body, "strategic", dry_run=dry == "server")
            except ApiError as error:
                kubectl.err(f'error: unable to {verb} node "{info.name}": {error.message}\n')
                continue
        kubectl.emit(f"node/{info.name} {said}{suffix(dry)}\n")


def run(kubectl: Kubectl, desired: bool, usage: str) -> int:
    dry = dry_run(kubectl)
    cordon_or_uncordon(kubectl, chosen(kubectl, usage), desired, dry)
    return 0
