"""describe for deployments, replica sets, daemon sets, stateful sets, jobs and cron jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.describers.base import (
    capital,
    controlled_by,
    labels_text,
    phases,
    pods_with_uid,
    selector_text,
    stamp,
    yes,
)
from labsim.commands.kubectl.describers.pod import write_template
from labsim.kube.objects import Object, annotations_of, get_in, labels_of, name_of
from labsim.sim.clock import parse_time

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def describe_deployment(page: Page, obj: Object, events: bool) -> None:
    from labsim.commands.kubectl.describers.replicasets import new_and_old

    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    page.field("CreationTimestamp", stamp(get_in(obj, "metadata", "creationTimestamp")))
    page.labels_and_annotations(obj)
    page.field("Selector", selector_text(spec.get("selector")))
    page.field(
        "Replicas",
        f"{spec.get('replicas', 0)} desired | {status.get('updatedReplicas', 0)} updated | "
        f"{status.get('replicas', 0)} total | {status.get('availableReplicas', 0)} available | "
        f"{status.get('unavailableReplicas', 0)} unavailable",
    )
    strategy = spec.get("strategy") or {}
    page.field("StrategyType", strategy.get("type", ""))
    page.field("MinReadySeconds", spec.get("minReadySeconds", 0))
    if strategy.get("rollingUpdate"):
        rolling = strategy["rollingUpdate"]
        page.field(
            "RollingUpdateStrategy",
            f"{rolling.get('maxUnavailable', 0)} max unavailable, {rolling.get('maxSurge', 0)} max surge",
        )
    write_template(page, spec.get("template") or {})
    if status.get("conditions"):
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus\tReason")
        page.line(1, "----\t------\t------")
        for c in status["conditions"]:
            page.line(1, f"{c.get('type', '')} \t{c.get('status', '')}\t{c.get('reason', '')}")
    new, old = new_and_old(page.client, obj)
    if new is not None or old:
        page.field("OldReplicaSets", _replica_sets(old))
        page.field("NewReplicaSet", _replica_sets([new] if new else []))
    if events:
        page.events(obj)


def _replica_sets(found: list[Object]) -> str:
    return (
        ", ".join(
            f"{name_of(rs)} ({get_in(rs, 'status', 'replicas', default=0)}/{get_in(rs, 'spec', 'replicas', default=0)} "
            "replicas created)"
            for rs in found
        )
        or "<none>"
    )


def describe_replica_set(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    page.field("Selector", selector_text(spec.get("selector")))
    page.labels_and_annotations(obj)
    if controlled_by(obj):
        page.field("Controlled By", controlled_by(obj))
    page.field("Replicas", f"{status.get('replicas', 0)} current / {spec.get('replicas', 0)} desired")
    page.field("Pods Status", phases(pods_with_uid(page.client, obj)))
    write_template(page, spec.get("template") or {})
    if status.get("conditions"):
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus\tReason")
        page.line(1, "----\t------\t------")
        for c in status["conditions"]:
            page.line(1, f"{c.get('type', '')} \t{c.get('status', '')}\t{c.get('reason', '')}")
    if events:
        page.events(obj)


def describe_daemon_set(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    page.field("Selector", selector_text(spec.get("selector")))
    page.field("Node-Selector", labels_text(get_in(spec, "template", "spec", "nodeSelector")))
    page.labels_and_annotations(obj)
    for label, key in (
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ):
        page.line(0, f"{label}: {status.get(key, 0)}")
    page.field("Pods Status", phases(pods_with_uid(page.client, obj)))
    write_template(page, spec.get("template") or {})
    if events:
        page.events(obj)


def describe_stateful_set(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    page.field("CreationTimestamp", stamp(get_in(obj, "metadata", "creationTimestamp")))
    page.field("Selector", selector_text(spec.get("selector")))
    page.labels_and_annotations(obj)
    page.field("Replicas", f"{spec.get('replicas', 0)} desired | {status.get('replicas', 0)} total")
    strategy = spec.get("updateStrategy") or {}
    page.field("Update Strategy", strategy.get("type", ""))
    rolling = strategy.get("rollingUpdate")
    if rolling is not None and rolling.get("partition") is not None:
        page.line(1, f"Partition:\t{rolling['partition']}")
        if rolling.get("maxUnavailable") is not None:
            page.line(1, f"MaxUnavailable:\t{rolling['maxUnavailable']}")
    page.field("Pods Status", phases(pods_with_uid(page.client, obj)))
    write_template(page, spec.get("template") or {})
    _claims(page, spec.get("volumeClaimTemplates") or ())
    if events:
        page.events(obj)


def _claims(page: Page, claims: list[Object] | tuple[()]) -> None:
    if not claims:
        page.line(0, "Volume Claims:\t<none>")
        return
    page.line(0, "Volume Claims:")
    for claim in claims:
        page.line(1, f"Name:\t{name_of(claim)}")
        page.line(1, f"StorageClass:\t{get_in(claim, 'spec', 'storageClassName', default='')}")
        for title, found in (("Labels", labels_of(claim)), ("Annotations", annotations_of(claim))):
            page.labels(title, found, "  ")
        capacity = get_in(claim, "spec", "resources", "requests", "storage")
        page.line(1, f"Capacity:\t{capacity if capacity is not None else '<default>'}")
        modes = " ".join(get_in(claim, "spec", "accessModes", default=()))
        page.line(1, f"Access Modes:\t[{modes}]")


def describe_job(page: Page, obj: Object, events: bool) -> None:
    from labsim.kube.duration import human_duration

    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    if spec.get("selector") is not None:
        page.field("Selector", selector_text(spec["selector"]))
    page.labels_and_annotations(obj)
    if controlled_by(obj):
        page.field("Controlled By", controlled_by(obj))
    if spec.get("parallelism") is not None:
        page.field("Parallelism", spec["parallelism"])
    page.field("Completions", spec["completions"] if spec.get("completions") is not None else "<unset>")
    if spec.get("completionMode") is not None:
        page.field("Completion Mode", spec["completionMode"])
    if spec.get("suspend") is not None:
        page.field("Suspend", yes(spec["suspend"]))
    if spec.get("backoffLimit") is not None:
        page.field("Backoff Limit", spec["backoffLimit"])
    if spec.get("ttlSecondsAfterFinished") is not None:
        page.field("TTL Seconds After Finished", spec["ttlSecondsAfterFinished"])
    if status.get("startTime"):
        page.field("Start Time", stamp(status["startTime"]))
    if status.get("completionTime"):
        page.field("Completed At", stamp(status["completionTime"]))
    if status.get("startTime") and status.get("completionTime"):
        took = (parse_time(status["completionTime"]) - parse_time(status["startTime"])) // 1000
        page.field("Duration", human_duration(took))
    if spec.get("activeDeadlineSeconds") is not None:
        page.field("Active Deadline Seconds", f"{spec['activeDeadlineSeconds']}s")
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    page.field(
        "Pods Statuses",
        f"{status.get('active', 0)} Active{ready} / {status.get('succeeded', 0)} Succeeded / "
        f"{status.get('failed', 0)} Failed",
    )
    if spec.get("completionMode") == "Indexed":
        page.field("Completed Indexes", status.get("completedIndexes") or "<none>")
    write_template(page, spec.get("template") or {})
    if events:
        page.events(obj)


def describe_cron_job(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.head(obj)
    page.labels_and_annotations(obj)
    page.field("Schedule", spec.get("schedule", ""))
    page.field("Concurrency Policy", spec.get("concurrencyPolicy", ""))
    page.field("Suspend", capital(spec.get("suspend")) if spec.get("suspend") is not None else "False")
    for label, key in (
        ("Successful Job History Limit", "successfulJobsHistoryLimit"),
        ("Failed Job History Limit", "failedJobsHistoryLimit"),
    ):
        page.field(label, spec[key] if spec.get(key) is not None else "<unset>")
    deadline = spec.get("startingDeadlineSeconds")
    page.field("Starting Deadline Seconds", f"{deadline}s" if deadline is not None else "<unset>")
    job = get_in(spec, "jobTemplate", "spec", default={})
    page.field("Selector", selector_text(job["selector"]) if job.get("selector") is not None else "<unset>")
    for label, key in (("Parallelism", "parallelism"), ("Completions", "completions")):
        page.field(label, job[key] if job.get(key) is not None else "<unset>")
    if job.get("activeDeadlineSeconds") is not None:
        page.field("Active Deadline Seconds", f"{job['activeDeadlineSeconds']}s")
    write_template(page, job.get("template") or {})
    page.field("Last Schedule Time", stamp(status["lastScheduleTime"]) if status.get("lastScheduleTime") else "<unset>")
    active = status.get("active") or ()
    page.field("Active Jobs", ", ".join(str(ref.get("name", "")) for ref in active) or "<none>")
    if events:
        page.events(obj)
