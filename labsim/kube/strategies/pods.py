"""Pods: lifecycle of writes. Defaults, validation and cells stand in the modules beside this one."""

from __future__ import annotations

from labsim.kube.errors import FieldError
from labsim.kube.objects import Object, get_in
from labsim.kube.strategies.poddefaults import default_pod_spec, qos_class
from labsim.kube.strategies.podupdates import validate_pod_update
from labsim.kube.strategies.podvalidation import validate_pod_spec
from labsim.kube.strategy import Request, Strategy, field_path


class Pods(Strategy):
    has_generation = True
    fields = {
        "spec.nodeName": field_path("spec", "nodeName"),
        "spec.restartPolicy": field_path("spec", "restartPolicy"),
        "spec.schedulerName": field_path("spec", "schedulerName"),
        "spec.serviceAccountName": field_path("spec", "serviceAccountName"),
        "spec.hostNetwork": field_path("spec", "hostNetwork", default="false"),
        "status.phase": field_path("status", "phase"),
        "status.podIP": field_path("status", "podIP"),
        "status.nominatedNodeName": field_path("status", "nominatedNodeName"),
    }
    indexes = {"spec.nodeName": lambda pod: [n] if (n := get_in(pod, "spec", "nodeName", default="")) else []}

    def default(self, obj: Object) -> Object:
        spec = default_pod_spec(obj.get("spec") or {})
        if spec.get("enableServiceLinks") is None:
            spec = {**spec, "enableServiceLinks": True}
        return {**obj, "spec": spec}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"phase": "Pending", "qosClass": qos_class(obj)}}

    def delete_grace(self, obj: Object, seconds: int | None) -> int:
        """At once for pods that never reached a node or have ended; a negative period counts as one second."""
        grace = (
            seconds if seconds is not None else int(get_in(obj, "spec", "terminationGracePeriodSeconds", default=30))
        )
        if not get_in(obj, "spec", "nodeName") or get_in(obj, "status", "phase") in ("Succeeded", "Failed"):
            return 0
        return 1 if grace < 0 else grace

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return [] if request.updating else validate_pod_spec(obj["spec"])

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return [] if request.subresource else validate_pod_update(new, old)

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        """pods/ephemeralcontainers and pods/resize change their own part of the spec only."""
        new = super().prepare_update(new, old, request)
        if request.subresource == "ephemeralcontainers":
            more = get_in(new, "spec", "ephemeralContainers", default=[])
            return {**old, "spec": {**old["spec"], "ephemeralContainers": more}}
        return new
