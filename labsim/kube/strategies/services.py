"""Services: defaults, cluster IPs, node ports (pkg/registry/core/service of 1.35)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube import validation
from labsim.kube.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from labsim.kube.metadata import validate_labels
from labsim.kube.objects import Object, get_in
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategy import Request, Strategy, field_path
from labsim.sim import names

if TYPE_CHECKING:
    pass


class Services(Strategy):
    fields = {"spec.clusterIP": field_path("spec", "clusterIP"), "spec.type": field_path("spec", "type")}

    def default(self, obj: Object) -> Object:
        spec = filled(obj.get("spec") or {}, sessionAffinity="None", type="ClusterIP")
        if spec["sessionAffinity"] == "ClientIP":
            spec = filled(spec, sessionAffinityConfig={"clientIP": {"timeoutSeconds": 10800}})
        ports = [filled(p, protocol="TCP", targetPort=p.get("port")) for p in spec.get("ports") or ()]
        if ports:
            spec = {**spec, "ports": ports}
        if spec["type"] in ("NodePort", "LoadBalancer"):
            spec = filled(spec, externalTrafficPolicy="Cluster")
        if spec["type"] == "LoadBalancer":
            spec = filled(spec, allocateLoadBalancerNodePorts=True)
        if spec["type"] != "ExternalName":
            spec = filled(spec, internalTrafficPolicy="Cluster")
        return {**obj, "spec": spec}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        obj = {**obj, "status": {"loadBalancer": {}}}
        return self._allocate(obj, None, request)

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        new = super().prepare_update(new, old, request)
        if request.subresource == "status":
            return new
        return self._allocate(new, old, request)

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        spec = obj["spec"]
        kinds = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
        found: list[FieldError] = []
        if spec["type"] not in kinds:
            found.append(unsupported("spec.type", spec["type"], kinds))
        ports = spec.get("ports") or ()
        if not ports and spec["type"] != "ExternalName" and spec.get("clusterIP") != "None":
            found.append(required("spec.ports"))
        if spec["type"] == "ExternalName" and not spec.get("externalName"):
            found.append(required("spec.externalName"))
        found += validate_labels(spec.get("selector") or {}, "spec.selector")
        seen: list[object] = []
        for index, port in enumerate(ports):
            path = f"spec.ports[{index}]"
            if not port.get("name") and len(ports) > 1:
                found.append(required(f"{path}.name"))
            elif port.get("name"):
                found += [
                    invalid_value(f"{path}.name", port["name"], t) for t in validation.dns1123_label(port["name"])
                ]
                if port["name"] in seen:
                    found.append(duplicate(f"{path}.name", port["name"]))
                seen.append(port["name"])
            number = int(port.get("port") or 0)
            found += [invalid_value(f"{path}.port", number, t) for t in validation.port_number(number)]
            if port.get("protocol") not in ("SCTP", "TCP", "UDP"):
                found.append(unsupported(f"{path}.protocol", port.get("protocol"), ("SCTP", "TCP", "UDP")))
            found += self._node_port(obj, port, path, request)
        return found

    @staticmethod
    def _node_port(obj: Object, port: Object, path: str, request: Request) -> list[FieldError]:
        number = port.get("nodePort")
        if not number:
            return []
        if obj["spec"]["type"] == "ClusterIP":
            return [forbidden_field(f"{path}.nodePort", "may not be used when `type` is 'ClusterIP'")]
        if not 30000 <= number <= 32767:
            detail = "provided port is not in the valid range. The range of valid ports is 30000-32767"
            return [invalid_value(f"{path}.nodePort", number, detail)]
        taken = any(
            p.get("nodePort") == number and p.get("protocol") == port.get("protocol")
            for other in request.api.store.list("services")
            if other["metadata"]["uid"] != obj["metadata"]["uid"]
            for p in get_in(other, "spec", "ports", default=())
        )
        return [invalid_value(f"{path}.nodePort", number, "provided port is already allocated")] if taken else []

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        before, after = old["spec"].get("clusterIPs"), new["spec"].get("clusterIPs")
        both = "ExternalName" not in (old["spec"]["type"], new["spec"]["type"])
        if before and after and both and before[0] != after[0]:
            return [invalid_value("spec.clusterIPs[0]", after, "may not change once set")]
        return []

    def _allocate(self, obj: Object, old: Object | None, request: Request) -> Object:
        """Cluster IPs from 10.96.0.0/12 and node ports from 30000-32767, chosen by hash, never one that is taken."""
        spec = dict(obj["spec"])
        before = get_in(old, "spec", default={})
        if spec["type"] == "ExternalName":
            for key in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                spec.pop(key, None)
            return {**obj, "spec": spec}
        taken = {get_in(s, "spec", "clusterIP") for s in request.api.store.list("services")}
        if not spec.get("clusterIP"):
            if before.get("clusterIP"):
                spec["clusterIP"] = before["clusterIP"]
            else:
                for attempt in range(10_000):
                    number = names.number(
                        request.api.seed, 257, (1 << 20) - 2, "cluster-ip", obj["metadata"]["uid"], attempt
                    )
                    address = f"10.{96 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
                    if address not in taken:
                        spec["clusterIP"] = address
                        break
        spec["clusterIPs"] = spec.get("clusterIPs") or [spec["clusterIP"]]
        spec = filled(spec, ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack")
        spec["ports"] = self._node_ports(spec, before, obj, request)
        if not spec["ports"]:
            del spec["ports"]
        return {**obj, "spec": spec}

    @staticmethod
    def _node_ports(spec: Object, before: Object, obj: Object, request: Request) -> list[Object]:
        ports = list(spec.get("ports") or ())
        wants = spec["type"] == "NodePort" or (
            spec["type"] == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True)
        )
        if not wants:
            if before.get("type") in ("NodePort", "LoadBalancer"):
                kept = {p.get("nodePort") for p in before.get("ports") or ()}
                ports = [{k: v for k, v in p.items() if k != "nodePort" or v not in kept} for p in ports]
            return ports
        taken = {
            p["nodePort"]
            for s in request.api.store.list("services")
            if s["metadata"]["uid"] != obj["metadata"]["uid"]
            for p in get_in(s, "spec", "ports", default=())
            if p.get("nodePort")
        } | {p["nodePort"] for p in ports if p.get("nodePort")}
        old = {(p.get("name", ""), p.get("port")): p.get("nodePort") for p in before.get("ports") or ()}
        chosen = []
        for port in ports:
            if not port.get("nodePort"):
                number = old.get((port.get("name", ""), port.get("port")))
                attempt = 0
                while not number or (number in taken and not old):
                    number = names.number(
                        request.api.seed, 30000, 32767, "node-port", obj["metadata"]["uid"], port.get("port"), attempt
                    )
                    attempt += 1
                taken.add(number)
                port = {**port, "nodePort": number}
            chosen.append(port)
        return chosen


STRATEGIES: dict[str, type[Strategy]] = {"services": Services}
