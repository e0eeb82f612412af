"""kubectl config unset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help
from labsim.commands.kubectl.properties import change

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config unset PROPERTY_NAME"
ABOUT = "Remove one value of the kubeconfig; dots part the names."
EXAMPLES = "  kubectl config unset contexts.lab.namespace"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        raise Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
    change(kubectl.kubeconfig, kubectl.args[0], None)
    kubectl.out(f'Property "{kubectl.args[0]}" unset.\n')
    return 0
