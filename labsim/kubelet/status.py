"""PodStatus from the containers: states, phase, conditions. Nothing here writes."""

from __future__ import annotations

from labsim.kube.objects import Object, get_in
from labsim.kubelet import containers, probes, pull
from labsim.kubelet.context import PodSync
from labsim.kubelet.images import Reference
from labsim.sim.clock import rfc3339

ORDER = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def container_status(sync: PodSync, group: str, spec: Object, initializing: bool) -> Object:
    """One entry of containerStatuses."""
    container = sync.containers.get(spec["name"])
    reference = Reference.parse(str(spec["image"]))
    found: Object = {
        "name": spec["name"],
        "image": spec["image"],
        "imageID": "",
        "lastState": {},
        "ready": False,
        "restartCount": 0,
        "started": False,
        "state": {},
    }
    first_wait = "PodInitializing" if initializing and group != "ephemeralContainers" else "ContainerCreating"
    if container is None:
        return {**found, "state": {"waiting": {"reason": first_wait}}}
    spec_, status = container["spec"], container["status"]
    found["restartCount"] = spec_["attempt"]
    state = status["state"]
    if status.get("last"):
        found["lastState"] = {"terminated": status["last"]}
        found["containerID"] = status["last"]["containerID"]
    if state == "running" or state == "exited":
        found |= {"image": reference.full, "imageID": reference.identity}
        found["containerID"] = pull.container_id(sync.seed, container)
    elif status.get("last"):
        found |= {"image": reference.full, "imageID": reference.identity}
    if state == "running":
        found["state"] = {"running": {"startedAt": rfc3339(int(status["startedAt"]))}}
        found["started"] = probes.is_started(sync, spec, container)
        found["ready"] = probes.is_ready(sync, spec, container)
    elif state == "exited":
        ended = containers.terminated(sync.seed, container)
        backoff = (
            None
            if sync.pod["metadata"].get("deletionTimestamp")
            else containers.waiting_backoff(sync, group, spec, container)
        )
        if backoff is not None:
            found["state"] = {"waiting": {"message": backoff, "reason": "CrashLoopBackOff"}}
            found["lastState"] = {"terminated": ended}
        else:
            found["state"] = {"terminated": ended}
            if group == "initContainers" and ended["exitCode"] == 0:
                found["ready"] = True
    else:
        failing = status.get("pull") or {}
        if failing.get("message"):
            found["state"] = {"waiting": {"message": failing["message"], "reason": failing["reason"]}}
        elif status.get("last"):
            # Being restarted: until the new container exists the old one is shown.
            found["state"] = {"terminated": status["last"]}
            found["restartCount"] = spec_["attempt"] - 1
        else:
            found["state"] = {"waiting": {"reason": first_wait}}
    return found


def phase(sync: PodSync) -> str:
    """The kubelet's getPhase."""
    for group, spec in sync.specs("initContainers"):
        container = sync.containers.get(spec["name"])
        state = get_in(container, "status", "state", default="created")
        if spec.get("restartPolicy") == "Always":
            continue
        if state == "exited":
            if get_in(container, "status", "exitCode", default=0) != 0:
                if sync.policy(group, spec) == "Never":
                    return "Failed"
                return "Pending"
        else:
            return "Pending"
    states = []
    for group, spec in sync.specs("containers"):
        container = sync.containers.get(spec["name"])
        state = get_in(container, "status", "state", default="created")
        if state == "created" and get_in(container, "spec", "attempt", default=0) == 0:
            return "Pending"
        ended = state == "exited" and container is not None and not containers.restarts(sync, group, spec, container)
        states.append(("ended" if ended else "alive", get_in(container, "status", "exitCode", default=0)))
    if any(kind == "alive" for kind, _ in states):
        return "Running"
    if not states:
        return "Pending"
    return "Succeeded" if all(code == 0 for _, code in states) else "Failed"


def initialized(sync: PodSync) -> list[str]:
    """The init containers that are not done yet (sidecars: not started)."""
    missing = []
    for _, spec in sync.specs("initContainers"):
        container = sync.containers.get(spec["name"])
        if container is None:
            missing.append(str(spec["name"]))
        elif spec.get("restartPolicy") == "Always":
            begun = container["status"]["state"] == "exited" or container["spec"]["attempt"] > 0
            if not begun and not probes.is_started(sync, spec, container):
                missing.append(str(spec["name"]))
        elif container["status"]["state"] != "exited" or container["status"].get("exitCode") != 0:
            missing.append(str(spec["name"]))
    return missing


