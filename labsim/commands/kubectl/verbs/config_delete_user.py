"""kubectl config delete-user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config delete-user NAME"
ABOUT = "Delete a user from the kubeconfig."
EXAMPLES = "  kubectl config delete-user lab"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        return 1
    name = kubectl.args[0]
    path = kubectl.kubeconfig.home_of("users", name)
    if kubectl.kubeconfig.body("users", name) is None:
        raise Failure(f"cannot delete user {name}, not in {path}")
    kubectl.kubeconfig.put("users", name, None)
    kubectl.out(f"deleted user {name} from {path}\n")
    return 0
