"""What rollout restart, pause and resume share (kubectl.md 4.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from labsim.commands.kubectl import templates_change
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.writing import field_manager
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

SPEC = (*OUTPUT, *FILENAME, SELECTOR, field_manager("kubectl-rollout"))


def change(kubectl: Kubectl, how: Callable[[Info], Object], done: str, same: str = "") -> int:
    if not kubectl.args and not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure("required resource not specified")
    infos, errors = kubectl.resources().infos()
    if not infos and not errors:
        kubectl.err(f"No resources found in {kubectl.namespace} namespace.\n")
    templates_change.change_all(kubectl, list(infos), how, done, "none", list(errors), same=same)
    return 0
