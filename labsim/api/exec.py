"""pods/NAME/exec over a WebSocket (v5.channel.k8s.io and v4): a program is run to its end, as from the terminal.

A frame is a channel number and bytes: 0 stdin, 1 stdout, 2 stderr, 3 a Status, 255 (v5) the end of the channel named.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from urllib.parse import parse_qsl

from labsim.commands.kubectl.execution import is_shell
from labsim.kube.errors import bad_request, method_not_allowed
from labsim.kube.objects import Object, get_in
from labsim.kube.rest.paths import find
from labsim.lab import Lab

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
STDIN, STDOUT, STDERR, ERROR, CLOSE = 0, 1, 2, 3, 255
_NO_TASK = "Internal error occurred: "
_FRAME = 32 * 1024


@dataclass(frozen=True)
class Execution:
    """What a client wants to run. `stdin`: it will send input and close it."""

    namespace: str
    pod: str
    container: str
    command: list[str]
    stdin: bool
    tty: bool


def wanted(lab: Lab, path: str, query: str) -> Execution:
    """Raises 400 for what is missing, 404 for no pod, 405 for attach, port-forward and interactive shells."""
    target = find(lab.client.scheme, path)
    if target.sub != "exec":
        raise method_not_allowed(
            f"labsim: {target.resource.plural}/{target.sub or 'get'} is not simulated over the API"
        )
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace")
    command = [value for name, value in pairs if name == "command"]
    given = dict(pairs)
    if not command:
        raise bad_request("you must specify at least one command for the container")
    pod = lab.client.get("pods", target.name, target.namespace)
    names = [str(c["name"]) for c in get_in(pod, "spec", "containers", default=())]
    if not given.get("container") and len(names) > 1:
        raise bad_request(
            f"a container name must be specified for pod {target.name}, choose one of: [{' '.join(names)}]"
        )
    tty, stdin = given.get("tty") in ("true", "1"), given.get("stdin") in ("true", "1")
    if tty and is_shell(command):
        raise method_not_allowed("labsim: an interactive shell over the API is not simulated; type it in the terminal")
    return Execution(target.namespace, target.name, given.get("container") or names[0], command, stdin and not tty, tty)


def run(lab: Lab, execution: Execution, stdin: str) -> list[bytes]:
    """The frames of the answer. Waits while a typed line is being played."""
    what = {
        "namespace": execution.namespace, "pod": execution.pod, "container": execution.container,
        "command": execution.command, "stdin": stdin if execution.stdin else None,
    }  # fmt: skip
    while True:
        with lab.lock:
            if not lab.hands.active:
                outcome = lab.execute(what)
                break
        time.sleep(0.05)
    out, err = outcome.stdout, outcome.stderr
    message = err.removeprefix("error: ").rstrip("\n") if err.startswith(f"error: {_NO_TASK}") else ""
    if message:
        err = ""
    if execution.tty:
        out, err = (out + err).replace("\n", "\r\n"), ""
    frames = _frames(STDOUT, out) + _frames(STDERR, err)
    return [*frames, bytes([ERROR]) + json.dumps(_status(outcome.exit_code, message)).encode()]


def _frames(channel: int, text: str) -> list[bytes]:
    data = text.encode("utf-8", "surrogateescape")
    return [bytes([channel]) + data[at : at + _FRAME] for at in range(0, len(data), _FRAME)]


def _status(code: int, message: str) -> Object:
    if message:
        return {"metadata": {}, "status": "Failure", "message": message, "reason": "InternalError", "code": 500}
    if not code:
        return {"metadata": {}, "status": "Success"}
    cause = {"reason": "ExitCode", "message": str(code)}
    return {
        "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]},
        "message": f"command terminated with non-zero exit code: error executing command, exit code {code}",
    }  # fmt: skip
