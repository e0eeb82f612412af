"""kubectl completion: the lab's shell completes kubectl by itself, so what is sourced is a remark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import UsageFailure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "completion SHELL"
ABOUT = """Print completion code for a shell (bash, zsh, fish, powershell).

 The lab completes kubectl's words without it; what is printed here does nothing and may be sourced."""
EXAMPLES = """  source <(kubectl completion bash)"""
SPEC: tuple[Flag, ...] = ()
_SHELLS = ("bash", "zsh", "fish", "powershell")


def run(kubectl: Kubectl) -> int:
    args = kubectl.args
    if not args:
        raise UsageFailure(kubectl.path, "Shell not specified.")
    if len(args) > 1:
        raise UsageFailure(kubectl.path, "Too many arguments. Expected only the shell type.")
    if args[0] not in _SHELLS:
        raise UsageFailure(kubectl.path, f'Unsupported shell type "{args[0]}".')
    kubectl.out(f"# labsim: kubectl's words are completed in the lab without a script for {args[0]}\n")
    return 0
