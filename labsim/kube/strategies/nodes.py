"""Nodes and leases: their heartbeats only show that time passes, and are worked out when read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube import validation
from labsim.kube.errors import FieldError, duplicate, forbidden_field, invalid_value, required, unsupported
from labsim.kube.objects import Object, get_in, name_of, namespace_of, set_in
from labsim.kube.strategy import Request, Strategy, field_path
from labsim.sim.clock import MINUTE, SECOND, parse_time, rfc3339, rfc3339_micro

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

HEARTBEAT = 5 * MINUTE  # kubelet nodeStatusReportFrequency
NODE_RENEWAL = 10 * SECOND  # a quarter of the kubelet's 40 s lease
# Leases of the control plane, which always runs: kube-system/NAME -> renewal.
_CONTROL_PLANE = {"kube-scheduler": 2 * SECOND, "kube-controller-manager": 2 * SECOND}


def heartbeat(api: APIServer, node: str, every: int) -> int | None:
    """The last multiple of `every` ms since the node's kubelet started, or None while it does not run."""
    machine = api.store.get("machines.hardware.labsim", "", node)
    kubelet = get_in(machine, "status", "kubelet", default={})
    started = kubelet.get("startedAt")
    if not kubelet.get("running") or started is None:
        return None
    return int(started) + (api.now - int(started)) // every * every


def _condition_but_for_time(condition: Object) -> Object:
    return {k: v for k, v in condition.items() if k != "lastHeartbeatTime"}


class Nodes(Strategy):
    """A running kubelet posts its status at least every five minutes; that is worked out when a node is read."""

    fields = {"spec.unschedulable": field_path("spec", "unschedulable", default="false")}

    def default(self, obj: Object) -> Object:
        status = obj.get("status") or {}
        obj = {**obj, "spec": obj.get("spec") or {}}
        if status.get("capacity") and not status.get("allocatable"):
            obj = set_in(obj, ("status",), {**status, "allocatable": status["capacity"]})
        return obj

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return obj  # a kubelet registers its node with its status

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        """Heartbeats that were only rendered are not written back."""
        new = super().prepare_update(new, old, request)
        if heartbeat(request.api, name_of(old), HEARTBEAT) is None:
            return new
        before = {c["type"]: c for c in get_in(old, "status", "conditions", default=())}
        conditions = []
        for condition in get_in(new, "status", "conditions", default=()):
            was = before.get(condition.get("type"))
            same = was is not None and _condition_but_for_time(condition) == _condition_but_for_time(was)
            conditions.append(was if same else condition)
        return set_in(new, ("status", "conditions"), conditions) if conditions else new

    def render(self, obj: Object, api: APIServer) -> Object:
        conditions = get_in(obj, "status", "conditions")
        last = heartbeat(api, name_of(obj), HEARTBEAT) if conditions else None
        if last is None:
            return obj
        shown = [
            {**c, "lastHeartbeatTime": rfc3339(max(last, parse_time(c["lastHeartbeatTime"])))}
            if c.get("lastHeartbeatTime") and c.get("type") != "NetworkUnavailable"
            else c
            for c in conditions
        ]
        return set_in(obj, ("status", "conditions"), shown)

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        found: list[FieldError] = []
        seen: list[tuple[str, str]] = []
        for index, taint in enumerate(get_in(obj, "spec", "taints", default=())):
            path = f"metadata.taints[{index}]"
            key, value, effect = taint.get("key") or "", taint.get("value") or "", taint.get("effect") or ""
            found += [invalid_value(f"{path}.key", key, t) for t in validation.qualified_name(key)]
            found += [invalid_value(f"{path}.value", value, t) for t in validation.label_value(value)]
            if not effect:
                found.append(required(f"{path}.effect"))
            elif effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
                allowed = ("NoSchedule", "PreferNoSchedule", "NoExecute")
                found.append(unsupported(f"{path}.effect", effect, allowed))
            if (key, effect) in seen:
                error = duplicate(path, taint)
                found.append(
                    FieldError(error.field, error.kind, f"{error.text}: taints must be unique by key and effect pair")
                )
            seen.append((key, effect))
        return found

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        found = []
        for key, what in (("podCIDRs", "podCIDR"), ("providerID", "providerID")):
            before = get_in(old, "spec", key)
            if before and get_in(new, "spec", key) != before:
                detail = f'node updates may not change {what} except from "" to valid'
                found.append(forbidden_field(f"spec.{key}", detail))
        return found


class Leases(Strategy):
    creates_on_update = True

    def render(self, obj: Object, api: APIServer) -> Object:
        last = self._renewed(obj, api)
        stored = get_in(obj, "spec", "renewTime")
        if last is None or (stored and parse_time(stored) >= last):
            return obj
        return set_in(obj, ("spec", "renewTime"), rfc3339_micro(last))

    @staticmethod
    def _renewed(obj: Object, api: APIServer) -> int | None:
        name, namespace = name_of(obj), namespace_of(obj)
        if namespace == "kube-node-lease":
            return heartbeat(api, name, NODE_RENEWAL)
        if namespace == "kube-system" and name in _CONTROL_PLANE:
            began = parse_time(obj["metadata"]["creationTimestamp"])
            return began + (api.now - began) // _CONTROL_PLANE[name] * _CONTROL_PLANE[name]
        return None

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        """A renewal that was only rendered is not written back."""
        shown = get_in(self.render(old, request.api), "spec", "renewTime")
        if shown and get_in(new, "spec", "renewTime") == shown:
            return set_in(new, ("spec", "renewTime"), get_in(old, "spec", "renewTime"))
        return new


STRATEGIES: dict[str, type[Strategy]] = {"nodes": Nodes, "leases.coordination.k8s.io": Leases}
