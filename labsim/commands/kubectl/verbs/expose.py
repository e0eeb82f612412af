"""kubectl expose: a service for what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating, last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.writing import DRY_RUN, dry_run, field_manager, report
from labsim.kube.objects import Object, get_in, labels_of, meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = (
    "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] "
    "[--name=name] [--external-ip=external-ip-of-service] [--type=type]"
)
ABOUT = "Make a service for a pod, service, deployment or replica set, with its labels as the selector."
EXAMPLES = """  kubectl expose deployment web --port=80 --target-port=8080"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    DRY_RUN,
    creating.SAVE_CONFIG,
    field_manager("kubectl-expose"),
    Flag("cluster-ip", help="The service's address, or None for a headless one"),
    Flag("external-ip", help="An address of the world outside"),
    Flag("labels", "l", help="Labels for the service"),
    Flag("load-balancer-ip", help="The address for the load balancer"),
    Flag("name", help="Name of the service; that of the object by default"),
    Flag("override-type", default="merge", help="json, merge or strategic"),
    Flag("overrides", help="JSON that changes the object before it is sent", refused=True),
    Flag("port", help="The port that the service serves; that of the object by default"),
    Flag("protocol", help="TCP, UDP or SCTP; TCP by default"),
    Flag("selector", help="Labels of the pods, instead of the object's"),
    Flag("session-affinity", help="None or ClientIP"),
    Flag("target-port", help="Name or number of the containers' port"),
    Flag("type", help="ClusterIP, NodePort, LoadBalancer or ExternalName; ClusterIP by default"),
)


def run(kubectl: Kubectl) -> int:
    dry = dry_run(kubectl)
    result = kubectl.resources(all_without_selector=False)

    def act(info: Info) -> None:
        service = last_applied.updated(_service(kubectl, info), kubectl.flags["save-config"])
        if dry != "client":
            res = kubectl.client.scheme.find("services")
            assert res is not None
            service = {**service, "metadata": {**meta(service), "namespace": info.namespace}}
            service = creating.send(kubectl, res, service, info.namespace, dry, "")
        report(kubectl, service, "exposed", dry)

    result.visit(act)
    return 0


def _service(kubectl: Kubectl, info: Info) -> Object:
    flags = kubectl.flags
    selector = _labels(flags["selector"]) if flags["selector"] else _selector(info)
    if not selector:
        raise Failure(
            "couldn't retrieve selectors via --selector flag or introspection: the service has no pod selector set"
        )
    ports = _ports(kubectl, info)
    spec: dict[str, Any] = {"ports": ports, "selector": selector}
    if flags["type"]:
        spec["type"] = flags["type"]
    for flag, key in (
        ("cluster-ip", "clusterIP"),
        ("load-balancer-ip", "loadBalancerIP"),
        ("session-affinity", "sessionAffinity"),
    ):
        if flags[flag]:
            spec[key] = flags[flag]
    if flags["external-ip"]:
        spec["externalIPs"] = [flags["external-ip"]]
    labels = _labels(flags["labels"]) if flags["labels"] else dict(labels_of(info.obj))
    metadata = {"name": flags["name"] or info.name[:63], **({"labels": labels} if labels else {})}
    if kubectl.namespace_given:
        metadata["namespace"] = info.namespace
    status: Object = {"loadBalancer": {}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec, "status": status}


def _labels(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in text.split(","):
        key, equals, value = pair.partition("=")
        if not equals:
            raise Failure(f"unexpected label spec: {pair}")
        found[key] = value
    return found


def _selector(info: Info) -> dict[str, str]:
    kind, obj = info.resource.kind, info.obj
    if kind == "Pod":
        found = labels_of(obj)
        if not found:
            raise Failure(
                "couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be "
                "exposed"
            )
        return dict(found)
    if kind in ("Service", "ReplicationController"):
        return dict(get_in(obj, "spec", "selector", default={}))
    if kind in ("Deployment", "ReplicaSet"):
        if get_in(obj, "spec", "selector", "matchExpressions"):
            raise Failure(
                "couldn't retrieve selectors via --selector flag or introspection: couldn't convert expressions - "
                '"map-based selector format" to map-based selector format'
            )
        return dict(get_in(obj, "spec", "selector", "matchLabels", default={}))
    group = f".{info.resource.group}" if info.resource.group else ""
    raise Failure(f"cannot expose a {kind}{group}")


def _ports(kubectl: Kubectl, info: Info) -> list[dict[str, Any]]:
    flags, obj = kubectl.flags, info.obj
    if flags["port"]:
        numbers = [(text, flags["protocol"] or "TCP") for text in flags["port"].split(",")]
    elif info.resource.kind == "Service":
        numbers = [(str(p["port"]), p.get("protocol", "TCP")) for p in get_in(obj, "spec", "ports", default=())]
    else:
        spec = (
            obj.get("spec", {}) if info.resource.kind == "Pod" else get_in(obj, "spec", "template", "spec", default={})
        )
        numbers = [
            (str(p["containerPort"]), flags["protocol"] or p.get("protocol", "TCP"))
            for c in spec.get("containers") or ()
            for p in c.get("ports") or ()
        ]
    if not numbers:
        raise Failure("couldn't find port via --port flag or introspection")
    found: list[dict[str, Any]] = []
    for at, (text, protocol) in enumerate(numbers, 1):
        target = flags["target-port"] or text
        port: dict[str, Any] = {"port": int(text), "protocol": protocol}
        port["targetPort"] = int(target) if target.isdigit() else target
        if len(numbers) > 1:
            port["name"] = f"port-{at}"
        found.append(port)
    return found
