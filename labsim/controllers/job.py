"""Jobs: run pods to completion. Source: pkg/controller/job of 1.35 (podFailurePolicy, successPolicy: not simulated)."""

from __future__ import annotations

from labsim.controllers.common import Manager, Objects, own_key, owned, owner_keys, pod_from_template, write_status
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, annotations_of, condition_of, get_in, name_of, namespace_of
from labsim.sim.clock import MINUTE, SECOND, parse_time
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "jobs.batch"
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
BACKOFF, BACKOFF_MAX = 10 * SECOND, 10 * MINUTE
RETRY = 5 * SECOND


class JobController(Manager):
    """Finished pods are counted in the status when their tracking finalizer is taken off."""

    name = "job"
    account = "job-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch(RESOURCE, own_key), Watch("pods", owner_keys("Job")))

    def reconcile(self, key: Key) -> After | None:
        job = self.client.find(RESOURCE, key[1], key[0])
        if job is None:
            return None
        pods = owned(self.client, "pods", job)
        if _finished(job) is not None or job["metadata"].get("deletionTimestamp"):
            for pod in pods:
                self._untrack(pod)
            return None
        status: Object = dict(job.get("status") or {})
        job, status, pods = self._count(job, status, pods)
        active = [
            p for p in pods if _phase(p) not in ("Succeeded", "Failed") and not p["metadata"].get("deletionTimestamp")
        ]
        if get_in(job, "spec", "suspend", default=False):
            return self._suspend(job, status, active)
        status = self._resumed(job, status)
        due: After | None = None
        end = self._verdict(job, status)
        if end is not None:
            kind, reason, message = end
            for pod in active:
                self._delete(job, pod)
            self._finish(job, status, pods, kind, reason, message)
            return None
        active, due = self._manage(job, status, active, pods)
        limit = get_in(job, "spec", "activeDeadlineSeconds")
        if limit is not None:
            left = parse_time(status["startTime"]) + int(limit) * SECOND - self.now
            due = After(left, periodic=True) if due is None or left < due.ms else due
        self._write(job, status, active)
        return due

    # -- counting ------------------------------------------------------------------------------------------------------

    def _count(self, job: Object, status: Object, pods: Objects) -> tuple[Object, Object, Objects]:
        """Add newly finished pods to the status, then take their finalizer off."""
        indexed = _indexed(job)
        succeeded, failed = int(status.get("succeeded", 0)), int(status.get("failed", 0))
        done = set(_indexes(status.get("completedIndexes", "")))
        fresh: Objects = []
        for pod in pods:
            if TRACKING not in (pod["metadata"].get("finalizers") or ()):
                continue
            if _phase(pod) == "Succeeded":
                if indexed:
                    done.add(int(annotations_of(pod).get(INDEX, -1)))
                    succeeded = len(done)
                else:
                    succeeded += 1
                fresh.append(pod)
            elif _phase(pod) == "Failed" or (pod["metadata"].get("deletionTimestamp") and _gone(pod)):
                failed += 1
                fresh.append(pod)
        if succeeded:
            status["succeeded"] = succeeded
        if failed:
            status["failed"] = failed
        if indexed and done:
            status["completedIndexes"] = _ranges(sorted(done))
        for pod in fresh:
            self._untrack(pod)
        return job, status, owned(self.client, "pods", job)

    def _untrack(self, pod: Object) -> None:
        finalizers = pod["metadata"].get("finalizers") or ()
        if TRACKING in finalizers:
            left = [f for f in finalizers if f != TRACKING]
            body = {**pod, "metadata": {**pod["metadata"], "finalizers": left}}
            self.client.update("pods", body, namespace_of(pod))

    # -- end -----------------------------------------------------------------------------------------------------------

    def _verdict(self, job: Object, status: Object) -> tuple[str, str, str] | None:
        failed, limit = int(status.get("failed", 0)), int(get_in(job, "spec", "backoffLimit", default=6))
        deadline = get_in(job, "spec", "activeDeadlineSeconds")
        restarts = sum(
            int(s.get("restartCount", 0))
            for p in owned(self.client, "pods", job)
            if get_in(p, "spec", "restartPolicy") == "OnFailure" and _phase(p) in ("Running", "Pending")
            for s in get_in(p, "status", "containerStatuses", default=())
        )
        if failed > limit or (restarts and restarts >= max(limit, 1) and failed + restarts > limit):
            return "Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        if deadline is not None and self.now >= parse_time(status["startTime"]) + int(deadline) * SECOND:
            return "Failed", "DeadlineExceeded", "Job was active longer than specified deadline"
        succeeded, wanted = int(status.get("succeeded", 0)), get_in(job, "spec", "completions")
        if wanted is None:
            live = [p for p in owned(self.client, "pods", job) if _phase(p) not in ("Succeeded", "Failed")]
            return ("Complete", "CompletionsReached", "") if succeeded and not live else None
        if succeeded >= int(wanted):
            return "Complete", "CompletionsReached", "Reached expected number of succeeded pods"
        return None

    def _finish(self, job: Object, status: Object, pods: Objects, kind: str, reason: str, message: str) -> None:
        for pod in owned(self.client, "pods", job):
            tracked = TRACKING in (pod["metadata"].get("finalizers") or ())
            if tracked and kind == "Failed" and _phase(pod) not in ("Succeeded", "Failed"):
                status["failed"] = int(status.get("failed", 0)) + 1
            self._untrack(pod)
        message = message or "Reached expected number of succeeded pods"
        first = "FailureTarget" if kind == "Failed" else "SuccessCriteriaMet"
        conditions = list(status.get("conditions") or ())
        for name in (first, kind):
            conditions.append(self._condition(name, reason, message))
        status["conditions"] = conditions
        status["terminating"] = 0
        status["ready"] = 0
        status.pop("active", None)
        status["uncountedTerminatedPods"] = {}
        if kind == "Complete":
            status["completionTime"] = self.stamp
            self.recorder.event(job, "Normal", "Completed", "Job completed")
        else:
            self.recorder.event(job, "Warning", reason, message)
        self._store(job, status)

    def _condition(self, kind: str, reason: str, message: str, value: str = "True") -> Object:
        return {
            "lastProbeTime": self.stamp,
            "lastTransitionTime": self.stamp,
            "message": message,
            "reason": reason,
            "status": value,
            "type": kind,
        }

    # -- suspend and resume --------------------------------------------------------------------------------------------

    def _suspend(self, job: Object, status: Object, active: Objects) -> After | None:
        for pod in active:
            self._delete(job, pod)
        before = condition_of(job, "Suspended")
        if before is None or before["status"] != "True":
            others = [c for c in status.get("conditions") or () if c["type"] != "Suspended"]
            status["conditions"] = [*others, self._condition("Suspended", "JobSuspended", "Job suspended")]
            status.pop("startTime", None)
            self.recorder.event(job, "Normal", "Suspended", "Job suspended")
        self._write(job, status, [])
        return None

    def _resumed(self, job: Object, status: Object) -> Object:
        before = condition_of(job, "Suspended")
        if before is not None and before["status"] == "True":
            others = [c for c in status.get("conditions") or () if c["type"] != "Suspended"]
            status["conditions"] = [*others, self._condition("Suspended", "JobResumed", "Job resumed", "False")]
            status["startTime"] = self.stamp
            self.recorder.event(job, "Normal", "Resumed", "Job resumed")
        status.setdefault("startTime", self.stamp)
        return status

    # -- pods ----------------------------------------------------------------------------------------------------------

    def _manage(self, job: Object, status: Object, active: Objects, pods: Objects) -> tuple[Objects, After | None]:
        parallel = int(get_in(job, "spec", "parallelism", default=1))
        completions = get_in(job, "spec", "completions")
        succeeded = int(status.get("succeeded", 0))
        if completions is None:
            wanted = len(active) if succeeded else parallel
        else:
            wanted = min(int(completions) - succeeded, parallel)
        if len(active) > wanted:
            for pod in sorted(active, key=lambda p: (_phase(p) == "Running", name_of(p)))[: len(active) - wanted]:
                self._delete(job, pod)
                active = [p for p in active if p is not pod]
            return active, None
        if len(active) == wanted:
            return active, None
        wait = self._backoff(pods)
        if wait > 0:
            return active, After(wait, periodic=wait > 2 * MINUTE)
        if _indexed(job):
            taken = {int(annotations_of(p).get(INDEX, -1)) for p in active}
            done = set(_indexes(status.get("completedIndexes", "")))
            free = [n for n in range(int(completions or 0)) if n not in taken and n not in done]
            indexes: list[int | None] = list(free[: wanted - len(active)])
        else:
            indexes = [None] * (wanted - len(active))
        for index in indexes:
            created = self._create(job, index)
            if created is None:
                return active, After(RETRY, periodic=True)
            active = [*active, created]
        return active, None

    def _backoff(self, pods: Objects) -> int:
        """10 s doubling to 10 min after the last failures in a row."""
        ends = sorted((_ended(p), _phase(p)) for p in pods if _phase(p) in ("Failed", "Succeeded"))
        row = 0
        for _, phase in reversed(ends):
            if phase != "Failed":
                break
            row += 1
        if not row:
            return 0
        return ends[-1][0] + min(BACKOFF << min(row - 1, 6), BACKOFF_MAX) - self.now

    def _create(self, job: Object, index: int | None) -> Object | None:
        pod = pod_from_template(job["spec"]["template"], job)
        metadata = dict(pod["metadata"])
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), TRACKING]
        if index is not None:
            metadata["generateName"] = f"{name_of(job)}-{index}-"
            metadata["annotations"] = {**(metadata.get("annotations") or {}), INDEX: str(index)}
            metadata["labels"] = {**metadata["labels"], INDEX: str(index)}
            pod = {**pod, "spec": _with_index(pod["spec"], f"{name_of(job)}-{index}")}
        try:
            created = self.client.create("pods", {**pod, "metadata": metadata}, namespace_of(job))
        except ApiError as error:
            self.recorder.event(job, "Warning", "FailedCreate", f"Error creating: {error.message}")
            return None
        self.recorder.event(job, "Normal", "SuccessfulCreate", f"Created pod: {name_of(created)}")
        return created

    def _delete(self, job: Object, pod: Object) -> None:
        if pod["metadata"].get("deletionTimestamp"):
            return
        self.client.delete("pods", name_of(pod), namespace_of(pod))
        self.recorder.event(job, "Normal", "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")
        current = self.client.find("pods", name_of(pod), namespace_of(pod))
        if current is not None and not get_in(current, "spec", "nodeName"):
            self._untrack(current)

    def _write(self, job: Object, status: Object, active: Objects) -> None:
        status["active"] = len(active) or None
        status["ready"] = sum(
            1
            for p in active
            if any(
                c["type"] == "Ready" and c["status"] == "True" for c in get_in(p, "status", "conditions", default=())
            )
        )
        status["terminating"] = sum(
            1
            for p in owned(self.client, "pods", job)
            if p["metadata"].get("deletionTimestamp") and _phase(p) not in ("Succeeded", "Failed")
        )
        status["uncountedTerminatedPods"] = {}
        self._store(job, status)

    def _store(self, job: Object, status: Object) -> None:
        current = self.client.find(RESOURCE, name_of(job), namespace_of(job))
        if current is not None:
            write_status(self, RESOURCE, current, status)


