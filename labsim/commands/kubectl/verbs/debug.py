"""kubectl debug: an ephemeral container in a pod, a copy of a pod, or a pod on a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import attaching, creating, debugging
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME
from labsim.commands.kubectl.writing import patch
from labsim.kube.objects import Object, get_in
from labsim.sim import names

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]"
ABOUT = """Look into a pod or a node from a container with other tools.

 A pod gets an ephemeral container; with --copy-to a copy of the pod is made and changed instead. A node gets a pod that
shares its namespaces and, with the profiles legacy, general and sysadmin, has its root under /host. Delete it then."""
EXAMPLES = """  kubectl debug web-0 -it --image=busybox --profile=general
  kubectl debug node/gpu-node1 -it --image=ubuntu --profile=sysadmin"""
SPEC = (
    *(flag for flag in FILENAME if flag.name == "filename"),
    Flag("arguments-only", kind="bool", help="What follows -- are arguments of the image's program"),
    Flag("attach", kind="bool", help="Attach once the container runs; the default with -i"),
    Flag("container", "c", help="Name of the debug container"),
    Flag("copy-to", help="Make a copy of the pod with this name"),
    Flag("custom", help="File with a partial container", refused=True),
    Flag("env", kind="array", help="Environment variable: NAME=VALUE"),
    Flag("image", help="Image of the debug container"),
    Flag("image-pull-policy", help="Always, IfNotPresent or Never"),
    Flag("keep-annotations", kind="bool", help="With --copy-to: keep the annotations"),
    Flag("keep-init-containers", kind="bool", default=True, help="With --copy-to: keep the init containers"),
    Flag("keep-labels", kind="bool", help="With --copy-to: keep the labels"),
    Flag("keep-liveness", kind="bool", help="With --copy-to: keep the liveness probes"),
    Flag("keep-readiness", kind="bool", help="With --copy-to: keep the readiness probes"),
    Flag("keep-startup", kind="bool", help="With --copy-to: keep the startup probes"),
    Flag("profile", default="legacy", help="legacy, general, baseline, netadmin, restricted or sysadmin"),
    Flag("quiet", "q", kind="bool", help="Do not tell"),
    Flag("replace", kind="bool", help="With --copy-to: delete the pod"),
    Flag("same-node", kind="bool", help="With --copy-to: on the same node"),
    Flag("set-image", kind="array", help="With --copy-to: NAME=IMAGE, * for all"),
    Flag("share-processes", kind="bool", default=True, help="With --copy-to: one process namespace"),
    Flag("stdin", "i", kind="bool", help="Keep standard input open"),
    Flag("target", help="With an ephemeral container: share the processes of this container"),
    Flag("tty", "t", kind="bool", help="A terminal for the container"),
)
_ONLY_COPY = ("replace", "same-node", "set-image")


def run(kubectl: Kubectl) -> int:
    _check(kubectl)
    words = kubectl.args[: kubectl.dash] if kubectl.dash > -1 else kubectl.args
    if not words and not kubectl.flags["filename"]:
        raise Failure("NAME or filename is required")
    if kubectl.flags["profile"] == "legacy" and not kubectl.flags["quiet"]:
        kubectl.err(debugging.DEPRECATED)
    for word in words:
        found = kubectl.resources([word if "/" in word else f"pods/{word}"]).all_infos()
        for info in found:
            _debug(kubectl, info)
    for info in kubectl.resources([]).all_infos() if kubectl.flags["filename"] else ():
        _debug(kubectl, info)
    return 0


def _check(kubectl: Kubectl) -> None:
    flags = kubectl.flags
    has_command = kubectl.dash > -1 and len(kubectl.args) > kubectl.dash
    if not flags["copy-to"]:
        if not flags["image"]:
            raise Failure("you must specify --image when not using --copy-to.")
        for name in _ONLY_COPY:
            if kubectl.given(name):
                raise Failure(f"--{name} may only be used with --copy-to.")
    elif not flags["image"] and not flags["set-image"] and not has_command:
        raise Failure("you must specify --image, --set-image or command arguments.")
    if flags["copy-to"] and flags["target"]:
        raise Failure("--target is incompatible with --copy-to. Use --share-processes instead.")
    if flags["image-pull-policy"] not in ("", "Always", "IfNotPresent", "Never"):
        raise Failure(f"invalid image pull policy: {flags['image-pull-policy']}")
    if flags["tty"] and not flags["stdin"]:
        raise Failure("-i/--stdin is required for containers with -t/--tty=true")
    if flags["profile"] not in debugging.PROFILES:
        raise Failure(f"unknown profile: {flags['profile']}")


def _debug(kubectl: Kubectl, info: Info) -> None:
    if info.resource.key == "nodes":
        pod, container = _node(kubectl, info)
    elif info.resource.key != "pods":
        res = info.resource
        raise Failure(f'"{res.group}/{res.version}, Kind={res.kind}" not supported by debug')
    elif kubectl.flags["copy-to"]:
        pod, container = _copy(kubectl, info)
    else:
        pod, container = _ephemeral(kubectl, info)
    flags = kubectl.flags
    if not container or not (flags["attach"] if kubectl.given("attach") else flags["stdin"]):
        return
    # The real one waits without an end: a pod that cannot be scheduled or pulled is told by nobody.
    pod = attaching.started(kubectl, pod["metadata"]["namespace"], pod["metadata"]["name"], container, 300_000)
    if not flags["quiet"]:
        kubectl.err(attaching.RECORDED + attaching.PROMPT)
    if not (flags["stdin"] and attaching.open_shell(kubectl, pod, container)):
        attaching.follow(kubectl, pod, container)


def _suffix(kubectl: Kubectl, what: str) -> str:
    api = kubectl.client.api
    return names.suffix(kubectl.ctx.services.number("kubectl-debug", 0, 2**31), what, api.store.journal.revision)


def _create(kubectl: Kubectl, pod: Object) -> Object:
    res = kubectl.client.scheme.find("pods")
    assert res is not None
    return creating.send(kubectl, res, pod, pod["metadata"]["namespace"], "none", "Strict")


def _node(kubectl: Kubectl, info: Info) -> tuple[Object, str]:
    name = f"node-debugger-{info.name}-{_suffix(kubectl, info.name)}"
    pod = debugging.node_pod(kubectl, info.name, name, kubectl.namespace)
    container = str(pod["spec"]["containers"][0]["name"])
    if not kubectl.flags["quiet"]:
        kubectl.out(f"Creating debugging pod {name} with container {container} on node {info.name}.\n")
    return _create(kubectl, pod), container


def _new_name(kubectl: Kubectl, pod: Object) -> str:
    flags = kubectl.flags
    if flags["container"]:
        return str(flags["container"])
    used = debugging.taken(pod)
    name = next(n for i in range(100) if (n := f"debugger-{_suffix(kubectl, str(i))}") not in used)
    if not flags["quiet"]:
        kubectl.out(f"Defaulting debug container name to {name}.\n")
    return name


def _copy(kubectl: Kubectl, info: Info) -> tuple[Object, str]:
    new = _new_name(kubectl, info.obj) if kubectl.flags["image"] else ""
    pod, container = debugging.copy_of(kubectl, info.obj, new)
    made = _create(kubectl, pod)
    if kubectl.flags["replace"]:
        kubectl.client.delete("pods", info.name, info.namespace)
    return made, container


def _ephemeral(kubectl: Kubectl, info: Info) -> tuple[Object, str]:
    flags = kubectl.flags
    name = _new_name(kubectl, info.obj)
    made = debugging.secured(flags["profile"], "ephemeral", debugging.container(kubectl, name))
    if flags["target"]:
        made = {**made, "targetContainerName": flags["target"]}
        if not flags["quiet"]:
            kubectl.out(
                f'Targeting container "{flags["target"]}". If you don\'t see processes from this container it may be '
                "because the container runtime doesn't support this feature.\n"
            )
    containers = [*(get_in(info.obj, "spec", "ephemeralContainers") or ()), made]
    body = {"spec": {"ephemeralContainers": containers}}
    answer = patch(
        kubectl, info.resource, info.name, info.namespace, body, "strategic", subresource="ephemeralcontainers"
    )
    return answer, name
