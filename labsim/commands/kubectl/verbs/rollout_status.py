"""kubectl rollout status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import Info, build
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, SELECTOR
from labsim.commands.kubectl.rollout_views import status
from labsim.commands.kubectl.waiting import wait_until
from labsim.kube.watch import Watch

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "rollout status (TYPE NAME | TYPE/NAME) [flags]"
ABOUT = "Show how far a rollout is, and wait until it is done."
EXAMPLES = "  kubectl rollout status ds/nvidia-device-plugin-daemonset -n gpu-operator"
SPEC = (
    *FILENAME,
    SELECTOR,
    Flag("revision", kind="int", help="Fail when another revision than this is rolled out"),
    Flag("timeout", kind="duration", help="How long to wait; 0 for ever"),
    Flag("watch", "w", kind="bool", default=True, help="Wait until it is done"),
)


def run(kubectl: Kubectl) -> int:
    if not kubectl.args and not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure("required resource not specified")
    if kubectl.flags["revision"] < 0:
        raise Failure(f"revision must be a positive integer: {kubectl.flags['revision']}")
    result = build(kubectl, kubectl.args)
    infos = result.all_infos()
    if not infos:
        kubectl.err(f"No resources found in {kubectl.namespace} namespace.\n")
        return 0
    for info in infos:
        _status(kubectl, info)
    return 0


def _status(kubectl: Kubectl, info: Info) -> None:
    flags, client = kubectl.flags, kubectl.client
    text, done = status(info.resource, info.obj, flags["revision"])
    kubectl.emit(text)
    if done or not flags["watch"]:
        return
    deadline = kubectl.now() + flags["timeout"] if flags["timeout"] else None
    watch = Watch(
        client.api,
        client.user,
        info.resource.key,
        info.namespace,
        field_selector=f"metadata.name={info.name}",
        since=str(client.api.store.journal.revision),
    )

    def ended() -> bool:
        nonlocal done
        for kind, obj in watch.poll():
            if kind == "DELETED":
                raise Failure("object has been deleted")
            text, done = status(info.resource, obj, flags["revision"])
            kubectl.emit(text)
            if done:
                return True
        return done

    if not wait_until(kubectl, ended, deadline):
        raise Failure("timed out waiting for the condition")
