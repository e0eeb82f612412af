"""kubectl describe (kubectl.md 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import Info, build, raise_all, with_kind
from labsim.commands.kubectl.describers import describer
from labsim.commands.kubectl.describers.base import Page
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, CHUNK_SIZE, FILENAME, SELECTOR
from labsim.commands.kubectl.mapping import resource_for
from labsim.kube.errors import ApiError
from labsim.kube.objects import name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)"
ABOUT = """Show one or many objects in detail, together with what belongs to them, such as their events.

 When no object has exactly the name that was given, all whose names begin with it are shown."""
EXAMPLES = """  # A node, all pods of a label, all pods that begin with a name
  kubectl describe node gpu-node1
  kubectl describe pods -l app=nvidia-mig-manager -n gpu-operator
  kubectl describe pods web"""
SPEC = (
    *FILENAME,
    SELECTOR,
    ALL_NAMESPACES,
    CHUNK_SIZE,
    Flag("show-events", kind="bool", default=True, help="Show the events of the object"),
)


def run(kubectl: Kubectl) -> int:
    if not kubectl.args and not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure(
            "You must specify the type of resource to describe. "
            'Use "kubectl api-resources" for a complete list of supported resources.'
        )
    result = build(kubectl, kubectl.args)
    infos, errors = result.infos()
    if len(errors) == 1 and not infos and isinstance(errors[0], ApiError) and errors[0].code == 404:
        return _by_prefix(kubectl, errors[0])
    first = True
    for info in infos:
        kubectl.out(("" if first else "\n\n") + describe_text(kubectl, info))
        first = False
    if not infos and not errors:
        if kubectl.flags["all-namespaces"]:
            kubectl.err("No resources found\n")
        else:
            kubectl.err(f"No resources found in {kubectl.namespace} namespace.\n")
    raise_all(errors)
    return 0


def describe_text(kubectl: Kubectl, info: Info) -> str:
    page = Page(kubectl.client, kubectl.now())
    describer(info.resource.key)(page, info.obj, kubectl.flags["show-events"])
    return page.text()


def _by_prefix(kubectl: Kubectl, error: ApiError) -> int:
    """`describe pod web-`: only for a type and one name."""
    if len(kubectl.args) != 2 or "/" in kubectl.args[0]:
        raise error
    res = resource_for(kubectl.client, kubectl.args[0])
    found = kubectl.client.list(res.key, kubectl.namespace if res.namespaced else "")
    matching = [obj for obj in found if name_of(obj).startswith(kubectl.args[1])]
    if not matching:
        raise error
    for obj in matching:
        info = Info(res, namespace_of(obj), name_of(obj), with_kind(res, obj))
        kubectl.out(describe_text(kubectl, info) + "\n")
    return 0
