"""Building blocks of the operands' manifests: plain dicts in the API's shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu import names

Objects = list[Object]
Spec = Mapping[str, Any]

BOTH_WAYS, FROM_HOST = "Bidirectional", "HostToContainer"


def part(spec: Spec, *path: str) -> Mapping[str, Any]:
    """A section of the ClusterPolicy's spec; empty where it is missing."""
    found: Any = spec
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def image(section: Mapping[str, Any]) -> str:
    """`repository/image:version`, or by digest."""
    repository, name, version = (str(section.get(key, "")) for key in ("repository", "image", "version"))
    path = f"{repository}/{name}" if repository else name
    if not version:
        return path
    return f"{path}@{version}" if version.startswith("sha256:") else f"{path}:{version}"


def env(**values: str) -> list[Object]:
    return [{"name": name, "value": value} for name, value in values.items()]


def field_env(**paths: str) -> list[Object]:
    return [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in paths.items()]


def with_env(found: Sequence[Object], extra: Sequence[Mapping[str, Any]] | None) -> list[Object]:
    """`found` with `extra` set: a known name is replaced where it stands, a new one goes to the end."""
    result = list(found)
    for item in extra or ():
        at = next((i for i, known in enumerate(result) if known["name"] == item["name"]), None)
        entry = {"name": item["name"], "value": str(item.get("value", ""))}
        if at is None:
            result.append(entry)
        else:
            result[at] = entry
    return result


def mig_env(spec: Spec) -> list[Object]:
    """How device plugin and GFD learn the strategy (gpu.md 5.4)."""
    strategy = str(part(spec, "mig").get("strategy", ""))
    if not strategy:
        return env(NVIDIA_MIG_MONITOR_DEVICES="all")
    found = env(MIG_STRATEGY=strategy)
    return found if strategy == "none" else found + env(NVIDIA_MIG_MONITOR_DEVICES="all")


def mount(name: str, path: str, propagation: str = "", read_only: bool = False, sub_path: str = "") -> Object:
    found: Object = {"name": name, "mountPath": path}
    if propagation:
        found["mountPropagation"] = propagation
    if read_only:
        found["readOnly"] = True
    if sub_path:
        found["subPath"] = sub_path
    return found


def host(name: str, path: str, kind: str = "") -> Object:
    return {"name": name, "hostPath": {"path": path, **({"type": kind} if kind else {})}}


def config_volume(name: str, config_map: str, **more: Any) -> Object:
    return {"name": name, "configMap": {"name": config_map, **more}}


def validations() -> Object:
    return host("run-nvidia-validations", "/run/nvidia/validations", "DirectoryOrCreate")


def privileged(level: bool = False) -> Object:
    return {"privileged": True, **({"seLinuxOptions": {"level": "s0"}} if level else {})}


def waiting_init(spec: Spec, stack: str, volume: str, path: str) -> Object:
    """The init container that waits for the file toolkit-ready; `stack` is its word for what it waits for."""
    return {
        "name": "toolkit-validation",
        "image": image(part(spec, "validator")),
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c"],
        "args": [
            "until [ -f /run/nvidia/validations/toolkit-ready ]; do "
            f"echo waiting for nvidia container {stack} to be setup; sleep 5; done"
        ],
        "securityContext": privileged(),
        "volumeMounts": [mount(volume, path, FROM_HOST)],
    }


def main_container(section: Mapping[str, Any], name: str, **more: Any) -> Object:
    """A container with the image, pull policy, resources and extra environment of its ClusterPolicy section."""
    found: Object = {
        "name": name,
        "image": image(section),
        "imagePullPolicy": str(section.get("imagePullPolicy") or "IfNotPresent"),
        **more,
    }
    if section.get("resources"):
        found["resources"] = section["resources"]
    if section.get("args"):
        found["args"] = list(section["args"])
    if section.get("env"):
        found["env"] = with_env(found.get("env", ()), section["env"])
    return found


def entry_script(name: str, app: str, program: str, *more: str) -> Object:
    """The ConfigMap with an operand's start script: wait for the driver, print its roots, start the program."""
    lines = [
        "#!/bin/sh",
        "",
        "until [ -f /run/nvidia/validations/driver-ready ]",
        "do",
        '  echo "waiting for the driver validations to be ready..."',
        "  sleep 5",
        "done",
        "",
        "set -o allexport",
        "cat /run/nvidia/validations/driver-ready",
        ". /run/nvidia/validations/driver-ready",
        "",
        *more,
        f'echo "Starting {program}"',
        f"exec {program}",
    ]
    return config_map(name, {"app": app}, {"entrypoint.sh": "\n".join(lines)})


def config_map(name: str, labels: Mapping[str, str], data: Mapping[str, str]) -> Object:
    metadata: Object = {"name": name, "namespace": names.NAMESPACE}
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def service_account(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": names.NAMESPACE}}


def daemon_set(
    spec: Spec,
    name: str,
    operand: str,
    account: str,
    pod: Object,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    selector: Mapping[str, str] | None = None,
    pod_annotations: Mapping[str, str] | None = None,
    runtime_class: bool = True,
    on_delete: bool = False,
) -> Object:
    """An operand's DaemonSet: `operand` is the last part of its `nvidia.com/gpu.deploy.` label."""
    common = part(spec, "daemonsets")
    labels = {"app": name, **(labels or {})}
    update: Object = {"type": "OnDelete"}
    if not on_delete and common.get("updateStrategy") != "OnDelete":
        text = str(part(common, "rollingUpdate").get("maxUnavailable", "1"))
        update = {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": int(text) if text.isdigit() else text, "maxSurge": 0},
        }
    own = {k: v for k, v in part(common, "labels").items() if k not in ("app", "app.kubernetes.io/part-of")}
    template_meta: Object = {"labels": {**labels, **own}}
    shown = {**(pod_annotations or {}), **part(common, "annotations")}
    if shown:
        template_meta["annotations"] = shown
    template: Object = {
        "nodeSelector": {names.DEPLOY + operand: "true"},
        "tolerations": common.get("tolerations")
        or [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "priorityClassName": str(common.get("priorityClassName") or "system-node-critical"),
        "serviceAccountName": account,
        **pod,
    }
    if runtime_class:
        template["runtimeClassName"] = str(part(spec, "operator").get("runtimeClass") or "nvidia")
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": name,
            "namespace": names.NAMESPACE,
            "labels": {**labels, **part(common, "labels")},
            "annotations": {**(annotations or {}), **part(common, "annotations")},
        },
        "spec": {
            "selector": {"matchLabels": dict(selector or {"app": name})},
            "updateStrategy": update,
            "template": {"metadata": template_meta, "spec": template},
        },
    }
