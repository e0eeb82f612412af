"""The cells of core kinds other than pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.kube.objects import Object, annotations_of, condition_of, get_in, labels_of, meta, name_of
from labsim.kube.tables import NONE, UNKNOWN, UNSET, Column, Table, age, columns, joined, label_text, since, table

_ROLE = "node-role.kubernetes.io/"


def node_roles(node: Object) -> str:
    found = {k[len(_ROLE) :] for k in labels_of(node) if k.startswith(_ROLE) and len(k) > len(_ROLE)}
    if labels_of(node).get("kubernetes.io/role"):
        found.add(labels_of(node)["kubernetes.io/role"])
    return ",".join(sorted(found)) or NONE


def node_status(node: Object) -> str:
    ready = condition_of(node, "Ready")
    status = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return status + (",SchedulingDisabled" if get_in(node, "spec", "unschedulable") else "")


@table(
    "Name, Status, Roles, Age, Version",
    "Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime",
)
def NODES(obj: Object, now: int) -> Sequence[Any]:
    def address(kind: str) -> str:
        for item in get_in(obj, "status", "addresses", default=()):
            if item.get("type") == kind:
                return str(item["address"])
        return NONE

    info = get_in(obj, "status", "nodeInfo", default={})
    return [
        name_of(obj),
        node_status(obj),
        node_roles(obj),
        age(obj, now),
        info.get("kubeletVersion", ""),
        address("InternalIP"),
        address("ExternalIP"),
        *(info.get(key) or UNKNOWN for key in ("osImage", "kernelVersion", "containerRuntimeVersion")),
    ]


@table("Name, Status, Age")
def NAMESPACES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), get_in(obj, "status", "phase", default=""), age(obj, now)]


@table("Name, Data, Age")
def CONFIG_MAPS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), age(obj, now)]


@table("Name, Type, Data:int, Age")
def SECRETS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), obj.get("type", ""), len(obj.get("data") or ()), age(obj, now)]


@table("Name, Secrets, Age")
def SERVICE_ACCOUNTS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), len(obj.get("secrets") or ()), age(obj, now)]


def _external(service: Object) -> str:
    spec = service.get("spec") or {}
    kind, ips = spec.get("type"), spec.get("externalIPs") or []
    if kind == "ExternalName":
        return str(spec.get("externalName", ""))
    if kind == "LoadBalancer":
        ingress = get_in(service, "status", "loadBalancer", "ingress", default=())
        found = [str(i.get("ip") or i.get("hostname")) for i in ingress]
        return joined([*sorted(set(found)), *ips], "<pending>")
    return joined(ips)


def service_ports(ports: Sequence[Object]) -> str:
    found = []
    for port in ports:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        found.append(f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}")
    return joined(found)


@table("Name, Type, Cluster-IP, External-IP, Port(s), Age", "Selector")
def SERVICES(obj: Object, now: int) -> Sequence[Any]:
    spec = obj.get("spec") or {}
    ips = spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else [])
    return [
        name_of(obj),
        spec.get("type", ""),
        ips[0] if ips else NONE,
        _external(obj),
        service_ports(spec.get("ports") or ()),
        age(obj, now),
        label_text(spec.get("selector")),
    ]


@table("Name, Endpoints, Age")
def ENDPOINTS(obj: Object, now: int) -> Sequence[Any]:
    found = []
    for subset in obj.get("subsets") or ():
        addresses = subset.get("addresses") or ()
        if not subset.get("ports"):
            found += [a["ip"] for a in addresses]
        for port in subset.get("ports") or ():
            found += [f"{a['ip']}:{port['port']}" for a in addresses]
    return [name_of(obj), joined(found, most=3), age(obj, now)]


@table("Name, AddressType, Ports, Endpoints, Age")
def ENDPOINT_SLICES(obj: Object, now: int) -> Sequence[Any]:
    ports = [str(p.get("port") or "*") for p in obj.get("ports") or ()]
    addresses = [a for e in obj.get("endpoints") or () for a in e.get("addresses") or ()]
    return [
        name_of(obj),
        obj.get("addressType", ""),
        joined(ports, UNSET, 3),
        joined(addresses, UNSET, 3),
        age(obj, now),
    ]


def event_cells(obj: Object, now: int) -> Sequence[Any]:
    """printers.go printEvent: the newest of the stamps an event may carry."""
    first = obj.get("firstTimestamp") or obj.get("eventTime")
    last = get_in(obj, "series", "lastObservedTime") or obj.get("lastTimestamp") or first
    involved = obj.get("involvedObject") or {}
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    host = source.get("host") or obj.get("reportingInstance") or ""
    name = involved.get("name", "")
    count = get_in(obj, "series", "count") or obj.get("count") or 1
    return [
        since(last, now),
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{str(involved.get('kind', '')).lower()}/{name}" if name else str(involved.get("kind", "")).lower(),
        involved.get("fieldPath", ""),
        f"{component}, {host}" if host else component,
        str(obj.get("message", "")).strip(),
        since(first, now),
        count,
        name_of(obj),
    ]


def _event_columns() -> tuple[Column, ...]:
    """Wide-only columns stand between the others, and the name comes last."""
    heads = columns("Last Seen, Type, Reason, Object", "Subobject, Source")
    more = columns("Message", "First Seen, Count:int")
    return (*heads, *more, Column("Name", format="name", priority=1))


EVENTS = Table(_event_columns(), event_cells)


_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def access_modes(modes: Sequence[str]) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in modes)


@table("Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age", "VolumeMode")
def VOLUME_CLAIMS(obj: Object, now: int) -> Sequence[Any]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    bound = bool(spec.get("volumeName"))
    return [
        name_of(obj),
        "Terminating" if meta(obj).get("deletionTimestamp") else status.get("phase", ""),
        spec.get("volumeName", ""),
        get_in(status, "capacity", "storage", default="") if bound else "",
        access_modes(status.get("accessModes") or ()) if bound else "",
        annotations_of(obj).get("volume.beta.kubernetes.io/storage-class") or spec.get("storageClassName") or "",
        spec.get("volumeAttributesClassName") or UNSET,
        age(obj, now),
        spec.get("volumeMode") or UNSET,
    ]


@table(
    "Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age",
    "VolumeMode",
)
def VOLUMES(obj: Object, now: int) -> Sequence[Any]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    claim = spec.get("claimRef") or {}
    return [
        name_of(obj),
        get_in(spec, "capacity", "storage", default=""),
        access_modes(spec.get("accessModes") or ()),
        spec.get("persistentVolumeReclaimPolicy", ""),
        "Terminating" if meta(obj).get("deletionTimestamp") else status.get("phase", ""),
        f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        spec.get("storageClassName") or "",
        spec.get("volumeAttributesClassName") or UNSET,
        status.get("reason", ""),
        age(obj, now),
        spec.get("volumeMode") or UNSET,
    ]


@table("Name, Request, Limit, Age")
def QUOTAS(obj: Object, now: int) -> Sequence[Any]:
    hard, used = get_in(obj, "status", "hard", default={}), get_in(obj, "status", "used", default={})
    request: list[str] = []
    limit: list[str] = []
    for name in sorted(hard):
        text = f"{name}: {used.get(name, '0')}/{hard[name]}"
        (limit if name.startswith("limits.") else request).append(text)
    return [name_of(obj), ", ".join(request), ", ".join(limit), age(obj, now)]