class TtlController(Manager):
    """Deletes finished Jobs ttlSecondsAfterFinished later."""

    name = "ttl-after-finished"
    account = "ttl-after-finished-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (Watch(RESOURCE, own_key),)

    def reconcile(self, key: Key) -> After | None:
        job = self.client.find(RESOURCE, key[1], key[0])
        ttl = get_in(job, "spec", "ttlSecondsAfterFinished")
        if job is None or ttl is None or job["metadata"].get("deletionTimestamp"):
            return None
        end = _finished(job)
        if end is None:
            return None
        left = parse_time(end["lastTransitionTime"]) + int(ttl) * SECOND - self.now
        if left > 0:
            return After(left, periodic=True)
        self.client.delete(RESOURCE, key[1], key[0], propagation="Foreground")
        return None


def _phase(pod: Object) -> str:
    return str(get_in(pod, "status", "phase", default="Pending"))


def _gone(pod: Object) -> bool:
    """Deleted, and no container of it runs (any more)."""
    statuses = get_in(pod, "status", "containerStatuses", default=())
    return int(pod["metadata"].get("deletionGracePeriodSeconds") or 0) == 0 and not any(
        "running" in (status.get("state") or {}) for status in statuses
    )


def _ended(pod: Object) -> int:
    stamps = [
        parse_time(s["state"]["terminated"]["finishedAt"])
        for s in get_in(pod, "status", "containerStatuses", default=())
        if get_in(s, "state", "terminated", "finishedAt")
    ]
    return max(stamps, default=parse_time(pod["metadata"]["creationTimestamp"]))


def _finished(job: Object) -> Object | None:
    for condition in get_in(job, "status", "conditions", default=()):
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            found: Object = condition
            return found
    return None


def _indexed(job: Object) -> bool:
    return bool(get_in(job, "spec", "completionMode") == "Indexed")


def _indexes(text: str) -> list[int]:
    """`0,2-4` -> 0 2 3 4."""
    found: list[int] = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


def _ranges(numbers: list[int]) -> str:
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a},{b}" if b == a + 1 else f"{a}-{b}" for a, b in parts)


def _with_index(spec: Object, hostname: str) -> Object:
    path = f"metadata.labels['{INDEX}']"
    env = {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
    spec = {**spec, "hostname": spec.get("hostname") or hostname}
    for group in ("initContainers", "containers"):
        if spec.get(group):
            spec[group] = [{**c, "env": [*(c.get("env") or ()), env]} for c in spec[group]]
    return spec
