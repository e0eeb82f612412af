"""describe for services, endpoint slices, ingresses and disruption budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.describers.base import labels_text, selector_text
from labsim.kube.objects import Object, annotations_of, get_in, labels_of, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def describe_service(page: Page, obj: Object, events: bool) -> None:
    spec = obj.get("spec") or {}
    page.head(obj)
    page.labels_and_annotations(obj)
    page.field("Selector", labels_text(spec.get("selector")))
    page.field("Type", spec.get("type", ""))
    if spec.get("ipFamilyPolicy"):
        page.field("IP Family Policy", spec["ipFamilyPolicy"])
    page.field("IP Families", ",".join(spec.get("ipFamilies") or ()) or "<none>")
    page.field("IP", spec.get("clusterIP", ""))
    page.field("IPs", ",".join(spec.get("clusterIPs") or ()) or "<none>")
    if spec.get("externalIPs"):
        page.field("External IPs", ",".join(spec["externalIPs"]))
    if spec.get("loadBalancerIP"):
        page.field("Desired LoadBalancer IP", spec["loadBalancerIP"])
    if spec.get("externalName"):
        page.field("External Name", spec["externalName"])
    ingress = get_in(obj, "status", "loadBalancer", "ingress", default=())
    if ingress:
        page.field("LoadBalancer Ingress", ", ".join(_ingress(i) for i in ingress))
    slices = page.client.list(
        "endpointslices.discovery.k8s.io",
        namespace_of(obj),
        label_selector=f"kubernetes.io/service-name={name_of(obj)}",
    )
    for port in spec.get("ports") or ():
        name = port.get("name") or "<unset>"
        page.field("Port", f"{name}\t{port.get('port', 0)}/{port.get('protocol', 'TCP')}")
        page.field("TargetPort", f"{port.get('targetPort', 0)}/{port.get('protocol', 'TCP')}")
        if port.get("nodePort"):
            page.field("NodePort", f"{name}\t{port['nodePort']}/{port.get('protocol', 'TCP')}")
        page.field("Endpoints", _endpoints(slices, port.get("name") or ""))
    page.field("Session Affinity", spec.get("sessionAffinity", ""))
    if spec.get("externalTrafficPolicy"):
        page.field("External Traffic Policy", spec["externalTrafficPolicy"])
    if spec.get("internalTrafficPolicy"):
        page.field("Internal Traffic Policy", spec["internalTrafficPolicy"])
    if spec.get("trafficDistribution"):
        page.field("Traffic Distribution", spec["trafficDistribution"])
    if spec.get("healthCheckNodePort"):
        page.field("HealthCheck NodePort", spec["healthCheckNodePort"])
    if spec.get("loadBalancerSourceRanges"):
        page.field("LoadBalancer Source Ranges", ",".join(spec["loadBalancerSourceRanges"]))
    if events:
        page.events(obj)


def _ingress(entry: Object) -> str:
    return str(entry.get("ip") or entry.get("hostname") or "")


def _endpoints(slices: list[Object], port_name: str) -> str:
    """`a:p,b:p,c:p + 2 more...`: ready addresses of the port with this name."""
    found: list[str] = []
    more = 0
    for piece in slices:
        for port in piece.get("ports") or ():
            if (port.get("name") or "") != port_name:
                continue
            for endpoint in piece.get("endpoints") or ():
                if get_in(endpoint, "conditions", "ready", default=True):
                    for address in endpoint.get("addresses") or ():
                        if len(found) < 3:
                            host = f"[{address}]" if ":" in address else address
                            found.append(f"{host}:{port['port']}" if port.get("port") is not None else address)
                        else:
                            more += 1
    return ",".join(found) + (f" + {more} more..." if more else "")


def describe_endpoint_slice(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    page.labels_and_annotations(obj)
    page.field("AddressType", obj.get("addressType", ""))
    ports = obj.get("ports") or ()
    if ports:
        page.line(0, "Ports:")
        page.line(1, "Name\tPort\tProtocol")
        page.line(1, "----\t----\t--------")
        for port in ports:
            number = port["port"] if port.get("port") is not None else "<unset>"
            page.line(1, f"{port.get('name') or '<unset>'}\t{number}\t{port.get('protocol', '')}")
    else:
        page.line(0, "Ports: <unset>")
    endpoints = obj.get("endpoints") or ()
    page.line(0, "Endpoints:" if endpoints else "Endpoints: <none>")
    for endpoint in endpoints:
        page.line(1, f"- Addresses:\t{', '.join(endpoint.get('addresses') or ())}")
        page.line(2, "Conditions:")
        conditions = endpoint.get("conditions") or {}
        ready = conditions.get("ready")
        page.line(3, f"Ready:\t{'<unset>' if ready is None else str(bool(ready)).lower()}")
        page.line(2, f"Hostname:\t{endpoint.get('hostname') or '<unset>'}")
        target = endpoint.get("targetRef")
        if target:
            page.line(2, f"TargetRef:\t{target.get('kind', '')}/{target.get('name', '')}")
        page.line(2, f"NodeName:\t{endpoint.get('nodeName') or '<unset>'}")
        page.line(2, f"Zone:\t{endpoint.get('zone') or '<unset>'}")
        topology = endpoint.get("deprecatedTopology") or {}
        for key, value in sorted(topology.items()):
            page.line(3, f"{key}={value}")
    if events:
        page.events(obj)


def describe_budget(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    if spec.get("minAvailable") is not None:
        page.field("Min available", spec["minAvailable"])
    elif spec.get("maxUnavailable") is not None:
        page.field("Max unavailable", spec["maxUnavailable"])
    page.field("Selector", selector_text(spec["selector"]) if spec.get("selector") is not None else "<unset>")
    page.line(0, "Status:")
    for label, key in (
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):
        page.line(2, f"{label}:\t{status.get(key, 0)}")
    if events:
        page.events(obj)


def describe_ingress(page: Page, obj: Object, events: bool) -> None:
    spec = obj.get("spec") or {}
    page.field("Name", name_of(obj))
    page.labels("Labels", labels_of(obj))
    page.field("Namespace", namespace_of(obj))
    ingress = get_in(obj, "status", "loadBalancer", "ingress", default=())
    page.field("Address", ",".join(_ingress(i) for i in ingress))
    if spec.get("ingressClassName"):
        page.field("Ingress Class", spec["ingressClassName"])
    default = spec.get("defaultBackend")
    page.field("Default backend", _backend(page, namespace_of(obj), default) if default else "<default>")
    if spec.get("tls"):
        page.line(0, "TLS:")
        for tls in spec["tls"]:
            hosts = ",".join(tls.get("hosts") or ())
            if tls.get("secretName"):
                page.line(1, f"{tls['secretName']} terminates {hosts}")
            else:
                page.line(1, f"SNI routes {hosts}")
    page.line(0, "Rules:\n  Host\tPath\tBackends")
    page.line(1, "----\t----\t--------")
    count = 0
    for rule in spec.get("rules") or ():
        if not rule.get("http"):
            continue
        count += 1
        page.line(1, f"{rule.get('host') or '*'}\t")
        for path in rule["http"].get("paths") or ():
            page.line(2, f"\t{path.get('path', '')} \t{_backend(page, namespace_of(obj), path.get('backend') or {})}")
    if not count:
        page.line(1, f"*\t*\t{_backend(page, namespace_of(obj), default) if default else '<default>'}")
    page.annotations(annotations_of(obj))
    if events:
        page.events(obj)


def _backend(page: Page, namespace: str, backend: Object) -> str:
    service = backend.get("service")
    if service is None:
        resource = backend.get("resource") or {}
        group, kind, name = (resource.get(key) for key in ("apiGroup", "kind", "name"))
        return f"APIGroup: {group or '<none>'}, Kind: {kind or ''}, Name: {name or ''}"
    name, port = service.get("name", ""), service.get("port") or {}
    shown = f"{name}:{port.get('name') or port.get('number', 0)}"
    found = page.client.find("services", name, namespace)
    if found is None:
        return f'{shown} (<error: services "{name}" not found>)'
    port_name = next(
        (
            p.get("name") or ""
            for p in get_in(found, "spec", "ports", default=())
            if p.get("port") == port.get("number") or (port.get("name") and p.get("name") == port.get("name"))
        ),
        "",
    )
    slices = page.client.list(
        "endpointslices.discovery.k8s.io", namespace, label_selector=f"kubernetes.io/service-name={name}"
    )
    return f"{shown} ({_endpoints(slices, port_name)})"
