"""kubectl rollout pause (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import rollout_changes
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.templates_change import NotChanged
from labsim.kube.objects import Object, get_in, set_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout pause RESOURCE"
ABOUT = "Stop the rollout of a Deployment where it is: changes of its template have no effect until it is resumed."
EXAMPLES = """  kubectl rollout pause deployment/web"""
SPEC = rollout_changes.SPEC


def run(kubectl: Kubectl) -> int:
    def change(info: Info) -> Object:
        if info.obj.get("kind") != "Deployment":
            raise NotChanged("pausing is not supported")
        if get_in(info.obj, "spec", "paused", default=False):
            raise NotChanged("is already paused")
        return set_in(info.obj, ("spec", "paused"), True)

    return rollout_changes.change(kubectl, change, "paused")
