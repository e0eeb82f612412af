"""kubectl config get-clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config get-clusters"
ABOUT = "List the clusters of the kubeconfig."
EXAMPLES = "  kubectl config get-clusters"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    kubectl.out("NAME\n" + "".join(f"{name}\n" for name in sorted(kubectl.kubeconfig.entries("clusters"))))
    return 0
