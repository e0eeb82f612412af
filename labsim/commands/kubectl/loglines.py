"""The text of a container's log as the API server gives it out, and whether more can come."""

from __future__ import annotations

from collections.abc import Mapping

from labsim.kube import errors
from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in
from labsim.sim.clock import parse_time, rfc3339

GROUPS = ("containers", "initContainers", "ephemeralContainers")
_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def container_names(pod: Object) -> list[str]:
    return [str(c["name"]) for group in GROUPS for c in get_in(pod, "spec", group, default=())]


def server_log(client: Client, namespace: str, pod: str, query: Mapping[str, str]) -> str:
    """GET pods/NAME/log with the options of PodLogOptions as texts. Raises ApiError with the server's texts."""
    found = client.get("pods", pod, namespace)
    container = query.get("container") or ""
    if not container:
        names = [str(c["name"]) for c in get_in(found, "spec", "containers", default=())]
        if len(container_names(found)) > 1:
            raise errors.bad_request(
                f"a container name must be specified for pod {pod}, choose one of: [{' '.join(names)}]"
            )
        container = names[0]
    from labsim.kubelet.runtime import read_logs

    node = str(get_in(found, "spec", "nodeName", default=""))
    # The server fetches logs from the kubelet: it reads them under the node's identity.
    kubelet = Client(client.api, f"system:node:{node}")
    lines = read_logs(
        kubelet,
        namespace,
        pod,
        container,
        previous=query.get("previous") == "true",
        tail=int(query["tailLines"]) if query.get("tailLines") else None,
        since=since_ms(client.now, query),
    )
    stamped = query.get("timestamps") == "true"
    text = "".join(f"{stamp(at)} {line}\n" if stamped else f"{line}\n" for at, _, line in lines)
    limit = query.get("limitBytes")
    return text.encode()[: int(limit)].decode("utf-8", "ignore") if limit else text


def since_ms(now: int, query: Mapping[str, str]) -> int | None:
    if query.get("sinceSeconds"):
        return now - int(query["sinceSeconds"]) * 1000
    if query.get("sinceTime"):
        return parse_time(query["sinceTime"])
    return None


def stamp(ms: int) -> str:
    """RFC 3339 with nanoseconds, as containerd writes before each line (milliseconds are known)."""
    return rfc3339(ms)[:-1] + f".{ms % 1000:03d}000000Z"


def status_of(pod: Object, container: str) -> Object | None:
    for group in _STATUSES:
        for status in get_in(pod, "status", group, default=()):
            if status.get("name") == container:
                found: Object = status
                return found
    return None


def container_ended(client: Client, namespace: str, pod: str, container: str) -> bool:
    """Whether a follower of this container's log has seen its end."""
    found = client.find("pods", pod, namespace)
    if found is None:
        return True
    status = status_of(found, container or container_names(found)[0])
    return status is not None and get_in(status, "state", "terminated") is not None
