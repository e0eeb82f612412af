"""Defaults of a pod spec, wherever it stands (pods, and the templates of workloads).

Source: kubernetes pkg/apis/core/v1/defaults.go of 1.35.
"""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import Object, get_in

_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_MODE = 0o644


def filled(obj: Any, **defaults: Any) -> Object:
    """`obj` with those defaults whose key is missing or null; the same object when nothing is missing."""
    missing = {key: value for key, value in defaults.items() if obj.get(key) is None}
    return {**obj, **missing} if missing else obj


def default_pod_spec(spec: Object) -> Object:
    spec = filled(
        spec,
        restartPolicy="Always",
        terminationGracePeriodSeconds=30,
        dnsPolicy="ClusterFirst",
        securityContext={},
        schedulerName="default-scheduler",
    )
    host_network = bool(spec.get("hostNetwork"))
    for group in ("initContainers", "containers", "ephemeralContainers"):
        if spec.get(group):
            spec = {**spec, group: [default_container(c, host_network) for c in spec[group]]}
    if spec.get("volumes"):
        spec = {**spec, "volumes": [_volume(v) for v in spec["volumes"]]}
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec = filled(spec, serviceAccountName=account, serviceAccount=account)
    return spec


def default_container(container: Object, host_network: bool = False) -> Object:
    image = str(container.get("image", ""))
    container = filled(
        container,
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy="Always" if _floating(image) else "IfNotPresent",
        resources={},
    )
    resources = container["resources"]
    if resources.get("limits"):
        requests = {**resources["limits"], **(resources.get("requests") or {})}
        if requests != resources.get("requests"):
            container = {**container, "resources": {**resources, "requests": requests}}
    if container.get("ports"):
        ports = [filled(p, protocol="TCP") for p in container["ports"]]
        if host_network:
            ports = [filled(p, hostPort=p.get("containerPort")) for p in ports]
        container = {**container, "ports": ports}
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(name):
            container = {**container, name: _probe(container[name])}
    if any(get_in(e, "valueFrom", "fieldRef") for e in container.get("env") or ()):
        container = {**container, "env": [_env(e) for e in container["env"]]}
    if container.get("lifecycle"):
        hooks = {k: _handler(v) if isinstance(v, dict) else v for k, v in container["lifecycle"].items()}
        container = {**container, "lifecycle": hooks}
    return container


def _floating(image: str) -> bool:
    """No tag, or latest: such an image is pulled each time. A digest pins it."""
    last = image.rpartition("/")[2]
    if "@" in last:
        return False
    tag = last.partition(":")[2]
    return tag in ("", "latest")


def _probe(probe: Object) -> Object:
    return filled(_handler(probe), **_PROBE)


def _handler(handler: Object) -> Object:
    if handler.get("httpGet"):
        handler = {**handler, "httpGet": filled(handler["httpGet"], path="/", scheme="HTTP")}
    if handler.get("grpc"):
        handler = {**handler, "grpc": filled(handler["grpc"], service="")}
    return handler


def _env(item: Object) -> Object:
    reference = get_in(item, "valueFrom", "fieldRef")
    if reference is None:
        return item
    return {**item, "valueFrom": {**item["valueFrom"], "fieldRef": filled(reference, apiVersion="v1")}}


def _items(source: Object) -> Object:
    """fieldRef versions in the files of a downward API volume."""
    if not source.get("items"):
        return source
    items = [
        {**i, "fieldRef": filled(i["fieldRef"], apiVersion="v1")} if i.get("fieldRef") else i for i in source["items"]
    ]
    return {**source, "items": items}


def _volume(volume: Object) -> Object:
    if len([k for k, v in volume.items() if k != "name" and v is not None]) == 0:
        return {**volume, "emptyDir": {}}
    for kind in ("configMap", "secret"):
        if volume.get(kind) is not None:
            volume = {**volume, kind: filled(volume[kind], defaultMode=_MODE)}
    if volume.get("downwardAPI") is not None:
        volume = {**volume, "downwardAPI": _items(filled(volume["downwardAPI"], defaultMode=_MODE))}
    if volume.get("hostPath") is not None:
        volume = {**volume, "hostPath": filled(volume["hostPath"], type="")}
    if volume.get("projected") is not None:
        projected = filled(volume["projected"], defaultMode=_MODE)
        sources = []
        for source in projected.get("sources") or ():
            if source.get("serviceAccountToken") is not None:
                token = filled(source["serviceAccountToken"], expirationSeconds=3600)
                source = {**source, "serviceAccountToken": token}
            if source.get("downwardAPI") is not None:
                source = {**source, "downwardAPI": _items(source["downwardAPI"])}
            sources.append(source)
        volume = {**volume, "projected": {**projected, "sources": sources}}
    if get_in(volume, "ephemeral", "volumeClaimTemplate", "spec") is not None:
        template = volume["ephemeral"]["volumeClaimTemplate"]
        template = {**template, "spec": filled(template["spec"], volumeMode="Filesystem")}
        volume = {**volume, "ephemeral": {**volume["ephemeral"], "volumeClaimTemplate": template}}
    return volume


def qos_class(pod: Object) -> str:
    """Guaranteed, Burstable or BestEffort by cpu and memory (apis/core/v1/helper/qos)."""
    from labsim.kube.podresources import milli

    spec = pod.get("spec") or {}
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    if spec.get("resources"):
        containers = [{"resources": spec["resources"]}]
    guaranteed, any_set = True, False
    for container in containers:
        requests = get_in(container, "resources", "requests", default={})
        limits = get_in(container, "resources", "limits", default={})
        for name in ("cpu", "memory"):
            asked = milli(str(requests[name])) if name in requests else 0
            bound = milli(str(limits[name])) if name in limits else 0
            any_set = any_set or bool(asked or bound)
            guaranteed = guaranteed and bound > 0 and asked == bound
    if not any_set:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"
