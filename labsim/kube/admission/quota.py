"""ResourceQuota: refuses what would exceed a quota and charges it at once (apiserver plugin/resourcequota)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.admission.base import Plugin, refused
from labsim.kube.objects import Object, get_in, merge_in, name_of, namespace_of
from labsim.kube.podresources import pod_amounts
from labsim.kube.quantity import add, canonical, compare, milli, of_milli
from labsim.kube.strategy import Request, Strategy

# Objects with a name of their own in quotas; every resource also counts as count/PLURAL[.GROUP].
_COUNTED = frozenset(
    {
        "configmaps",
        "persistentvolumeclaims",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
    }
)
# Every container must name these when a quota bounds them.
_DEMANDED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")
_ACTOR = "system:apiserver"
Usage = dict[str, str]


class ResourceQuota(Plugin):
    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None:
        if new is None or old is not None or not strategy.resource.namespaced or strategy.resource.hidden:
            return
        store = request.api.store
        quotas = store.list("resourcequotas", namespace_of(new))
        if not quotas or store.get(strategy.resource.key, namespace_of(new), name_of(new)) is not None:
            return
        usage = usage_of(new, strategy.resource.key)
        charges = []
        for quota in quotas:
            if strategy.resource.key == "pods" and not in_scope(quota, new):
                continue
            hard = get_in(quota, "status", "hard", default={})
            wanted = get_in(quota, "spec", "hard", default={})
            if strategy.resource.key == "pods":
                _demand(strategy, quota, new, wanted)
            delta = {name: usage[name] for name in sorted(wanted) if name in usage}
            if not delta:
                continue
            unknown = [name for name in delta if name not in hard]
            if unknown:
                detail = f"status unknown for quota: {name_of(quota)}, resources: {','.join(unknown)}"
                raise refused(strategy, new, detail)
            used = get_in(quota, "status", "used", default={})
            after = {name: str(add(used.get(name, "0"), value)) for name, value in delta.items()}
            over = [n for n in delta if milli(delta[n]) > 0 and compare(after[n], str(hard[n])) > 0]
            if over:
                raise refused(
                    strategy,
                    new,
                    f"exceeded quota: {name_of(quota)}, requested: {_listed(over, delta)}, "
                    f"used: {_listed(over, used)}, limited: {_listed(over, hard)}",
                )
            charges.append((quota, after))
        if not request.dry_run:
            for quota, after in charges:
                charged = merge_in(quota, ("status", "used"), after)
                if charged != quota:
                    store.put(_ACTOR, "resourcequotas", namespace_of(quota), name_of(quota), charged)


def _listed(names: list[str], amounts: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={canonical(str(amounts.get(name, '0')))}" for name in names)


def _demand(strategy: Strategy, quota: Object, pod: Object, hard: Mapping[str, Any]) -> None:
    """Refuse a pod with containers that leave open what the quota bounds."""
    if get_in(pod, "spec", "resources"):
        return
    missing: dict[str, list[str]] = {}
    spec = pod["spec"]
    for name in sorted(n for n in hard if n in _DEMANDED):
        kind, _, resource = name.rpartition(".")
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            if resource not in (get_in(container, "resources", kind or "requests", default={})):
                missing.setdefault(name, []).append(container["name"])
    if missing:
        text = "; ".join(f"{name} for: {','.join(sorted(set(found)))}" for name, found in missing.items())
        raise refused(strategy, pod, f"failed quota: {name_of(quota)}: must specify {text}")


def usage_of(obj: Object, key: str) -> Usage:
    """What one object counts for, by the names that quotas use."""
    usage: Usage = {f"count/{key}": "1"}
    if key in _COUNTED:
        usage[key] = "1"
    if key == "pods":
        usage["pods"] = "1"
        for kind, prefixes in (("requests", ("requests.", "")), ("limits", ("limits.",))):
            for name, total in pod_amounts(obj, kind).items():
                text = str(of_milli(total, "BinarySI" if name in ("memory", "ephemeral-storage") else "DecimalSI"))
                for prefix in prefixes:
                    if prefix or name in ("cpu", "memory", "ephemeral-storage") or name.startswith("hugepages-"):
                        usage[prefix + name] = text
    elif key == "services":
        kind = get_in(obj, "spec", "type")
        ports = [p for p in get_in(obj, "spec", "ports", default=()) if p.get("nodePort")]
        usage["services.nodeports"] = str(len(ports))
        usage["services.loadbalancers"] = "1" if kind == "LoadBalancer" else "0"
    elif key == "persistentvolumeclaims":
        storage = str(get_in(obj, "spec", "resources", "requests", "storage", default="0"))
        usage["requests.storage"] = storage
        name = get_in(obj, "spec", "storageClassName")
        if name:
            usage[f"{name}.storageclass.storage.k8s.io/requests.storage"] = storage
            usage[f"{name}.storageclass.storage.k8s.io/persistentvolumeclaims"] = "1"
    return usage


def in_scope(quota: Object, pod: Object) -> bool:
    """Whether spec.scopes and spec.scopeSelector let a quota speak of this pod."""
    from labsim.kube.strategies.poddefaults import qos_class

    best_effort = qos_class(pod) == "BestEffort"
    terminating = get_in(pod, "spec", "activeDeadlineSeconds") is not None
    affinity = get_in(pod, "spec", "affinity", default={})
    cross = any(
        term.get("namespaces") or term.get("namespaceSelector") is not None
        for kind in ("podAffinity", "podAntiAffinity")
        for terms in (affinity.get(kind) or {}).values()
        for term in [t.get("podAffinityTerm", t) for t in terms]
    )
    facts = {
        "Terminating": terminating,
        "NotTerminating": not terminating,
        "BestEffort": best_effort,
        "NotBestEffort": not best_effort,
        "CrossNamespacePodAffinity": cross,
    }
    if not all(facts.get(scope, True) for scope in get_in(quota, "spec", "scopes", default=())):
        return False
    value = str(get_in(pod, "spec", "priorityClassName", default=""))
    for row in get_in(quota, "spec", "scopeSelector", "matchExpressions", default=()):
        if row["scopeName"] != "PriorityClass":
            if not facts.get(row["scopeName"], True):
                return False
            continue
        values = row.get("values") or ()
        fits = {
            "In": value in values,
            "NotIn": value not in values,
            "Exists": bool(value),
            "DoesNotExist": not value,
        }
        if not fits.get(row.get("operator", "Exists"), False):
            return False
    return True
