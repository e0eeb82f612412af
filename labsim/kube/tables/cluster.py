"""The cells of cluster-wide machinery: storage classes, scheduling, RBAC, webhooks, networking, DRA, extensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.kube.matching import selector_text
from labsim.kube.objects import Object, annotations_of, condition_of, get_in, name_of
from labsim.kube.tables import NONE, UNSET, age, joined, table

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_DEFAULT_INGRESS = "ingressclass.kubernetes.io/is-default-class"


def _flag(value: object) -> str:
    return "true" if value else "false"


@table("Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age")
def STORAGE_CLASSES(obj: Object, now: int) -> Sequence[Any]:
    default = annotations_of(obj).get(_DEFAULT_CLASS) == "true"
    return [
        name_of(obj) + (" (default)" if default else ""),
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy") or "Delete",
        obj.get("volumeBindingMode") or "Immediate",
        _flag(obj.get("allowVolumeExpansion")),
        age(obj, now),
    ]


@table("Name, Value:int, Global-Default:bool, Age, PreemptionPolicy")
def PRIORITY_CLASSES(obj: Object, now: int) -> Sequence[Any]:
    policy = obj.get("preemptionPolicy") or "PreemptLowerPriority"
    return [name_of(obj), obj.get("value", 0), _flag(obj.get("globalDefault")), age(obj, now), policy]


@table("Name, Holder, Age")
def LEASES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), get_in(obj, "spec", "holderIdentity", default=""), age(obj, now)]


@table("Name, Handler, Age")
def RUNTIME_CLASSES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), obj.get("handler", ""), age(obj, now)]


@table("Name, Role, Age", "Users, Groups, ServiceAccounts")
def BINDINGS(obj: Object, now: int) -> Sequence[Any]:
    subjects = obj.get("subjects") or ()
    role = obj.get("roleRef") or {}
    users = [s["name"] for s in subjects if s.get("kind") == "User"]
    groups = [s["name"] for s in subjects if s.get("kind") == "Group"]
    accounts = [f"{s.get('namespace', '')}/{s['name']}" for s in subjects if s.get("kind") == "ServiceAccount"]
    return [
        name_of(obj),
        f"{role.get('kind', '')}/{role.get('name', '')}",
        age(obj, now),
        ", ".join(users),
        ", ".join(groups),
        ", ".join(accounts),
    ]


@table("Name, Webhooks:int, Age")
def WEBHOOKS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), len(obj.get("webhooks") or ()), age(obj, now)]


@table("Name, Validations:int, ParamKind, Age")
def ADMISSION_POLICIES(obj: Object, now: int) -> Sequence[Any]:
    kind = get_in(obj, "spec", "paramKind")
    shown = f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}" if kind else UNSET
    return [name_of(obj), len(get_in(obj, "spec", "validations", default=())), shown, age(obj, now)]


@table("Name, PolicyName, ParamRef, Age")
def ADMISSION_BINDINGS(obj: Object, now: int) -> Sequence[Any]:
    ref = get_in(obj, "spec", "paramRef")
    shown = UNSET
    if ref:
        target = ref.get("name") or "*"
        shown = f"{ref['namespace']}/{target}" if ref.get("namespace") else f"*/{target}"
    return [name_of(obj), get_in(obj, "spec", "policyName", default=""), shown, age(obj, now)]


@table("Name, Class, Hosts, Address, Ports, Age")
def INGRESSES(obj: Object, now: int) -> Sequence[Any]:
    spec = obj.get("spec") or {}
    rules = spec.get("rules") or ()
    hosts = [r["host"] for r in rules if r.get("host")]
    ingress = get_in(obj, "status", "loadBalancer", "ingress", default=())
    return [
        name_of(obj),
        spec.get("ingressClassName") or annotations_of(obj).get("kubernetes.io/ingress.class") or NONE,
        joined(hosts, "*", 3),
        ",".join(str(i.get("ip") or i.get("hostname")) for i in ingress),
        "80, 443" if spec.get("tls") else "80",
        age(obj, now),
    ]


@table("Name, Controller, Parameters, Age")
def INGRESS_CLASSES(obj: Object, now: int) -> Sequence[Any]:
    parameters = get_in(obj, "spec", "parameters")
    shown = NONE
    if parameters:
        group = f".{parameters['apiGroup']}" if parameters.get("apiGroup") else ""
        shown = f"{parameters.get('kind', '')}{group}/{parameters.get('name', '')}"
    default = " (default)" if annotations_of(obj).get(_DEFAULT_INGRESS) == "true" else ""
    return [name_of(obj) + default, get_in(obj, "spec", "controller", default=""), shown, age(obj, now)]


@table("Name, Pod-Selector, Age")
def NETWORK_POLICIES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), selector_text(get_in(obj, "spec", "podSelector")) or NONE, age(obj, now)]


@table("Name, ParentRef, Age")
def IP_ADDRESSES(obj: Object, now: int) -> Sequence[Any]:
    ref = get_in(obj, "spec", "parentRef", default={})
    parts = [ref.get(key) for key in ("group", "resource", "namespace", "name")]
    return [name_of(obj), "/".join(str(p) for p in parts if p), age(obj, now)]


@table("Name, CIDRs, Age")
def SERVICE_CIDRS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), ",".join(get_in(obj, "spec", "cidrs", default=())), age(obj, now)]


def claim_state(claim: Object) -> str:
    states = []
    if get_in(claim, "metadata", "deletionTimestamp"):
        states.append("deleted")
    if get_in(claim, "status", "allocation") is None:
        if not states:
            states.append("pending")
    else:
        states.append("allocated")
        if get_in(claim, "status", "reservedFor"):
            states.append("reserved")
    return ",".join(states)


@table("Name, State, Age")
def RESOURCE_CLAIMS(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), claim_state(obj), age(obj, now)]


@table("Name, Node, Driver, Pool, Age")
def RESOURCE_SLICES(obj: Object, now: int) -> Sequence[Any]:
    spec = obj.get("spec") or {}
    node = spec.get("nodeName") or (NONE if not spec.get("allNodes") else "<all>")
    return [name_of(obj), node, spec.get("driver", ""), get_in(spec, "pool", "name", default=""), age(obj, now)]


@table("Name, Service, Available, Age")
def API_SERVICES(obj: Object, now: int) -> Sequence[Any]:
    service = get_in(obj, "spec", "service")
    shown = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    condition = condition_of(obj, "Available")
    status = "Unknown" if condition is None else str(condition.get("status"))
    if condition is not None and status != "True":
        status = f"{status} ({condition.get('reason', '')})"
    return [name_of(obj), shown, status, age(obj, now)]


@table(
    "Name, AttachRequired:bool, PodInfoOnMount:bool, StorageCapacity:bool, TokenRequests, RequiresRepublish:bool, "
    "Modes, Age"
)
def CSI_DRIVERS(obj: Object, now: int) -> Sequence[Any]:
    spec = obj.get("spec") or {}
    return [
        name_of(obj),
        _flag(spec.get("attachRequired", True)),
        _flag(spec.get("podInfoOnMount")),
        _flag(spec.get("storageCapacity")),
        joined([t.get("audience", "") for t in spec.get("tokenRequests") or ()], UNSET),
        _flag(spec.get("requiresRepublish")),
        joined(spec.get("volumeLifecycleModes") or (), NONE),
        age(obj, now),
    ]


@table("Name, Drivers:int, Age")
def CSI_NODES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), len(get_in(obj, "spec", "drivers", default=())), age(obj, now)]


@table("Name, DriverName, Age")
def VOLUME_ATTRIBUTES_CLASSES(obj: Object, now: int) -> Sequence[Any]:
    return [name_of(obj), obj.get("driverName", ""), age(obj, now)]
