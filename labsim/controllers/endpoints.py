"""Endpoints and EndpointSlices of Services with a selector. Source: pkg/controller/endpoint, endpointslice of 1.35."""

from __future__ import annotations

from labsim.controllers.common import FINISHED, Manager, Objects, is_ready, owner_reference
from labsim.kube.cluster import Cluster
from labsim.kube.matching import selector_matches
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of, uid_of
from labsim.sim.clock import rfc3339
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

SLICES = "endpointslices.discovery.k8s.io"


class _ServiceController(Manager):
    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch("services", lambda write: [(write.namespace, write.name)]),
            Watch("pods", self._pod_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        """Services whose selector fits the pod, when what endpoints show of it changed."""
        before, after = write.before, write.after
        if before is not None and after is not None and _shown(before) == _shown(after):
            return []
        found: list[Key] = []
        for service in self.client.list("services", write.namespace):
            selector = get_in(service, "spec", "selector")
            if selector and any(
                obj is not None and selector_matches({"matchLabels": selector}, labels_of(obj))
                for obj in (before, after)
            ):
                found.append((write.namespace, name_of(service)))
        return found

    def pods(self, service: Object) -> Objects:
        selector = get_in(service, "spec", "selector", default={})
        if not selector:
            return []
        key = min(selector)
        found = self.client.by_index("pods", "label", f"{key}={selector[key]}", namespace_of(service))
        return [
            pod
            for pod in found
            if selector_matches({"matchLabels": selector}, labels_of(pod))
            and get_in(pod, "status", "podIP")
            and get_in(pod, "status", "phase") not in FINISHED
        ]


class EndpointsController(_ServiceController):
    name = "endpoint"
    account = "endpoint-controller"

    def reconcile(self, key: Key) -> After | None:
        service = self.client.find("services", key[1], key[0])
        current = self.client.find("endpoints", key[1], key[0])
        if service is None:
            if current is not None:
                self.client.delete("endpoints", key[1], key[0])
            return None
        if not get_in(service, "spec", "selector"):
            return None
        subsets: dict[str, Object] = {}
        publish = bool(get_in(service, "spec", "publishNotReadyAddresses", default=False))
        for pod in self.pods(service):
            if pod["metadata"].get("deletionTimestamp") and not publish:
                continue
            ports = _ports(service, pod)
            if ports is None:
                continue
            text = repr(ports)
            subset = subsets.setdefault(text, {"addresses": [], "notReadyAddresses": [], "ports": ports})
            address: Object = {"ip": pod["status"]["podIP"], "nodeName": get_in(pod, "spec", "nodeName")}
            if get_in(pod, "spec", "hostname") and get_in(pod, "spec", "subdomain") == key[1]:
                address["hostname"] = pod["spec"]["hostname"]
            address["targetRef"] = _target(pod)
            subset["addresses" if is_ready(pod) or publish else "notReadyAddresses"].append(address)
        rows = []
        for text in sorted(subsets):
            row = {k: v for k, v in subsets[text].items() if v}
            for part in ("addresses", "notReadyAddresses"):
                if part in row:
                    row[part] = sorted(row[part], key=lambda a: _numeric(a["ip"]))
            rows.append(row)
        labels = {**labels_of(service), "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
        if get_in(service, "spec", "clusterIP") == "None":
            labels["service.kubernetes.io/headless"] = ""
        if current is None:
            body: Object = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": key[1], "labels": labels}}
            if rows:
                body["subsets"] = rows
            self.client.create("endpoints", body, key[0])
        elif (current.get("subsets") or []) != rows or labels_of(current) != labels:
            body = {**current, "metadata": {**current["metadata"], "labels": labels}, "subsets": rows}
            if not rows:
                del body["subsets"]
            self.client.update("endpoints", body, key[0])
        return None


class EndpointSliceController(_ServiceController):
    name = "endpointslice"
    account = "endpointslice-controller"

    def reconcile(self, key: Key) -> After | None:
        service = self.client.find("services", key[1], key[0])
        if service is None or not get_in(service, "spec", "selector") or service["metadata"].get("deletionTimestamp"):
            return None
        publish = bool(get_in(service, "spec", "publishNotReadyAddresses", default=False))
        groups: dict[str, tuple[list[Object], list[Object]]] = {}
        for pod in self.pods(service):
            ports = _ports(service, pod)
            if ports is None:
                continue
            dying = bool(pod["metadata"].get("deletionTimestamp"))
            serving = is_ready(pod)
            endpoint: Object = {
                "addresses": [pod["status"]["podIP"]],
                "conditions": {"ready": publish or (serving and not dying), "serving": serving, "terminating": dying},
                "nodeName": get_in(pod, "spec", "nodeName"),
                "targetRef": _target(pod),
            }
            if get_in(pod, "spec", "hostname") and get_in(pod, "spec", "subdomain") == key[1]:
                endpoint["hostname"] = pod["spec"]["hostname"]
            groups.setdefault(repr(ports), (ports, []))[1].append(endpoint)
        have = [
            s
            for s in self.client.by_index(SLICES, "label", f"kubernetes.io/service-name={key[1]}", key[0])
            if labels_of(s).get("endpointslice.kubernetes.io/managed-by") == "endpointslice-controller.k8s.io"
        ]
        wanted = [(ports, rows) for _, (ports, rows) in sorted(groups.items())] or [([], [])]
        for n, (ports, rows) in enumerate(wanted):
            rows.sort(key=lambda e: _numeric(e["addresses"][0]))
            self._put(service, have[n] if n < len(have) else None, ports, rows)
        for extra in have[len(wanted) :]:
            self.client.delete(SLICES, name_of(extra), key[0])
        return None

    def _put(self, service: Object, current: Object | None, ports: list[Object], rows: list[Object]) -> None:
        labels = {
            **labels_of(service),
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            "kubernetes.io/service-name": name_of(service),
        }
        if get_in(service, "spec", "clusterIP") == "None":
            labels["service.kubernetes.io/headless"] = ""
        content: Object = {"endpoints": rows, "ports": ports}
        if current is not None:
            if {k: current.get(k) for k in content} == content and labels_of(current) == labels:
                return
            body = {**current, **content, "metadata": {**current["metadata"], "labels": labels}}
            self.client.update(SLICES, body, namespace_of(service))
            return
        annotations = {"endpoints.kubernetes.io/last-change-trigger-time": rfc3339(self.now)}
        metadata: Object = {
            "generateName": f"{name_of(service)}-",
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [owner_reference(service)],
        }
        body = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": metadata,
            "addressType": "IPv4",
        }
        self.client.create(SLICES, {**body, **content}, namespace_of(service))


def _shown(pod: Object) -> tuple[object, ...]:
    return (
        get_in(pod, "status", "podIP"),
        is_ready(pod),
        labels_of(pod),
        bool(pod["metadata"].get("deletionTimestamp")),
        get_in(pod, "status", "phase") in FINISHED,
    )


def _target(pod: Object) -> Object:
    return {"kind": "Pod", "name": name_of(pod), "namespace": namespace_of(pod), "uid": uid_of(pod)}


def _ports(service: Object, pod: Object) -> list[Object] | None:
    """The target ports on this pod; None when a named one is missing and nothing else is left."""
    found = []
    declared = get_in(service, "spec", "ports", default=())
    for port in declared:
        target = port.get("targetPort", port["port"])
        number = target if isinstance(target, int) else _named(pod, str(target))
        if number is None:
            continue
        row: Object = {"name": port.get("name", ""), "port": number, "protocol": port.get("protocol", "TCP")}
        found.append({k: v for k, v in row.items() if v != ""})
    return found if found or not declared else None


def _named(pod: Object, name: str) -> int | None:
    if name.isdigit():
        return int(name)
    for container in get_in(pod, "spec", "containers", default=()):
        for port in container.get("ports") or ():
            if port.get("name") == name:
                return int(port["containerPort"])
    return None


def _numeric(address: str) -> tuple[int, ...]:
    return tuple(int(part) for part in address.split(".")) if address.count(".") == 3 else ()
