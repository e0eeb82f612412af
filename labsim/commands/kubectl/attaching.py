"""Attaching to a container's main process: what it prints from now on, or the shell that it is (run, attach, debug)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands import place
from labsim.commands.base import NoTerminal
from labsim.commands.kubectl import execution
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.writing import wait
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

GROUPS = ("containers", "initContainers", "ephemeralContainers")
RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and sensitive "
    "information passed through the command prompt.\n"
)
PROMPT = "If you don't see a command prompt, try pressing enter.\n"


def spec_of(pod: Object, container: str) -> Object:
    """The container of a pod's spec, in whatever group."""
    groups = (get_in(pod, "spec", group, default=()) for group in GROUPS)
    return next(dict(c) for group in groups for c in group if c["name"] == container)


def status_of(pod: Object | None, container: str) -> Object:
    """The status of one container of any group; {} while there is none."""
    for group in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in get_in(pod, "status", group, default=()):
            if status["name"] == container:
                found: Object = status
                return found
    return {}


def started(kubectl: Kubectl, namespace: str, name: str, container: str, timeout: int) -> Object:
    """The pod once the container runs or has ended. Raises Failure after `timeout` ms."""

    def there() -> bool:
        state = status_of(kubectl.client.find("pods", name, namespace), container).get("state") or {}
        return "running" in state or "terminated" in state

    if not there() and not wait(kubectl, there, timeout):
        raise Failure("timed out waiting for the condition")
    return kubectl.client.get("pods", name, namespace)


def open_shell(kubectl: Kubectl, pod: Object, container: str, removal: Sequence[str] = ()) -> bool:
    """Open the shell that the container's main process is; False if it is none or has no terminal.

    When the session ends so does the container; `removal` are kubectl's words to delete the pod then.
    """
    spec = spec_of(pod, container)
    shell = execution.main_shell(spec)
    is_running = "running" in status_of(pod, container).get("state", {})
    if not (spec.get("stdin") and spec.get("tty") and shell and is_running):
        return False
    running = execution.running(kubectl, pod, container)
    execution.check(running, [shell], kubectl.now())
    place_spec = execution.session(kubectl, pod, running, shell)
    try:
        kubectl.ctx.push_session(execution.main_process(place_spec, pod, running, removal))
    except NoTerminal:
        text = "Unable to use a TTY - input is not a terminal or the right kind of file"
        raise Failure(text, prefix=False) from None
    return True


def follow(kubectl: Kubectl, pod: Object, container: str, since: int | None = None) -> int:
    """Print what the container prints (from `since` ms on) until it ends; its exit code."""
    from labsim.kubelet import runtime

    namespace, name = namespace_of(pod), name_of(pod)
    played = execution.play_main(kubectl, pod, container, spec_of(pod, container)) if since is None else None
    if played is not None:
        return played
    client, shown = place.hardware_client(kubectl.ctx), 0

    def lines() -> list[tuple[int, str, str]]:
        try:
            return runtime.read_logs(client, namespace, name, container, since=since)
        except ApiError:
            return []

    def over() -> bool:
        now = kubectl.client.find("pods", name, namespace)
        return now is None or "terminated" in status_of(now, container).get("state", {})

    def more() -> bool:
        return over() or len(lines()) > shown

    while True:
        done, found = over(), lines()
        for _, stream, text in found[shown:]:
            kubectl.ctx.emit(text + "\n", "stderr" if stream == "stderr" else "stdout")
        shown = len(found)
        if done:
            break
        wait(kubectl, more)
    state = status_of(kubectl.client.find("pods", name, namespace), container).get("state", {})
    return int(get_in(state, "terminated", "exitCode", default=0))
