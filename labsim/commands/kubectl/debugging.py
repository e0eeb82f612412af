"""The pods and containers that `kubectl debug` makes (cmd/debug: debug.go, profiles.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from labsim.commands.kubectl.errors import Failure
from labsim.kube.objects import Object, annotations_of, labels_of, meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

Style = Literal["node", "ephemeral", "copy"]
PROFILES = ("legacy", "general", "baseline", "netadmin", "restricted", "sysadmin")
DEPRECATED = (
    "--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a "
    'profile, for example "--profile=general".\n'
)
_PROBES = (("keep-liveness", "livenessProbe"), ("keep-readiness", "readinessProbe"), ("keep-startup", "startupProbe"))


def container(kubectl: Kubectl, name: str, start: Object | None = None) -> dict[str, Any]:
    """A new debug container, or `start` changed by the flags."""
    flags = kubectl.flags
    made: dict[str, Any] = dict(start or {"name": name, "resources": {}, "terminationMessagePolicy": "File"})
    if flags["image"]:
        made["image"] = flags["image"]
    if flags["image-pull-policy"]:
        made["imagePullPolicy"] = flags["image-pull-policy"]
    words = list(kubectl.args[kubectl.dash :]) if kubectl.dash > -1 else []
    if words:
        made["args" if flags["arguments-only"] else "command"] = words
        if not flags["arguments-only"]:
            made.pop("args", None)
    if flags["env"]:
        made["env"] = [{"name": k, "value": v} for k, v in (text.split("=", 1) for text in flags["env"])]
    if flags["stdin"]:
        made["stdin"] = True
    if flags["tty"]:
        made["tty"] = True
    return made


def node_pod(kubectl: Kubectl, node: str, name: str, namespace: str) -> Object:
    made = container(kubectl, kubectl.flags["container"] or "debugger")
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/managed-by": "kubectl-debug"}},
        "spec": {
            "containers": [made],
            "nodeName": node,
            "restartPolicy": "Never",
            "tolerations": [{"operator": "Exists"}],
        },
    }
    return profiled(kubectl.flags["profile"], "node", pod, str(made["name"]))


def copy_of(kubectl: Kubectl, pod: Object, name: str) -> tuple[Object, str]:
    """(the copy, its debug container or ''). `name`: the name for a new container. Raises Failure."""
    flags = kubectl.flags
    spec = {k: v for k, v in pod["spec"].items() if k != "ephemeralContainers"}
    if not flags["same-node"]:
        spec.pop("nodeName", None)
    if not flags["keep-init-containers"]:
        spec.pop("initContainers", None)
    if kubectl.given("share-processes"):
        spec["shareProcessNamespace"] = flags["share-processes"]
    dropped = [probe for flag, probe in _PROBES if not flags[flag]]
    images = _images(flags["set-image"])
    containers = []
    for old in spec["containers"]:
        image = images.get(old["name"], images.get("*", old["image"]))
        containers.append({**{k: v for k, v in old.items() if k not in dropped}, "image": image})
    chosen = flags["container"]
    has_command = kubectl.dash > -1 and len(kubectl.args) > kubectl.dash
    if not chosen and flags["image"]:
        chosen = name
    if not chosen and has_command:
        chosen = str(containers[0]["name"])
    if chosen:
        at = next((i for i, c in enumerate(containers) if c["name"] == chosen), None)
        if at is not None:
            containers[at] = container(kubectl, chosen, containers[at])
        elif not flags["image"]:
            raise Failure("you must specify image when creating new container")
        else:
            containers.append(container(kubectl, chosen))
    metadata: dict[str, Any] = {"name": flags["copy-to"], "namespace": meta(pod)["namespace"]}
    if flags["keep-labels"] and labels_of(pod):
        metadata["labels"] = dict(labels_of(pod))
    if flags["keep-annotations"] and annotations_of(pod):
        metadata["annotations"] = dict(annotations_of(pod))
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "containers": containers}}
    return (profiled(flags["profile"], "copy", made, chosen) if chosen else made), chosen


def _images(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in (part for text in pairs for part in text.split(",")):
        name, equals, image = pair.partition("=")
        if not equals or not name or not image:
            raise Failure(f"invalid value {pair}: --set-image must be in the form of name=image")
        found[name] = image
    return found


# -- profiles ----------------------------------------------------------------------------------------------------------


def profiled(profile: str, style: Style, pod: Object, name: str) -> Object:
    """The pod with what a profile adds to it and to the container `name`. Raises Failure for an unknown profile."""
    if profile not in PROFILES:
        raise Failure(f"unknown profile: {profile}")
    spec = dict(pod["spec"])
    if style == "node" and profile in ("legacy", "general", "sysadmin", "netadmin"):
        spec |= {"hostNetwork": True, "hostPID": True, "hostIPC": True}
    if style == "node" and profile in ("legacy", "general", "sysadmin"):
        spec["volumes"] = [*(spec.get("volumes") or ()), {"name": "host-root", "hostPath": {"path": "/"}}]
        spec["containers"] = [_on(c, name, _mounted) for c in spec["containers"]]
    if style == "copy" and profile != "legacy" and "shareProcessNamespace" not in spec:
        spec["shareProcessNamespace"] = True
    spec["containers"] = [_on(c, name, lambda c: secured(profile, style, c)) for c in spec["containers"]]
    return {**pod, "spec": spec}


def _on(made: Object, name: str, change: Callable[[Object], Object]) -> Object:
    return change(made) if made["name"] == name else made


def _mounted(made: Object) -> Object:
    return {**made, "volumeMounts": [*(made.get("volumeMounts") or ()), {"name": "host-root", "mountPath": "/host"}]}


def secured(profile: str, style: Style, made: Object) -> Object:
    """A container with the security context of a profile."""
    if profile == "legacy":
        return made
    made = {k: v for k, v in made.items() if k != "securityContext" or profile == "sysadmin"}
    context: dict[str, Any] = {}
    if profile == "sysadmin":
        context = {"privileged": True}
    elif profile == "netadmin":
        context = {"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}}
    elif profile == "general" and style != "node":
        context = {"capabilities": {"add": ["SYS_PTRACE"]}}
    elif profile == "restricted":
        context = {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
    return {**made, "securityContext": {**(made.get("securityContext") or {}), **context}} if context else made


def taken(pod: Object) -> set[str]:
    """The names of all containers of a pod."""
    groups = ("containers", "initContainers", "ephemeralContainers")
    return {str(c["name"]) for group in groups for c in pod["spec"].get(group) or ()}
