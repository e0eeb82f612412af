"""Deployments, ReplicaSets, DaemonSets, StatefulSets, Jobs, CronJobs, ReplicationControllers: defaults and lifecycle.

Source: kubernetes pkg/apis/{apps,batch}/v1/defaults.go and pkg/registry/{apps,batch} of 1.35.
"""

from __future__ import annotations

from labsim.kube.objects import Object, get_in, merge_in, set_in
from labsim.kube.strategies.poddefaults import default_pod_spec, filled
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


class Deployments(Workload):
    def default_spec(self, spec: Object, obj: Object) -> Object:
        spec = filled(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600, strategy={})
        strategy = filled(spec["strategy"], type="RollingUpdate")
        if strategy["type"] == "RollingUpdate":
            rolling = filled(strategy.get("rollingUpdate") or {}, maxUnavailable="25%", maxSurge="25%")
            strategy = {**strategy, "rollingUpdate": rolling}
        return {**spec, "strategy": strategy}


class ReplicaSets(Workload):
    fields = {"status.replicas": field_path("status", "replicas", default="0")}

    def default_spec(self, spec: Object, obj: Object) -> Object:
        return filled(spec, replicas=1)

    def first_status(self, obj: Object) -> Object:
        return {"replicas": 0}


class DaemonSets(Workload):
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
