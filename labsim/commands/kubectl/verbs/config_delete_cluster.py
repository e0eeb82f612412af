"""kubectl config delete-cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config delete-cluster NAME"
ABOUT = "Delete a cluster from the kubeconfig."
EXAMPLES = "  kubectl config delete-cluster lab"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        return 1
    name = kubectl.args[0]
    path = kubectl.kubeconfig.home_of("clusters", name)
    if kubectl.kubeconfig.body("clusters", name) is None:
        raise Failure(f"cannot delete cluster {name}, not in {path}")
    kubectl.kubeconfig.put("clusters", name, None)
    kubectl.out(f"deleted cluster {name} from {path}\n")
    return 0
