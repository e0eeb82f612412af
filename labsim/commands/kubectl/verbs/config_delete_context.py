"""kubectl config delete-context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config delete-context NAME"
ABOUT = "Delete a context from the kubeconfig."
EXAMPLES = "  kubectl config delete-context lab"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        return 1
    name = kubectl.args[0]
    path = kubectl.kubeconfig.home_of("contexts", name)
    if kubectl.kubeconfig.body("contexts", name) is None:
        raise Failure(f"cannot delete context {name}, not in {path}")
    if name == kubectl.kubeconfig.current:
        kubectl.err(
            'warning: this removed your active context, use "kubectl config use-context" to select a different one\n'
        )
    kubectl.kubeconfig.put("contexts", name, None)
    kubectl.out(f"deleted context {name} from {path}\n")
    return 0
