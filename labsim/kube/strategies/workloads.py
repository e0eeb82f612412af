"""Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs, CronJobs, ReplicationControllers: defaults and lifecycle.

Source: kubernetes pkg/apis/{apps,batch}/v1/defaults.go and pkg/registry/{apps,batch} of 1.35.
"""

from __future__ import annotations

from labsim.kube.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from labsim.kube.matching import selector_matches
from labsim.kube.metadata import validate_labels
from labsim.kube.objects import Object, get_in, merge_in, name_of, set_in
from labsim.kube.strategies.poddefaults import default_pod_spec, filled
from labsim.kube.strategies.podvalidation import NOT_NEGATIVE, validate_pod_spec
from labsim.kube.strategy import Request, Strategy, field_path


def default_template(obj: Object, *path: str) -> Object:
    """Defaults of the pod template under `path`."""
    template = get_in(obj, *path, default={})
    template = {
        **template,
        "metadata": template.get("metadata") or {},
        "spec": default_pod_spec(template.get("spec") or {}),
    }
    return set_in(obj, path, template)


def not_negative(spec: Object, *keys: str, path: str = "spec") -> list[FieldError]:
    return [
        invalid_value(f"{path}.{key}", spec[key], NOT_NEGATIVE)
        for key in keys
        if isinstance(spec.get(key), int) and spec[key] < 0
    ]


def immutable(new: Object, old: Object, *path: str) -> list[FieldError]:
    value = get_in(new, *path)
    if value == get_in(old, *path):
        return []
    return [invalid_value(".".join(path), value, "field is immutable")]


