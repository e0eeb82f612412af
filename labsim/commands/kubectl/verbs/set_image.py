"""kubectl set image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.metadata_changes import resources_and_pairs
from labsim.commands.kubectl.templates_change import with_containers, with_pod_spec
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set image (-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N"
ABOUT = "Change the image of containers of a pod or pod template. The name * means all containers."
EXAMPLES = """  kubectl set image deployment/web nginx=nginx:1.27"""
SPEC = setting.SPEC


def run(kubectl: Kubectl) -> int:
    words, pairs = resources_and_pairs(kubectl.args, "image")
    setting.check(kubectl, words, setting.NOTHING)
    images = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    if not images:
        raise Failure("at least one image update is required")
    if len(images) > 1 and "*" in images:
        raise Failure(
            "all containers are already specified by *, but saw more than one container_name=container_image pairs"
        )
    errors: list[Exception] = []

    def change(info: Info) -> Object:
        def on(spec: Object) -> Object:
            names = {c["name"] for group in ("containers", "initContainers") for c in spec.get(group) or ()}
            for name in images:
                if name != "*" and name not in names:
                    errors.append(Failure(f'error: unable to find container named "{name}"'))

            def image(container: Object) -> Object:
                new = images.get(container["name"], images.get("*"))
                return container if new is None else {**container, "image": new}

            return with_containers(with_containers(spec, "initContainers", image), "containers", image)

        return with_pod_spec(info.obj, on)

    return setting.change(kubectl, words, change, "image updated", "image update", errors)
