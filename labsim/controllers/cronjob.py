"""CronJobs: Jobs on a schedule, five fields or an @ word, in UTC only. Source: pkg/controller/cronjob (v2) of 1.35."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from labsim.controllers.common import Manager, own_key, owned, owner_keys, owner_reference, write_status
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, name_of, namespace_of, uid_of
from labsim.sim.clock import SECOND, parse_time, rfc3339
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE, JOBS = "cronjobs.batch", "jobs.batch"
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class CronJobController(Manager):
    name = "cronjob"
    account = "cronjob-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch(RESOURCE, own_key), Watch(JOBS, owner_keys("CronJob")))

    def reconcile(self, key: Key) -> After | None:
        cron = self.client.find(RESOURCE, key[1], key[0])
        if cron is None or cron["metadata"].get("deletionTimestamp"):
            return None
        status = dict(cron.get("status") or {})
        jobs = owned(self.client, JOBS, cron)
        self._finished(cron, status, jobs)
        due: After | None = None
        if not get_in(cron, "spec", "suspend", default=False):
            try:
                due = self._schedule(cron, status)
            except ValueError as error:
                text = f'unparseable schedule: "{cron["spec"]["schedule"]}" : {error}'
                self.recorder.event(cron, "Warning", "UnparseableSchedule", text)
        write_status(self, RESOURCE, self.client.get(RESOURCE, key[1], key[0]), status)
        return due

    def _finished(self, cron: Object, status: Object, jobs: list[Object]) -> None:
        active = list(status.get("active") or ())
        ended: dict[str, list[Object]] = {"Complete": [], "Failed": []}
        for job in jobs:
            kind = next(
                (
                    c["type"]
                    for c in get_in(job, "status", "conditions", default=())
                    if c["type"] in ended and c["status"] == "True"
                ),
                "",
            )
            if not kind:
                continue
            ended[kind].append(job)
            if any(ref["uid"] == uid_of(job) for ref in active):
                active = [ref for ref in active if ref["uid"] != uid_of(job)]
                text = f"Saw completed job: {name_of(job)}, condition: {kind}"
                self.recorder.event(cron, "Normal", "SawCompletedJob", text)
                if kind == "Complete":
                    status["lastSuccessfulTime"] = get_in(job, "status", "completionTime", default=self.stamp)
        here = {uid_of(job) for job in jobs}
        status["active"] = [ref for ref in active if ref["uid"] in here] or None
        for kind, limit in (
            ("Complete", get_in(cron, "spec", "successfulJobsHistoryLimit", default=3)),
            ("Failed", get_in(cron, "spec", "failedJobsHistoryLimit", default=1)),
        ):
            old = sorted(ended[kind], key=lambda j: (str(get_in(j, "status", "startTime", default="")), name_of(j)))
            for job in old[: max(len(old) - int(limit), 0)]:
                self.client.delete(JOBS, name_of(job), namespace_of(job), propagation="Background")
                self.recorder.event(cron, "Normal", "SuccessfulDelete", f"Deleted job {name_of(job)}")

    def _schedule(self, cron: Object, status: Object) -> After:
        schedule = parse(str(cron["spec"]["schedule"]))
        since = parse_time(status.get("lastScheduleTime") or cron["metadata"]["creationTimestamp"])
        limit = get_in(cron, "spec", "startingDeadlineSeconds")
        if limit is not None:
            since = max(since, self.now - int(limit) * SECOND)
        at: int | None = None
        upcoming = following(schedule, since)
        while upcoming <= self.now:
            at = upcoming
            upcoming = following(schedule, upcoming)
        if at is not None:
            self._run(cron, status, at)
        return After(upcoming - self.now, periodic=True)

    def _run(self, cron: Object, status: Object, at: int) -> None:
        name = f"{name_of(cron)}-{at // 60_000}"
        if self.client.find(JOBS, name, namespace_of(cron)) is not None:
            return
        policy = get_in(cron, "spec", "concurrencyPolicy", default="Allow")
        active = list(status.get("active") or ())
        if active and policy == "Forbid":
            text = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self.recorder.event(cron, "Normal", "JobAlreadyActive", text)
            return
        if policy == "Replace":
            for ref in active:
                self.client.delete(JOBS, ref["name"], namespace_of(cron), propagation="Background")
                self.recorder.event(cron, "Normal", "SuccessfulDelete", f"Deleted job {ref['name']}")
            active = []
        template = cron["spec"]["jobTemplate"]
        metadata: Object = {
            "name": name,
            "labels": dict(get_in(template, "metadata", "labels", default={})),
            "annotations": {**get_in(template, "metadata", "annotations", default={}), SCHEDULED: rfc3339(at)},
            "ownerReferences": [owner_reference(cron)],
        }
        body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template["spec"]}
        job = self.client.create(JOBS, body, namespace_of(cron))
        self.recorder.event(cron, "Normal", "SuccessfulCreate", f"Created job {name}")
        reference = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": name,
            "namespace": namespace_of(cron),
            "resourceVersion": job["metadata"]["resourceVersion"],
            "uid": uid_of(job),
        }
        status["active"] = [*active, reference]
        status["lastScheduleTime"] = rfc3339(at)


Schedule = tuple[frozenset[int], frozenset[int], frozenset[int], frozenset[int], frozenset[int], bool]


def parse(text: str) -> Schedule:
    """The sets of minutes, hours, days, months, weekdays; and whether either kind of day suffices. ValueError."""
    fields = _WORDS.get(text.strip(), text).split()
    if len(fields) != 5:
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    sets = [_field(field, n) for n, field in enumerate(fields)]
    either = not fields[2].startswith(("*", "?")) and not fields[4].startswith(("*", "?"))
    return sets[0], sets[1], sets[2], sets[3], sets[4], either


def _field(text: str, n: int) -> frozenset[int]:
    low, high = _RANGES[n]
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "?"):
            first, last = low, high
        else:
            begin, _, end = span.partition("-")
            first = _number(begin, n)
            last = _number(end, n) if end else (high if step else first)
        if not low <= first <= last <= high + (n == 4):
            raise ValueError(f"value out of range: {part}")
        found.update(value % 7 if n == 4 else value for value in range(first, last + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, n: int) -> int:
    if text.isdigit():
        return int(text)
    words = {3: _MONTHS, 4: _DAYS}.get(n, ())
    if text.lower() in words:
        return words.index(text.lower()) + (1 if n == 3 else 0)
    raise ValueError(f"failed to parse int from {text}")


def following(schedule: Schedule, after: int) -> int:
    """The first scheduled instant (ms) later than `after`; looks five years ahead."""
    minutes, hours, days, months, weekdays, either = schedule
    when = datetime.fromtimestamp(after // 1000, UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    limit = when + timedelta(days=5 * 366)
    while when < limit:
        by_day, by_week = when.day in days, (when.weekday() + 1) % 7 in weekdays
        if when.month not in months or not ((by_day or by_week) if either else (by_day and by_week)):
            when = when.replace(hour=0, minute=0) + timedelta(days=1)
        elif when.hour not in hours:
            when = when.replace(minute=0) + timedelta(hours=1)
        elif when.minute not in minutes:
            when += timedelta(minutes=1)
        else:
            return int(when.timestamp() * 1000)
    raise ValueError("the schedule never comes due")
