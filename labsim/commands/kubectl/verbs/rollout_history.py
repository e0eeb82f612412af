"""kubectl rollout history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.builder import build
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.rollout_views import history_text

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout history (TYPE NAME | TYPE/NAME) [flags]"
ABOUT = "Show the revisions of a workload, or the pod template of one of them."
EXAMPLES = "  kubectl rollout history deployment/web\n  kubectl rollout history deployment/web --revision=2"
SPEC = (
    *OUTPUT,
    *FILENAME,
    SELECTOR,
    Flag("revision", kind="int", help="Show this revision with its pod template"),
)


def run(kubectl: Kubectl) -> int:
    if not kubectl.args and not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure("required resource not specified")
    wanted = kubectl.flags["revision"]
    if wanted < 0:
        raise Failure(f"revision must be a positive integer: {wanted}")
    for info in build(kubectl, kubectl.args).all_infos():
        if kubectl.flags["output"]:
            if kubectl.flags["output"] not in printers.STRUCTURED:
                printers.printer(kubectl)
            raise Failure("labsim: kubectl rollout history -o is not simulated", prefix=False)
        text = history_text(kubectl.client, kubectl.now(), info.resource, info.obj, wanted)
        middle = f"with revision #{wanted}\n" if wanted else "\n"
        kubectl.out(f"{info.kind_name} {middle}{text}\n")
    return 0
