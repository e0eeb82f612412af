"""kubectl config set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help
from labsim.commands.kubectl.properties import change

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config set PROPERTY_NAME PROPERTY_VALUE"
ABOUT = "Set one value of the kubeconfig; dots part the names."
EXAMPLES = "  kubectl config set contexts.lab.namespace default"
SPEC = (Flag("set-raw-bytes", kind="bool", help="Write bytes as they are", refused=True),)


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 2:
        kubectl.err(command_help(kubectl.command))
        raise Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
    change(kubectl.kubeconfig, kubectl.args[0], kubectl.args[1])
    kubectl.out(f'Property "{kubectl.args[0]}" set.\n')
    return 0
