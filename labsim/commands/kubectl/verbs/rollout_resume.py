"""kubectl rollout resume (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import rollout_changes
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.templates_change import NotChanged
from labsim.kube.objects import Object, drop_in, get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout resume RESOURCE"
ABOUT = "Go on with the rollout of a paused Deployment."
EXAMPLES = """  kubectl rollout resume deployment/web"""
SPEC = rollout_changes.SPEC


def run(kubectl: Kubectl) -> int:
    def change(info: Info) -> Object:
        if info.obj.get("kind") != "Deployment":
            raise NotChanged("resuming is not supported")
        if not get_in(info.obj, "spec", "paused", default=False):
            raise NotChanged("is not paused")
        return drop_in(info.obj, ("spec", "paused"))

    return rollout_changes.change(kubectl, change, "resumed")
