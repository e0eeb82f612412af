"""LimitRanger: defaults and bounds for containers, pods and claims (plugin/pkg/admission/limitranger)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.admission.base import Plugin, refused
from labsim.kube.objects import Object, get_in, merge_in, namespace_of
from labsim.kube.podresources import pod_amounts
from labsim.kube.quantity import canonical, milli, of_milli
from labsim.kube.strategy import Request, Strategy

_ANNOTATION = "kubernetes.io/limit-ranger"
Amounts = Mapping[str, Any]


class LimitRanger(Plugin):
    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object:
        if old is not None or strategy.resource.key != "pods":
            return new
        for limit_range in request.api.store.list("limitranges", namespace_of(new)):
            new = _fill(new, limit_range)
        return new

    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None:
        if new is None or old is not None or strategy.resource.key not in ("pods", "persistentvolumeclaims"):
            return
        found: list[str] = []
        for limit_range in request.api.store.list("limitranges", namespace_of(new)):
            for item in get_in(limit_range, "spec", "limits", default=()):
                found += _violations(new, item, strategy.resource.key)
        if found:
            raise refused(strategy, new, found[0] if len(found) == 1 else f"[{', '.join(found)}]")


def _fill(pod: Object, limit_range: Object) -> Object:
    """Give containers the default requests and limits they lack, and say so in an annotation."""
    requests: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    for item in get_in(limit_range, "spec", "limits", default=()):
        if item.get("type") == "Container":
            requests.update(item.get("defaultRequest") or {})
            limits.update(item.get("default") or {})
    said: list[str] = []
    spec = pod["spec"]
    for group, what in (("containers", "container"), ("initContainers", "init container")):
        changed = []
        for container in spec.get(group) or ():
            resources = dict(container.get("resources") or {})
            for key, defaults in (("requests", requests), ("limits", limits)):
                missing = {k: v for k, v in defaults.items() if k not in (resources.get(key) or {})}
                if missing:
                    resources[key] = {**(resources.get(key) or {}), **missing}
                    said.append(f"{', '.join(sorted(missing))} {key[:-1]} for {what} {container['name']}")
            changed.append({**container, "resources": resources})
        if changed:
            spec = {**spec, group: changed}
    if not said:
        return pod
    pod = {**pod, "spec": spec}
    from labsim.kube.strategies.poddefaults import qos_class

    pod = merge_in(pod, ("status",), {"qosClass": qos_class(pod)})
    return merge_in(pod, ("metadata", "annotations"), {_ANNOTATION: "LimitRanger plugin set: " + "; ".join(said)})


def _violations(obj: Object, item: Object, key: str) -> list[str]:
    kind = item.get("type")
    if key == "persistentvolumeclaims":
        if kind != "PersistentVolumeClaim":
            return []
        requests = get_in(obj, "spec", "resources", "requests", default={})
        limits = {k: requests[k] for k in requests if k in (item.get("max") or {})}
        return _bounds(item, kind, requests, limits)
    spec = obj["spec"]
    if kind == "Container":
        found = []
        for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
            resources = container.get("resources") or {}
            found += _bounds(item, kind, resources.get("requests") or {}, resources.get("limits") or {})
        return found
    if kind == "Pod":

        def totals(which: str) -> Amounts:
            return {
                name: str(of_milli(total, "BinarySI" if name == "memory" else "DecimalSI"))
                for name, total in pod_amounts(obj, which).items()
            }

        return _bounds(item, kind, totals("requests"), totals("limits"))
    return []


def _bounds(item: Object, kind: str, requests: Amounts, limits: Amounts) -> list[str]:
    found = []
    for name, bound in sorted((item.get("min") or {}).items()):
        text = f"minimum {name} usage per {kind} is {canonical(str(bound))}"
        if name not in requests:
            found.append(f"{text}.  No request is specified")
        elif milli(str(requests[name])) < milli(str(bound)):
            found.append(f"{text}, but request is {requests[name]}")
        elif name in limits and milli(str(limits[name])) < milli(str(bound)):
            found.append(f"{text}, but limit is {limits[name]}")
    for name, bound in sorted((item.get("max") or {}).items()):
        text = f"maximum {name} usage per {kind} is {canonical(str(bound))}"
        if name not in limits:
            found.append(f"{text}.  No limit is specified")
        elif milli(str(limits[name])) > milli(str(bound)):
            found.append(f"{text}, but limit is {limits[name]}")
        elif name in requests and milli(str(requests[name])) > milli(str(bound)):
            found.append(f"{text}, but request is {requests[name]}")
    for name, bound in sorted((item.get("maxLimitRequestRatio") or {}).items()):
        text = f"{name} max limit to request ratio per {kind} is {canonical(str(bound))}, but"
        request, limit = milli(str(requests.get(name, "0"))), milli(str(limits.get(name, "0")))
        if not request or not limit:
            missing = (
                "no request is specified or request is 0" if not request else "no limit is specified or limit is 0"
            )
            found.append(f"{text} {missing}")
        elif limit * 1000 > request * milli(str(bound)):
            found.append(f"{text} provided ratio is {limit / request:f}")
    return found
