"""kubectl create deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create deployment NAME --image=image -- [COMMAND] [args...]"
ABOUT = "Create a deployment."
EXAMPLES = """  kubectl create deployment web --image=nginx:1.27 --replicas=3"""
SPEC = (
    *creating.GENERATOR,
    Flag("image", kind="slice", help="Image of a container (may be repeated)"),
    Flag("port", kind="int", default=-1, help="Port that the container serves"),
    Flag("replicas", "r", kind="int", default=1, help="Number of replicas"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    creating.required(kubectl, "image")
    dash = kubectl.dash if kubectl.dash >= 0 else len(kubectl.args)
    name, command = creating.name_and_command(kubectl, dash)
    images = flags["image"]
    if len(images) > 1 and command:
        raise Failure("cannot specify multiple --image options and command")
    labels = {"app": name}
    containers = [
        {"name": n, "image": image, "resources": {}} for n, image in zip(creating.container_names(images), images)
    ]
    if command:
        containers[0]["command"] = command
    if flags["port"] > 0:
        containers[0]["ports"] = [{"containerPort": flags["port"]}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"replicas": flags["replicas"], "selector": {"matchLabels": labels}, "strategy": {}, "template": template}
    obj: dict[str, Any] = {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": {}}
    return creating.make(kubectl, "deployments.apps", obj, "deployment")
