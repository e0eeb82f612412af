"""kubectl uncordon (kubectl.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import nodes
from labsim.commands.kubectl.global_flags import SELECTOR
from labsim.commands.kubectl.writing import DRY_RUN

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "uncordon NODE"
ABOUT = "Mark nodes as schedulable again."
EXAMPLES = """  # Take gpu-node2 back into service
  kubectl uncordon gpu-node2"""
SPEC = (SELECTOR, DRY_RUN)


def run(kubectl: Kubectl) -> int:
    return nodes.run(kubectl, False, USAGE)
