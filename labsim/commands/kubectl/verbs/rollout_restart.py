"""kubectl rollout restart (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import rollout_changes
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.templates_change import NotChanged
from labsim.kube.objects import Object, get_in, set_in
from labsim.sim.clock import rfc3339

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout restart RESOURCE"
ABOUT = "Restart the pods of a Deployment, DaemonSet or StatefulSet, one after the other, by a note in their template."
EXAMPLES = """  # All pods of a DaemonSet anew
  kubectl rollout restart daemonset/nvidia-device-plugin-daemonset -n gpu-operator"""
SPEC = rollout_changes.SPEC
_NOTE = "kubectl.kubernetes.io/restartedAt"
_AGAIN = (
    "failed to create patch for {name}: if restart has already been triggered within the past second, please wait "
    "before attempting to trigger another"
)


def run(kubectl: Kubectl) -> int:
    def restart(info: Info) -> Object:
        if info.obj.get("kind") not in ("Deployment", "DaemonSet", "StatefulSet"):
            raise NotChanged("restarting is not supported")
        if info.obj["kind"] == "Deployment" and get_in(info.obj, "spec", "paused", default=False):
            raise NotChanged("can't restart paused deployment (run rollout resume first)")
        path = ("spec", "template", "metadata", "annotations")
        return set_in(info.obj, path, {**get_in(info.obj, *path, default={}), _NOTE: rfc3339(kubectl.now())})

    return rollout_changes.change(kubectl, restart, "restarted", _AGAIN)
