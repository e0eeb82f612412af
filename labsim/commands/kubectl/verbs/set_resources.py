"""kubectl set resources."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.templates_change import with_containers, with_pod_spec
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]"
ABOUT = "Change requests and limits of the containers of a pod template."
EXAMPLES = """  kubectl set resources deployment/web -c=nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m"""
SPEC = (
    *setting.SPEC,
    Flag("containers", "c", default="*", help="Names of the containers, with wildcards"),
    Flag("limits", help="Limits, such as cpu=200m,memory=512Mi"),
    Flag("requests", help="Requests, such as cpu=100m,memory=256Mi"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    words = kubectl.args
    setting.check(kubectl, words)
    if not flags["limits"] and not flags["requests"]:
        raise Failure("you must specify an update to requests or limits (in the form of --requests/--limits)")
    limits, requests = quantities(flags["limits"]), quantities(flags["requests"])

    missing: list[Exception] = []

    def change(info: Info) -> Object:
        found = False

        def on(container: Object) -> Object:
            nonlocal found
            if not fnmatchcase(container["name"], flags["containers"]):
                return container
            found = True
            resources = dict(container.get("resources") or {})
            for key, values in (("limits", limits), ("requests", requests)):
                if values:
                    resources[key] = {**(resources.get(key) or {}), **values}
            return {**container, "resources": resources}

        after = with_pod_spec(
            info.obj, lambda spec: with_containers(with_containers(spec, "containers", on), "initContainers", on)
        )
        if not found:
            missing.append(Failure(f"unable to find container named {flags['containers']}"))
        return after

    return setting.change(kubectl, words, change, "resource requirements updated", "resources update", missing)


def quantities(text: str) -> dict[str, str]:
    """`cpu=100m,memory=1Gi` as a resource list. Raises Failure."""
    from labsim.kube.quantity import canonical

    found: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, equals, value = part.partition("=")
        if not equals or "=" in value:
            raise Failure(f"Invalid argument syntax {part}, expected <resource>=<value>")
        try:
            found[name] = canonical(value)
        except ValueError as error:
            raise Failure(str(error)) from None
    return found
