"""Cluster machinery: classes, leases, budgets, RBAC, networking. Defaults and the fields that never change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.errors import FieldError, forbidden_field, invalid_value, required
from labsim.kube.objects import Object, get_in, name_of
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategies.workloads import immutable, not_negative
from labsim.kube.strategy import Request, Strategy

if TYPE_CHECKING:
    pass

HIGHEST_USER_PRIORITY = 1_000_000_000


class Generation(Strategy):
    """Kinds whose only behaviour is that metadata.generation counts changes."""

    has_generation = True


class PriorityClasses(Generation):
    def default(self, obj: Object) -> Object:
        return filled({"value": 0, **obj}, preemptionPolicy="PreemptLowerPriority")

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        name, value = name_of(obj), int(obj["value"])
        if name.startswith("system-") and name not in ("system-node-critical", "system-cluster-critical"):
            detail = (
                "priority class names with 'system-' prefix are reserved for system use only. "
                f"error: {name} is not a known system priority class"
            )
            return [forbidden_field("metadata.name", detail)]
        if value > HIGHEST_USER_PRIORITY and not name.startswith("system-"):
            detail = f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"
            return [forbidden_field("value", detail)]
        return []

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return [
            forbidden_field(key, "may not be changed in an update.")
            for key in ("value", "preemptionPolicy")
            if new.get(key) != old.get(key)
        ]


class StorageClasses(Strategy):
    def default(self, obj: Object) -> Object:
        return filled(obj, reclaimPolicy="Delete", volumeBindingMode="Immediate")

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return [] if obj.get("provisioner") else [required("provisioner")]

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        found = [
            forbidden_field(key, f"updates to {key} are forbidden.")
            for key in ("parameters", "provisioner", "reclaimPolicy")
            if new.get(key) != old.get(key)
        ]
        return found + immutable(new, old, "volumeBindingMode")


class RuntimeClasses(Strategy):
    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return [] if obj.get("handler") else [required("handler")]

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return immutable(new, old, "handler")


class DisruptionBudgets(Generation):
    def prepare_create(self, obj: Object, request: Request) -> Object:
        status = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
        return {**obj, "status": status}

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        spec = obj.get("spec") or {}
        found = not_negative(spec, "minAvailable", "maxUnavailable")
        if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
            found.append(invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        return found


class Bindings(Strategy):
    def default(self, obj: Object) -> Object:
        group = "rbac.authorization.k8s.io"
        if obj.get("roleRef") and not obj["roleRef"].get("apiGroup"):
            obj = {**obj, "roleRef": {**obj["roleRef"], "apiGroup": group}}
        if obj.get("subjects"):
            subjects = [filled(s, apiGroup=group) if s.get("kind") in ("User", "Group") else s for s in obj["subjects"]]
            obj = {**obj, "subjects": subjects}
        return obj

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        found = []
        if not get_in(obj, "roleRef", "name"):
            found.append(required("roleRef.name"))
        for index, subject in enumerate(obj.get("subjects") or ()):
            if not subject.get("name"):
                found.append(required(f"subjects[{index}].name"))
            if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
                found.append(required(f"subjects[{index}].namespace"))
        return found

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        if new.get("roleRef") != old.get("roleRef"):
            return [invalid_value("roleRef", new.get("roleRef"), "cannot change roleRef")]
        return []


class Ingresses(Generation):
    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"loadBalancer": {}}}


class NetworkPolicies(Generation):
    def default(self, obj: Object) -> Object:
        """Egress is among the policy types only where there are egress rules."""
        spec = {"podSelector": {}, **(obj.get("spec") or {})}
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        return {**obj, "spec": spec}


class Autoscalers(Strategy):
    def default(self, obj: Object) -> Object:
        spec = filled(obj.get("spec") or {}, minReplicas=1)
        if not spec.get("metrics"):
            target = {"type": "Utilization", "averageUtilization": 80}
            spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
        return {**obj, "spec": spec}


class Claims(Strategy):
    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {}}


_GENERATION = (
    "ingressclasses.networking.k8s.io",
    "endpointslices.discovery.k8s.io",
    "deviceclasses.resource.k8s.io",
    "resourceslices.resource.k8s.io",
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    "flowschemas.flowcontrol.apiserver.k8s.io",
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
)
STRATEGIES: dict[str, type[Strategy]] = {
    **dict.fromkeys(_GENERATION, Generation),
    "priorityclasses.scheduling.k8s.io": PriorityClasses,
    "storageclasses.storage.k8s.io": StorageClasses,
    "runtimeclasses.node.k8s.io": RuntimeClasses,
    "poddisruptionbudgets.policy": DisruptionBudgets,
    "rolebindings.rbac.authorization.k8s.io": Bindings,
    "clusterrolebindings.rbac.authorization.k8s.io": Bindings,
    "ingresses.networking.k8s.io": Ingresses,
    "networkpolicies.networking.k8s.io": NetworkPolicies,
    "horizontalpodautoscalers.autoscaling": Autoscalers,
    "resourceclaims.resource.k8s.io": Claims,
}
