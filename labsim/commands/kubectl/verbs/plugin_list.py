"""kubectl plugin list: the lab's admin host has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "plugin list [flags]"
ABOUT = "List the files in the PATH that are kubectl plugins."
EXAMPLES = "  kubectl plugin list"
SPEC = (Flag("name-only", kind="bool", help="Names without their folders"),)


def run(kubectl: Kubectl) -> int:
    raise Failure("unable to find any kubectl plugins in your PATH")
