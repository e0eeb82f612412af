"""kubectl api-versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.mapping import visible

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "api-versions"
ABOUT = "List the API versions that the server knows, as group/version."
EXAMPLES = "  kubectl api-versions"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if kubectl.args:
        raise UsageFailure(kubectl.path, f"unexpected arguments: [{' '.join(kubectl.args)}]")
    for text in sorted({res.api_version for res in visible(kubectl.client)}):
        kubectl.out(text + "\n")
    return 0