def validate_workload(spec: Object, called: str, policies: tuple[str, ...]) -> list[FieldError]:
    """What Deployments, ReplicaSets, DaemonSets and StatefulSets have in common."""
    found = not_negative(spec, "replicas", "minReadySeconds", "revisionHistoryLimit")
    selector = spec.get("selector")
    labels = get_in(spec, "template", "metadata", "labels", default={})
    if selector is None:
        found.append(required("spec.selector"))
    elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
        found.append(invalid_value("spec.selector", selector, f"empty selector is invalid for {called}"))
    elif not selector_matches(selector, labels):
        found.append(
            invalid_value("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
        )
    found += validate_labels(labels, "spec.template.labels")
    return found + validate_template(spec, policies, "spec.template.spec")


def validate_template(spec: Object, policies: tuple[str, ...], path: str) -> list[FieldError]:
    pod = get_in(spec, "template", "spec", default={})
    found = validate_pod_spec(pod, path)
    policy = pod.get("restartPolicy")
    if policy not in policies and policy in ("Always", "OnFailure", "Never"):
        found.append(unsupported(f"{path}.restartPolicy", policy, policies))
    return found


def validate_job_spec(spec: Object, path: str) -> list[FieldError]:
    keys = ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished")
    found = not_negative(spec, *keys, path=path)
    mode = spec.get("completionMode")
    if mode not in (None, "NonIndexed", "Indexed"):
        found.append(unsupported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed")))
    if mode == "Indexed" and spec.get("completions") is None:
        found.append(required(f"{path}.completions", "when completion mode is Indexed"))
    return found + validate_template(spec, ("OnFailure", "Never"), f"{path}.template.spec")


class Workload(Strategy):
    has_generation = True

    def default(self, obj: Object) -> Object:
        obj = {**obj, "spec": self.default_spec(obj.get("spec") or {}, obj)}
        return default_template(obj, "spec", "template")

    def default_spec(self, spec: Object, obj: Object) -> Object:
        return spec

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": self.first_status(obj)}

    def first_status(self, obj: Object) -> Object:
        return {}

    # How errors about an empty selector name the kind.
    called = ""
    restart_policies: tuple[str, ...] = ("Always",)

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        if request.updating and request.trusted:
            return []
        return validate_workload(obj["spec"], self.called, self.restart_policies)

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return [] if request.subresource else immutable(new, old, "spec", "selector")


class Deployments(Workload):
    called = "deployment"

    def default_spec(self, spec: Object, obj: Object) -> Object:
        spec = filled(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600, strategy={})
        strategy = filled(spec["strategy"], type="RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = filled(strategy.get("rollingUpdate") or {}, maxUnavailable="25%", maxSurge="25%")
            strategy = {**strategy, "rollingUpdate": rolling}
        return {**spec, "strategy": strategy}


class ReplicaSets(Workload):
    called = "deployment"  # upstream's text says so for ReplicaSets too
    fields = {"status.replicas": field_path("status", "replicas", default="0")}

    def default_spec(self, spec: Object, obj: Object) -> Object:
        return filled(spec, replicas=1)

    def first_status(self, obj: Object) -> Object:
        return {"replicas": 0}


class DaemonSets(Workload):
    called = "daemonset"

    def default_spec(self, spec: Object, obj: Object) -> Object:
        spec = filled(spec, revisionHistoryLimit=10, updateStrategy={})
        strategy = filled(spec["updateStrategy"], type="RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = filled(strategy.get("rollingUpdate") or {}, maxUnavailable=1, maxSurge=0)
            strategy = {**strategy, "rollingUpdate": rolling}
        return {**spec, "updateStrategy": strategy}

    def default(self, obj: Object) -> Object:
        generation = {"deprecated.daemonset.template.generation": "1"}
        if "deprecated.daemonset.template.generation" not in get_in(obj, "metadata", "annotations", default={}):
            obj = merge_in(obj, ("metadata", "annotations"), generation)
        return super().default(obj)

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        new = super().prepare_update(new, old, request)
        key = "deprecated.daemonset.template.generation"
        count = int(get_in(old, "metadata", "annotations", key, default="1"))
        if request.subresource != "status" and new["spec"]["template"] != old["spec"]["template"]:
            count += 1
        return merge_in(new, ("metadata", "annotations"), {key: str(count)})

    def first_status(self, obj: Object) -> Object:
        return {"currentNumberScheduled": 0, "numberMisscheduled": 0, "desiredNumberScheduled": 0, "numberReady": 0}


class StatefulSets(Workload):
    called = "statefulset"

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        if request.subresource:
            return []
        free = (
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds",
        )
        fixed = [{k: v for k, v in o["spec"].items() if k not in free} for o in (new, old)]
        if fixed[0] == fixed[1]:
            return []
        detail = (
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
            "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
        )
        return [forbidden_field("spec", detail)]

    def default_spec(self, spec: Object, obj: Object) -> Object:
        spec = filled(spec, podManagementPolicy="OrderedReady", replicas=1, revisionHistoryLimit=10, updateStrategy={})
        strategy = filled(spec["updateStrategy"], type="RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            strategy = {**strategy, "rollingUpdate": filled(strategy.get("rollingUpdate") or {}, partition=0)}
        retention = filled(
            spec.get("persistentVolumeClaimRetentionPolicy") or {}, whenDeleted="Retain", whenScaled="Retain"
        )
        spec = {**spec, "updateStrategy": strategy, "persistentVolumeClaimRetentionPolicy": retention}
        if spec.get("volumeClaimTemplates"):
            claims = [
                {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    **claim,
                    "spec": filled(claim.get("spec") or {}, volumeMode="Filesystem"),
                    "status": filled(claim.get("status") or {}, phase="Pending"),
                }
                for claim in spec["volumeClaimTemplates"]
            ]
            spec = {**spec, "volumeClaimTemplates": claims}
        return spec

    def first_status(self, obj: Object) -> Object:
        return {"replicas": 0, "availableReplicas": 0}


class ReplicationControllers(Workload):
    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return not_negative(obj["spec"], "replicas")

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return []

    def default(self, obj: Object) -> Object:
        obj = super().default(obj)
        labels = get_in(obj, "spec", "template", "metadata", "labels", default={})
        if labels and not get_in(obj, "spec", "selector"):
            obj = set_in(obj, ("spec", "selector"), labels)
        return obj

    def default_spec(self, spec: Object, obj: Object) -> Object:
        return filled(spec, replicas=1)

    def first_status(self, obj: Object) -> Object:
        return {"replicas": 0}


def default_job_spec(spec: Object) -> Object:
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec = {**spec, "completions": 1, "parallelism": 1}
    spec = filled(
        spec,
        parallelism=1,
        completionMode="NonIndexed",
        suspend=False,
        podReplacementPolicy="Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed",
        manualSelector=False,
    )
    if spec.get("backoffLimitPerIndex") is not None:
        spec = filled(spec, backoffLimit=2147483647)
    spec = filled(spec, backoffLimit=6)
    return default_template({"spec": spec}, "spec", "template")["spec"]  # type: ignore[no-any-return]


class Jobs(Workload):
    fields = {"status.successful": field_path("status", "succeeded", default="0")}
    restart_policies = ("OnFailure", "Never")

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        if request.updating and request.trusted:
            return []
        return validate_job_spec(obj["spec"], "spec")

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        """A suspended Job that has not started may still change where its pods go."""
        if request.subresource:
            return []
        found = immutable(new, old, "spec", "selector") + immutable(new, old, "spec", "completionMode")
        if new["spec"].get("completionMode") != "Indexed":
            found += immutable(new, old, "spec", "completions")
        template = new["spec"]["template"]
        if old["spec"].get("suspend") and not get_in(old, "status", "startTime"):
            loose = ("nodeSelector", "affinity", "tolerations", "schedulingGates")
            kept = {k: v for k, v in template["spec"].items() if k not in loose}
            kept.update({k: v for k, v in old["spec"]["template"]["spec"].items() if k in loose})
            template = {**template, "metadata": old["spec"]["template"]["metadata"], "spec": kept}
        if template != old["spec"]["template"]:
            found.append(invalid_value("spec.template", new["spec"]["template"], "field is immutable"))
        return found

    def default(self, obj: Object) -> Object:
        return {**obj, "spec": default_job_spec(obj.get("spec") or {})}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        """Selector and pod labels from the Job's uid, unless the user chose them (manualSelector)."""
        obj = super().prepare_create(obj, request)
        if get_in(obj, "spec", "manualSelector"):
            return obj
        uid, name = obj["metadata"]["uid"], obj["metadata"].get("name", "")
        labels = {
            "batch.kubernetes.io/controller-uid": uid,
            "batch.kubernetes.io/job-name": name,
            "controller-uid": uid,
            "job-name": name,
        }
        obj = merge_in(obj, ("spec", "template", "metadata", "labels"), labels)
        selector = get_in(obj, "spec", "selector", default={})
        match = {**selector.get("matchLabels", {}), "batch.kubernetes.io/controller-uid": uid}
        return set_in(obj, ("spec", "selector"), {**selector, "matchLabels": match})


class CronJobs(Workload):
    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        spec = obj["spec"]
        found = validate_job_spec(get_in(spec, "jobTemplate", "spec", default={}), "spec.jobTemplate.spec")
        schedule = str(spec.get("schedule") or "")
        if not schedule:
            found.append(required("spec.schedule"))
        elif not schedule.startswith("@") and len(schedule.split()) != 5:
            parts = schedule.split()
            detail = f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]"
            found.append(invalid_value("spec.schedule", schedule, detail))
        if spec.get("concurrencyPolicy") not in ("Allow", "Forbid", "Replace"):
            found.append(
                unsupported("spec.concurrencyPolicy", spec["concurrencyPolicy"], ("Allow", "Forbid", "Replace"))
            )
        if len(name_of(obj)) > 52:
            found.append(invalid_value("metadata.name", name_of(obj), "must be no more than 52 characters"))
        return found

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return []

    def default(self, obj: Object) -> Object:
        spec = filled(
            obj.get("spec") or {},
            concurrencyPolicy="Allow",
            suspend=False,
            successfulJobsHistoryLimit=3,
            failedJobsHistoryLimit=1,
        )
        template = spec.get("jobTemplate") or {}
        template = {**template, "metadata": template.get("metadata") or {}}
        template["spec"] = default_job_spec(template.get("spec") or {})
        return {**obj, "spec": {**spec, "jobTemplate": template}}


STRATEGIES: dict[str, type[Strategy]] = {
    "deployments.apps": Deployments,
    "replicasets.apps": ReplicaSets,
    "daemonsets.apps": DaemonSets,
    "statefulsets.apps": StatefulSets,
    "replicationcontrollers": ReplicationControllers,
    "jobs.batch": Jobs,
    "cronjobs.batch": CronJobs,
}