def build(sync: PodSync, *, sandbox: bool, **more: object) -> Object:
    """The whole new status; `more` are fields to set (None removes one)."""
    old: Object = sync.pod.get("status") or {}
    now_phase = phase(sync)
    unfinished = initialized(sync)
    status: Object = {**old, "phase": now_phase}
    for group, key in (
        ("initContainers", "initContainerStatuses"),
        ("containers", "containerStatuses"),
        ("ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        rows = [container_status(sync, g, spec, bool(unfinished)) for g, spec in sync.specs(group)]
        if group == "initContainers":
            rows = [_later_init(row) for row in rows]
        if rows:
            status[key] = rows
    status["conditions"] = _conditions(sync, now_phase, unfinished, status, sandbox)
    for field, value in more.items():
        if value is None:
            status.pop(field, None)
        else:
            status[field] = value
    if "qosClass" not in status:
        status["qosClass"] = qos(sync.pod)
    return status


def _later_init(row: Object) -> Object:
    waits = get_in(row, "state", "waiting", "reason") in ("PodInitializing", "ContainerCreating")
    if waits:
        row = {**row, "state": {"waiting": {"reason": "PodInitializing"}}}
    return row


def _conditions(sync: PodSync, now_phase: str, unfinished: list[str], status: Object, sandbox: bool) -> list[Object]:
    rows = list(status.get("containerStatuses", ()))
    sidecars = {spec["name"] for _, spec in sync.specs("initContainers") if spec.get("restartPolicy") == "Always"}
    rows = [row for row in status.get("initContainerStatuses", ()) if row["name"] in sidecars] + rows
    unready = [row["name"] for row in rows if not row["ready"]]
    ready: tuple[str, str, str]
    if now_phase == "Succeeded":
        ready = ("False", "PodCompleted", "")
    elif now_phase == "Failed":
        ready = ("False", "PodFailed", "")
    elif unready:
        ready = ("False", "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")
    else:
        ready = ("True", "", "")
    if now_phase == "Succeeded":
        init = ("True", "PodCompleted", "")
    elif unfinished:
        init = ("False", "ContainersNotInitialized", f"containers with incomplete status: [{' '.join(unfinished)}]")
    else:
        init = ("True", "", "")
    pod_ready = ready
    if ready[0] == "True":
        missing = [
            f'corresponding condition of pod readiness gate "{gate["conditionType"]}" does not exist.'
            for gate in get_in(sync.pod, "spec", "readinessGates", default=())
            if not any(c["type"] == gate["conditionType"] for c in status.get("conditions", ()))
        ]
        if missing:
            pod_ready = ("False", "ReadinessGatesNotReady", ", ".join(missing))
    wanted = {
        "PodReadyToStartContainers": ("True" if sandbox else "False", "", ""),
        "Initialized": init,
        "Ready": pod_ready,
        "ContainersReady": ready,
        "PodScheduled": ("True", "", ""),
    }
    return merge(sync, status.get("conditions", ()), wanted)


def merge(sync: PodSync, old: object, wanted: dict[str, tuple[str, str, str]]) -> list[Object]:
    """Conditions with lastTransitionTime kept where the status is the same; foreign ones stay at the end."""
    have = {c["type"]: c for c in old}  # type: ignore[attr-defined]
    generation = sync.pod["metadata"].get("generation")
    found = []
    for kind in ORDER:
        value, reason, message = wanted[kind]
        before = have.pop(kind, None)
        changed = before is None or before["status"] != value
        row: Object = {"lastProbeTime": None}
        row["lastTransitionTime"] = rfc3339(sync.now) if changed or before is None else before["lastTransitionTime"]
        if message:
            row["message"] = message
        if generation is not None:
            row["observedGeneration"] = generation
        if reason:
            row["reason"] = reason
        row |= {"status": value, "type": kind}
        found.append(row)
    return found + list(have.values())


def qos(pod: Object) -> str:
    """Guaranteed, Burstable or BestEffort, from cpu and memory of all containers (qos.GetPodQOS)."""
    from labsim.kube.podresources import milli

    rows = [c for group in ("containers", "initContainers") for c in get_in(pod, "spec", group, default=())]
    guaranteed, anything = True, False
    for row in rows:
        for name in ("cpu", "memory"):
            request = get_in(row, "resources", "requests", name)
            limit = get_in(row, "resources", "limits", name)
            request = limit if request is None else request
            anything = anything or request is not None or limit is not None
            if limit is None or request is None or milli(str(limit)) != milli(str(request)):
                guaranteed = False
    if not anything:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"
