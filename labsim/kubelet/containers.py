"""The life of one container: created, running, exited, restarted with back-off."""

from __future__ import annotations

from datetime import UTC, datetime

from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in, name_of, namespace_of
from labsim.kubelet import probes, pull, runtime, script
from labsim.kubelet.context import PodSync
from labsim.kubelet.pull import RESYNC
from labsim.sim.clock import MINUTE, SECOND, rfc3339

BACKOFF, BACKOFF_MAX = 10 * SECOND, 5 * MINUTE
FORGIVEN = 10 * MINUTE  # a run this long clears the back-off (twice the maximum)
FIRST_RESTART = 1 * SECOND
# An end further off than this is a workload's own business: the world is quiet while it runs.
LONG_RUN = 2 * MINUTE


def create(sync: PodSync, group: str, spec: Object, devices: dict[str, list[str]]) -> None:
    """The container object of an admitted pod; it holds its devices from now on."""
    pod = sync.pod
    body: Object = {
        "apiVersion": runtime.API_VERSION,
        "kind": "Container",
        "metadata": {
            "name": runtime.object_name(name_of(pod), spec["name"]),
            "labels": dict(pod["metadata"].get("labels") or {}),
        },
        "spec": {
            "nodeName": sync.node_name,
            "pod": name_of(pod),
            "podUID": pod["metadata"]["uid"],
            "container": spec["name"],
            "image": spec["image"],
            "init": group == "initContainers",
            "attempt": 0,
            "pid": 0,
            "command": list(spec.get("command") or ()),
            "args": list(spec.get("args") or ()),
            "devices": devices,
            **({"interactive": True} if spec.get("stdin") and spec.get("tty") else {}),
        },
        "status": {"state": "created", "createdAt": sync.now, "ready": None, "memory": {}},
    }
    old = sync.client.find(runtime.CONTAINERS, body["metadata"]["name"], namespace_of(pod))
    if old is not None:  # left by a pod of the same name that was removed by force
        drop(sync.client, old)
    stored = sync.client.create(runtime.CONTAINERS, body, namespace_of(pod))
    sync.containers[spec["name"]] = stored


def drop(client: Client, container: Object) -> None:
    """Remove a container and its logs."""
    name, namespace = name_of(container), namespace_of(container)
    client.delete(runtime.CONTAINERS, name, namespace)
    if client.find(runtime.LOGS, name, namespace) is not None:
        client.delete(runtime.LOGS, name, namespace)


def step(sync: PodSync, group: str, spec: Object) -> Object:
    """Bring one container as far as it goes now; sets the instants at which to look again."""
    container = sync.containers[spec["name"]]
    state = container["status"]["state"]
    if state == "running":
        _maybe_end(sync, container)
        container = sync.containers[spec["name"]]
        if container["status"]["state"] == "running":
            probes.look(sync, group, spec, container)
            container = sync.containers[spec["name"]]
        state = container["status"]["state"]
    if state == "exited" and restarts(sync, group, spec, container):
        container = _restart(sync, group, spec, container)
        state = container["status"]["state"]
    if state == "created" and pull.image_ready(sync, group, spec, container):
        _start(sync, group, spec, sync.containers[spec["name"]])
    return sync.containers[spec["name"]]


def restarts(sync: PodSync, group: str, spec: Object, container: Object) -> bool:
    policy = sync.policy(group, spec)
    return policy == "Always" or (policy == "OnFailure" and container["status"].get("exitCode") != 0)


def _start(sync: PodSync, group: str, spec: Object, container: Object) -> None:
    name = str(spec["name"])
    behaviour = sync.lifecycle.behaviour(container, sync.env(spec))
    sync.event("Normal", "Created", "Container created", name, group)
    if not (behaviour.exit_after == 0 and behaviour.reason in ("StartError", "ContainerCannotRun")):
        sync.event("Normal", "Started", "Container started", name, group)
    stated = {"gpuProcess": dict(behaviour.gpu_process)} if behaviour.gpu_process is not None else {}
    changed = sync.store_spec(container, pid=pull.pid(sync.seed, container), **stated)
    started = sync.now
    status: Object = {
        "state": "running",
        "startedAt": started,
        "finishedAt": None,
        "exitCode": None,
        "reason": None,
        "message": None,
        "ready": None,
        "memory": {},
        "pull": None,
        "restartAt": None,
        "managed": behaviour.managed or None,
        "readyAfter": behaviour.ready or None,
        "chatter": dict(behaviour.chatter) if behaviour.chatter else None,
        "listens": list(behaviour.listens) if behaviour.listens is not None else None,
        "failing": dict(behaviour.probes) if behaviour.probes else None,
        "stop": {"after": behaviour.stop_after, "code": behaviour.stop_code, "deaf": behaviour.deaf},
        "probed": None,
        "end": None,
    }
    if behaviour.exit_after is not None:
        status["end"] = {
            "at": started + behaviour.exit_after,
            "code": behaviour.code,
            "reason": behaviour.reason,
            "message": behaviour.message,
        }
    changed = sync.store(changed, **status)
    lines = [(started + after, stream, _dated(text, started + after)) for after, stream, text in behaviour.lines]
    if lines:
        runtime.append(sync.client, changed, lines)
    _maybe_end(sync, changed)
    changed = sync.containers[name]
    if changed["status"]["state"] == "running":
        probes.look(sync, group, spec, changed)


