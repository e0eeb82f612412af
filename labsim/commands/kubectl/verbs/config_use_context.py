"""kubectl config use-context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config use-context CONTEXT_NAME"
ABOUT = "Make a context the current one."
EXAMPLES = "  kubectl config use-context lab"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1 or not kubectl.args[0]:
        raise _usage(kubectl)
    name = kubectl.args[0]
    if kubectl.kubeconfig.body("contexts", name) is None:
        raise Failure(f'no context exists with the name: "{name}"')
    kubectl.kubeconfig.use(name)
    kubectl.out(f'Switched to context "{name}".\n')
    return 0


def _usage(kubectl: Kubectl) -> Failure:
    kubectl.err(command_help(kubectl.command))
    return Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
