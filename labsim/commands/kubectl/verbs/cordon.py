"""kubectl cordon (kubectl.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import nodes
from labsim.commands.kubectl.global_flags import SELECTOR
from labsim.commands.kubectl.writing import DRY_RUN

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "cordon NODE"
ABOUT = "Mark nodes as unschedulable: the scheduler places no new pods there. Pods that run there stay."
EXAMPLES = """  # No new pods for gpu-node2
  kubectl cordon gpu-node2"""
SPEC = (SELECTOR, DRY_RUN)


def run(kubectl: Kubectl) -> int:
    return nodes.run(kubectl, True, USAGE)