def _dated(text: str, at: int) -> str:
    if script.DATE not in text:
        return text
    stamp = datetime.fromtimestamp(at // 1000, UTC).strftime("%a %b %e %H:%M:%S UTC %Y")
    return text.replace(script.DATE, stamp)


def _maybe_end(sync: PodSync, container: Object) -> None:
    """End by itself, when its time has come. A finite run of less than LONG_RUN is progress to wait for."""
    end = container["status"].get("end")
    if end is None:
        return
    if sync.now >= end["at"]:
        finish(sync, container, end["code"], end["reason"], end["message"])
    else:
        sync.due(end["at"], periodic=end["at"] - int(container["status"]["startedAt"]) > LONG_RUN)


def finish(sync: PodSync, container: Object, code: int, reason: str = "", message: str = "") -> Object:
    """The process is gone; what it had not printed yet is never printed."""
    changed = sync.store(
        container, state="exited", finishedAt=sync.now, exitCode=code, reason=reason, message=message, stopping=None
    )
    name, namespace = name_of(container), namespace_of(container)
    logs = sync.client.find(runtime.LOGS, name, namespace)
    if logs is not None:
        attempts = {key: [line for line in lines if line[0] <= sync.now] for key, lines in logs["attempts"].items()}
        sync.client.update(runtime.LOGS, {**logs, "attempts": attempts}, namespace)
    return changed


def _restart(sync: PodSync, group: str, spec: Object, container: Object) -> Object:
    """Back-off as the kubelet's: the first restart at once, then 10 s doubling to 5 min; a long run clears it."""
    status = container["status"]
    finished = int(status["finishedAt"])
    ran = finished - int(status.get("startedAt", finished))
    wait = 0 if ran >= FORGIVEN else int(status.get("backoff", 0))
    at = finished + (wait or FIRST_RESTART)
    if sync.now < at:
        if wait:
            last = int(status.get("backoffShown", 0))
            if last < finished or sync.now >= last + RESYNC:
                text = f"Back-off restarting failed container {spec['name']} in pod {sync.full_name}"
                sync.event("Warning", "BackOff", text, str(spec["name"]), group)
                last = sync.now
                container = sync.store(container, backoffShown=last)
            sync.due(min(at, last + RESYNC), periodic=True)
        else:
            sync.due(at)
        return container
    last_state = terminated(sync.seed, container)
    longer = min(wait * 2, BACKOFF_MAX) if wait else BACKOFF
    changed = sync.store_spec(container, attempt=int(container["spec"]["attempt"]) + 1)
    return sync.store(
        changed, state="created", last=last_state, backoff=longer, pull=None, ready=None, memory={}, chatter=None
    )


def terminated(seed: int, container: Object) -> Object:
    """state.terminated of a container that has ended."""
    status = container["status"]
    code = int(status.get("exitCode", 0))
    found: Object = {"containerID": pull.container_id(seed, container), "exitCode": code}
    found["finishedAt"] = rfc3339(int(status["finishedAt"]))
    if status.get("message"):
        found["message"] = status["message"]
    found["reason"] = status.get("reason") or ("Completed" if code == 0 else "Error")
    found["startedAt"] = rfc3339(int(status.get("startedAt", status["finishedAt"])))
    return found


def waiting_backoff(sync: PodSync, group: str, spec: Object, container: Object) -> str | None:
    """The message of CrashLoopBackOff while an exited container waits, else None."""
    status = container["status"]
    if status["state"] != "exited" or not restarts(sync, group, spec, container):
        return None
    ran = int(status["finishedAt"]) - int(status.get("startedAt", status["finishedAt"]))
    wait = 0 if ran >= FORGIVEN else int(get_in(status, "backoff", default=0))
    if not wait:
        return None
    minutes, seconds = divmod(wait // SECOND, 60)
    text = f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
    return f"back-off {text} restarting failed container={spec['name']} pod={sync.full_name}"
