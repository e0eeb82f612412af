"""kubectl config current-context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config current-context"
ABOUT = "Print the name of the current context."
EXAMPLES = "  kubectl config current-context"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    current = kubectl.kubeconfig.current
    if not current:
        raise Failure("current-context is not set")
    kubectl.out(f"{current}\n")
    return 0
