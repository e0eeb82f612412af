"""Core kinds other than pods: namespaces, nodes, services, config, storage claims, events.

Source: kubernetes pkg/apis/core/v1/defaults.go and pkg/registry/core of 1.35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import Object, get_in, merge_in, name_of, namespace_of, set_in
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategy import Request, Strategy, field_path
from labsim.sim import names
from labsim.sim.clock import MINUTE, SECOND, rfc3339, rfc3339_micro

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

# The kubelet's nodeStatusReportFrequency, and a quarter of nodeLeaseDurationSeconds.
STATUS_PERIOD, LEASE_PERIOD = 5 * MINUTE, 10 * SECOND
KUBELET_CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")


class Namespaces(Strategy):
    fields = {"status.phase": field_path("status", "phase"), "name": name_of}

    def default(self, obj: Object) -> Object:
        obj = (
            merge_in(obj, ("metadata", "labels"), {"kubernetes.io/metadata.name": name_of(obj)})
            if name_of(obj)
            else obj
        )
        return {**obj, "spec": obj.get("spec") or {}}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        finalizers = list(get_in(obj, "spec", "finalizers", default=()))
        if "kubernetes" not in finalizers:
            finalizers.append("kubernetes")
        return {**obj, "spec": {**obj["spec"], "finalizers": finalizers}, "status": {"phase": "Active"}}

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        if request.subresource == "finalize":
            return set_in({**old, "metadata": new["metadata"]}, ("spec",), new["spec"])
        new = super().prepare_update(new, old, request)
        finalizers = get_in(old, "spec", "finalizers")
        return set_in(new, ("spec",), {"finalizers": finalizers} if finalizers else {})

    def holds(self, obj: Object) -> bool:
        return bool(get_in(obj, "spec", "finalizers"))

    def deleting(self, obj: Object) -> Object:
        return set_in(obj, ("status", "phase"), "Terminating")


class Nodes(Strategy):
    fields = {"spec.unschedulable": field_path("spec", "unschedulable", default="false")}

    def default(self, obj: Object) -> Object:
        status = obj.get("status") or {}
        obj = {**obj, "spec": obj.get("spec") or {}}
        if status.get("capacity") and not status.get("allocatable"):
            obj = set_in(obj, ("status",), {**status, "allocatable": status["capacity"]})
        return obj

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return obj  # a kubelet registers its node with its status

    def render(self, obj: Object, api: APIServer) -> Object:
        """While its kubelet works, a node's conditions are posted anew every five minutes."""
        started = kubelet_start(obj, api)
        if started is None or not get_in(obj, "status", "conditions"):
            return obj
        beat = rfc3339(api.now - (api.now - started) % STATUS_PERIOD)
        conditions = [
            {**row, "lastHeartbeatTime": max(beat, row.get("lastHeartbeatTime") or "")}
            if row["type"] in KUBELET_CONDITIONS
            else row
            for row in obj["status"]["conditions"]
        ]
        return set_in(obj, ("status", "conditions"), conditions)


class Leases(Strategy):
    def render(self, obj: Object, api: APIServer) -> Object:
        """A node's lease is renewed every ten seconds while its kubelet works."""
        started = kubelet_start(obj, api) if namespace_of(obj) == "kube-node-lease" else None
        if started is None:
            return obj
        return set_in(obj, ("spec", "renewTime"), rfc3339_micro(api.now - (api.now - started) % LEASE_PERIOD))


def kubelet_start(obj: Object, api: APIServer) -> int | None:
    """When the kubelet of the node of this name began its work (ms); None while it is stopped or there is none."""
    machine = api.store.get("machines.hardware.labsim", "", name_of(obj))
    started = get_in(machine, "status", "kubelet", "startedAt")
    return int(started) if started is not None and machine and machine["status"]["kubelet"].get("running") else None


class Secrets(Strategy):
    fields = {"type": field_path("type")}

    def default(self, obj: Object) -> Object:
        from base64 import b64encode

        obj = filled(obj, type="Opaque")
        if obj.get("stringData"):
            encoded = {k: b64encode(str(v).encode()).decode() for k, v in obj["stringData"].items()}
            obj = {**obj, "data": {**(obj.get("data") or {}), **encoded}}
        return {k: v for k, v in obj.items() if k != "stringData"}


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


class Events(Strategy):
    fields = {
        **{
            f"involvedObject.{key}": field_path("involvedObject", key)
            for key in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        },
        "reason": field_path("reason"),
        "reportingComponent": field_path("reportingComponent"),
        "source": lambda e: str(get_in(e, "source", "component", default="") or e.get("reportingComponent") or ""),
        "type": field_path("type"),
    }
    indexes = {"involvedObject.uid": lambda e: [u] if (u := get_in(e, "involvedObject", "uid", default="")) else []}


class PersistentVolumeClaims(Strategy):
    def default(self, obj: Object) -> Object:
        return {**obj, "spec": filled(obj.get("spec") or {}, volumeMode="Filesystem")}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"phase": "Pending"}}


class PersistentVolumes(Strategy):
    def default(self, obj: Object) -> Object:
        spec = filled(obj.get("spec") or {}, persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem")
        return {**obj, "spec": spec}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"phase": "Pending"}}


class ResourceQuotas(Strategy):
    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {}}


class LimitRanges(Strategy):
    def default(self, obj: Object) -> Object:
        """A maximum serves as limit, a limit as request, where those are not given."""
        limits = []
        for item in get_in(obj, "spec", "limits", default=()):
            if item.get("type") == "Container":
                default = {**(item.get("max") or {}), **(item.get("default") or {})}
                request = {**(item.get("min") or {}), **default, **(item.get("defaultRequest") or {})}
                if default:
                    item = {**item, "default": default}
                if request:
                    item = {**item, "defaultRequest": request}
            limits.append(item)
        return set_in(obj, ("spec", "limits"), limits)


STRATEGIES: dict[str, type[Strategy]] = {
    "namespaces": Namespaces,
    "nodes": Nodes,
    "leases.coordination.k8s.io": Leases,
    "secrets": Secrets,
    "services": Services,
    "events": Events,
    "persistentvolumeclaims": PersistentVolumeClaims,
    "persistentvolumes": PersistentVolumes,
    "resourcequotas": ResourceQuotas,
    "limitranges": LimitRanges,
}
