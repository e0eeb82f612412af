"""kubectl options: the flags that every command takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import global_options

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "options"
ABOUT = "List the flags that every command takes."
EXAMPLES = "  kubectl options"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    kubectl.out(global_options())
    return 0
