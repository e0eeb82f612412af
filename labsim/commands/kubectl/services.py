"""`create service TYPE`: ports and the service around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


def create(kubectl: Kubectl, kind: str) -> int:
    flags = kubectl.flags
    if kind == "ExternalName":
        creating.required(kubectl, "external-name")
    name = creating.one_name(kubectl)
    headless = flags.get("clusterip", "") == "None"
    if kind != "ExternalName" and not headless and not flags["tcp"]:
        raise Failure("at least one tcp port specifier must be provided")
    if flags.get("clusterip") and kind != "ClusterIP":
        raise Failure("ClusterIP can only be used with ClusterIP service type")
    labels = {"app": name}
    spec: dict[str, Any] = {"selector": labels, "type": kind}
    ports = [_port(text) for text in flags["tcp"]]
    if flags.get("node-port"):
        for port in ports:
            port["nodePort"] = flags["node-port"]
    if ports:
        spec["ports"] = ports
    if flags.get("clusterip"):
        spec["clusterIP"] = flags["clusterip"]
    if flags.get("external-name"):
        spec["externalName"] = flags["external-name"]
    obj = {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": {"loadBalancer": {}}}
    return creating.make(kubectl, "services", obj, f"{kind} service")


def _port(text: str) -> dict[str, Any]:
    port, colon, target = text.partition(":")
    if not port.lstrip("-").isdigit():
        raise Failure(f'strconv.ParseUint: parsing "{port}": invalid syntax')
    wanted: int | str = int(port)
    if colon:
        wanted = int(target) if target.isdigit() else target
    return {"name": text.replace(":", "-"), "port": int(port), "protocol": "TCP", "targetPort": wanted}
