"""The cells of workloads: apps, batch, autoscaling, disruption budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.kube.duration import human_duration
from labsim.kube.objects import Object, controller_of, get_in, is_true, meta, name_of
from labsim.kube.tables import NONE, UNKNOWN, UNSET, age, containers, label_text, number, selector, since, table
from labsim.sim.clock import parse_time

_WIDE = "Containers, Images, Selector"


def _wide(obj: Object) -> list[Any]:
    spec = obj.get("spec") or {}
    return [*containers(get_in(spec, "template", "spec")), selector(spec.get("selector"))]


@table("Name, Ready, Up-to-date, Available, Age", _WIDE)
def DEPLOYMENTS(obj: Object, now: int) -> Sequence[Any]:
    return [
        name_of(obj),
        f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}",
        number(obj, "status", "updatedReplicas"),
        number(obj, "status", "availableReplicas"),
        age(obj, now),
        *_wide(obj),
    ]


def _replicas(obj: Object, now: int) -> list[Any]:
    return [
        name_of(obj),
        number(obj, "spec", "replicas"),
        number(obj, "status", "replicas"),
        number(obj, "status", "readyReplicas"),
        age(obj, now),
    ]


@table("Name, Desired:int, Current:int, Ready:int, Age", _WIDE)
def REPLICA_SETS(obj: Object, now: int) -> Sequence[Any]:
    return [*_replicas(obj, now), *_wide(obj)]


@table("Name, Desired:int, Current:int, Ready:int, Age", _WIDE)
def REPLICATION_CONTROLLERS(obj: Object, now: int) -> Sequence[Any]:
    names = containers(get_in(obj, "spec", "template", "spec"))
    return [*_replicas(obj, now), *names, label_text(get_in(obj, "spec", "selector"))]


@table("Name, Desired:int, Current:int, Ready:int, Up-to-date:int, Available:int, Node Selector, Age", _WIDE)
def DAEMON_SETS(obj: Object, now: int) -> Sequence[Any]:
    fields = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    )
    return [
        name_of(obj),
        *(number(obj, "status", field) for field in fields),
        label_text(get_in(obj, "spec", "template", "spec", "nodeSelector")),
        age(obj, now),
        *_wide(obj),
    ]


@table("Name, Ready, Age", "Containers, Images")
def STATEFUL_SETS(obj: Object, now: int) -> Sequence[Any]:
    ready = f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}"
    return [name_of(obj), ready, age(obj, now), *containers(get_in(obj, "spec", "template", "spec"))]


@table("Name, Controller, Revision:int, Age")
def CONTROLLER_REVISIONS(obj: Object, now: int) -> Sequence[Any]:
    owner = controller_of(obj)
    shown = NONE
    if owner is not None:
        group = str(owner.get("apiVersion", "")).rpartition("/")[0]
        shown = f"{str(owner.get('kind', '')).lower()}{'.' + group if group else ''}/{owner.get('name', '')}"
    return [name_of(obj), shown, int(obj.get("revision") or 0), age(obj, now)]


def job_status(job: Object) -> str:
    """Complete > Failed > Terminating > Suspended > FailureTarget > Running."""
    if is_true(job, "Complete"):
        return "Complete"
    if is_true(job, "Failed"):
        return "Failed"
    if meta(job).get("deletionTimestamp"):
        return "Terminating"
    if is_true(job, "Suspended"):
        return "Suspended"
    if is_true(job, "FailureTarget"):
        return "FailureTarget"
    if is_true(job, "SuccessCriteriaMet"):
        return "SuccessCriteriaMet"
    return "Running"


@table("Name, Status, Completions, Duration, Age", _WIDE)
def JOBS(obj: Object, now: int) -> Sequence[Any]:
    succeeded = number(obj, "status", "succeeded")
    completions, parallelism = get_in(obj, "spec", "completions"), get_in(obj, "spec", "parallelism", default=0)
    if completions is not None:
        done = f"{succeeded}/{completions}"
    elif int(parallelism) > 1:
        done = f"{succeeded}/1 of {parallelism}"
    else:
        done = f"{succeeded}/1"
    started, ended = get_in(obj, "status", "startTime"), get_in(obj, "status", "completionTime")
    duration = ""
    if started:
        until = parse_time(ended) if ended else now
        duration = human_duration((until - parse_time(started)) // 1000)
    return [name_of(obj), job_status(obj), done, duration, age(obj, now), *_wide(obj)]


@table("Name, Schedule, Timezone, Suspend, Active:int, Last Schedule, Age", _WIDE)
def CRON_JOBS(obj: Object, now: int) -> Sequence[Any]:
    spec = obj.get("spec") or {}
    template = get_in(spec, "jobTemplate", "spec", default={})
    last = get_in(obj, "status", "lastScheduleTime")
    return [
        name_of(obj),
        spec.get("schedule", ""),
        spec.get("timeZone") or NONE,
        "True" if spec.get("suspend") else "False",
        len(get_in(obj, "status", "active", default=())),
        since(last, now) if last else NONE,
        age(obj, now),
        *containers(get_in(template, "template", "spec")),
        selector(template.get("selector")),
    ]


@table("Name, Min Available, Max Unavailable, Allowed Disruptions:int, Age")
def DISRUPTION_BUDGETS(obj: Object, now: int) -> Sequence[Any]:
    def bound(key: str) -> str:
        value = get_in(obj, "spec", key)
        return "N/A" if value is None else str(value)

    allowed = number(obj, "status", "disruptionsAllowed")
    return [name_of(obj), bound("minAvailable"), bound("maxUnavailable"), allowed, age(obj, now)]


def _metric(kind: str, key: str, spec: Object, status: Object) -> str:
    """CURRENT/TARGET of one metric; only Object and External metrics mark an average."""
    current, target = get_in(status, key, "current", default={}), get_in(spec, key, "target", default={})
    text = UNKNOWN
    for field in ("averageUtilization", "averageValue", "value"):
        if target.get(field) is not None:
            percent = "%" if field == "averageUtilization" else ""
            average = " (avg)" if field == "averageValue" and kind in ("Object", "External") else ""
            now = current.get(field)
            text = f"{UNKNOWN if now is None else f'{now}{percent}'}/{target[field]}{percent}{average}"
            break
    named = kind in ("Resource", "ContainerResource")
    return f"{get_in(spec, key, 'name', default='')}: {text}" if named else text


def _targets(obj: Object) -> str:
    specs = get_in(obj, "spec", "metrics", default=())
    statuses = get_in(obj, "status", "currentMetrics", default=())
    shown = []
    for index, spec in enumerate(specs[:2]):
        kind = str(spec.get("type", ""))
        status = statuses[index] if index < len(statuses) else {}
        shown.append(_metric(kind, kind[:1].lower() + kind[1:], spec, status))
    more = f" + {len(specs) - 2} more..." if len(specs) > 2 else ""
    return ", ".join(shown) + more if shown else NONE


@table("Name, Reference, Targets, MinPods, MaxPods, Replicas:int, Age")
def AUTOSCALERS(obj: Object, now: int) -> Sequence[Any]:
    target = get_in(obj, "spec", "scaleTargetRef", default={})
    low = get_in(obj, "spec", "minReplicas")
    return [
        name_of(obj),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        _targets(obj),
        UNSET if low is None else str(low),
        number(obj, "spec", "maxReplicas"),
        number(obj, "status", "currentReplicas"),
        age(obj, now),
    ]
