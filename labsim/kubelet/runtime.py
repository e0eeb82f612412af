"""The container runtime as programs and log readers see it: containers and their logs, hidden from the API's users.

A container object is described in docs/architecture.md. A function that a program calls on its container does nothing
when that container has been replaced or has ended since: a dead process cannot write.
"""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in, name_of, namespace_of, set_in

CONTAINERS, LOGS = "containers.runtime.labsim", "logs.runtime.labsim"
API_VERSION = "runtime.labsim/v1"

Line = tuple[int, str, str]  # ms, "stdout" or "stderr", text


def object_name(pod: str, container: str) -> str:
    return f"{pod}.{container}"


def find(client: Client, namespace: str, pod: str, container: str) -> Object | None:
    """The container of this name in this pod, in any state."""
    return client.find(CONTAINERS, object_name(pod, container), namespace)


def of_pod(client: Client, pod_uid: str) -> list[Object]:
    return client.by_index(CONTAINERS, "spec.podUID", pod_uid)


def on_node(client: Client, node: str) -> list[Object]:
    return client.by_index(CONTAINERS, "spec.nodeName", node)


def _fresh(client: Client, container: Object) -> Object | None:
    """The stored form of a container that still runs the same attempt, else None."""
    now = client.find(CONTAINERS, name_of(container), namespace_of(container))
    if now is None or now["spec"]["podUID"] != container["spec"]["podUID"]:
        return None
    same = now["spec"].get("attempt") == container["spec"].get("attempt")
    return now if same and now["status"]["state"] == "running" else None


def store(client: Client, container: Object) -> Object:
    """Write spec and status of a container object."""
    return client.update(CONTAINERS, container, namespace_of(container))


def _change(client: Client, container: Object, **status: Any) -> None:
    now = _fresh(client, container)
    if now is not None:
        store(client, set_in(now, ("status",), {**now["status"], **status}))


def ready(client: Client, container: Object, value: bool = True) -> None:
    """The program's readiness probe answers yes (or no) from now on."""
    _change(client, container, ready=value)


def remember(client: Client, container: Object, memory: dict[str, Any]) -> None:
    """Replace what the process keeps in memory."""
    _change(client, container, memory=memory)


def exit(client: Client, container: Object, code: int, reason: str = "", message: str = "") -> None:
    """The process ends. The kubelet gives the reason `Completed` or `Error` where none is given."""
    _change(client, container, state="exited", finishedAt=client.now, exitCode=code, reason=reason, message=message)


def log(client: Client, container: Object, line: str, stream: str = "stdout", at: int | None = None) -> None:
    """Append to the log of the container's present attempt; `at` in ms, now by default. Newlines make several lines."""
    now = client.find(CONTAINERS, name_of(container), namespace_of(container))
    if now is None or now["spec"]["podUID"] != container["spec"]["podUID"]:
        return
    when = client.now if at is None else at
    append(client, now, [(when, stream, part) for part in line.split("\n")])


def append(client: Client, container: Object, lines: list[Line]) -> None:
    name, namespace = name_of(container), namespace_of(container)
    attempt = int(container["spec"].get("attempt", 0))
    found = client.find(LOGS, name, namespace)
    attempts = dict(found["attempts"]) if found is not None else {}
    attempts[str(attempt)] = [*attempts.get(str(attempt), []), *(list(line) for line in lines)]
    # The log files of older attempts are removed, as the kubelet's container garbage collection does.
    attempts = {key: value for key, value in attempts.items() if int(key) >= attempt - 1}
    if found is None:
        body = {"apiVersion": API_VERSION, "kind": "Log", "metadata": {"name": name}, "attempts": attempts}
        client.create(LOGS, body, namespace)
    else:
        client.update(LOGS, {**found, "attempts": attempts}, namespace)


def read_logs(
    client: Client,
    namespace: str,
    pod: str,
    container: str,
    previous: bool = False,
    tail: int | None = None,
    since: int | None = None,
) -> list[Line]:
    """The log lines as (ms, stream, text), oldest first: the last `tail`, not older than `since` (ms).

    Raises ApiError with the API server's and the kubelet's texts for a container that is unknown or has not started.
    """
    found = client.get("pods", pod, namespace)
    groups = ("containers", "initContainers", "ephemeralContainers")
    known = [c["name"] for group in groups for c in get_in(found, "spec", group, default=())]
    if container not in known:
        raise errors.bad_request(f"container {container} is not valid for pod {pod}")
    current = find(client, namespace, pod, container)
    state = get_in(current, "status", "state", default="created")
    attempt = int(get_in(current, "spec", "attempt", default=0))
    if previous:
        if current is None or attempt == 0:
            raise errors.bad_request(f'previous terminated container "{container}" in pod "{pod}" not found')
        attempt -= 1
    elif current is None or (state == "created" and attempt == 0):
        raise errors.bad_request(
            f'container "{container}" in pod "{pod}" is waiting to start: {_waiting(found, container)}'
        )
    elif state == "created":
        attempt -= 1  # waiting for its restart: the log shown is that of the attempt before
    logs = client.find(LOGS, object_name(pod, container), namespace)
    lines = [
        (int(at), str(stream), str(text)) for at, stream, text in get_in(logs, "attempts", str(attempt), default=())
    ]
    lines += _periodic(client, current, attempt, state)
    lines = sorted(lines, key=lambda line: line[0])
    if since is not None:
        lines = [line for line in lines if line[0] >= since]
    if tail is not None and tail >= 0:
        lines = lines[len(lines) - tail :] if tail < len(lines) else lines
    return lines


def _waiting(pod: Object, container: str) -> str:
    for group in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in get_in(pod, "status", group, default=()):
            if status["name"] == container:
                reason = str(get_in(status, "state", "waiting", "reason", default="ContainerCreating"))
                pulling = reason in ("ErrImagePull", "ImagePullBackOff")
                return "trying and failing to pull image" if pulling else reason
    return "ContainerCreating"


def _periodic(client: Client, container: Object | None, attempt: int, state: str) -> list[Line]:
    """Lines that a running program prints for ever; computed when read, so that a steady world writes nothing."""
    chatter = get_in(container, "status", "chatter")
    if container is None or not chatter or attempt != int(container["spec"].get("attempt", 0)):
        return []
    began = int(container["status"]["startedAt"]) + int(chatter["after"])
    end = int(container["status"]["finishedAt"]) if state == "exited" else client.now
    every, most = int(chatter["every"]), int(chatter.get("keep", 1000))
    count = max(0, (end - began) // every + 1) if end >= began else 0
    first = max(0, count - most)
    return [(began + n * every, "stdout", text) for n in range(first, count) for text in chatter["lines"]]
