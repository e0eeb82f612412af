"""kubectl exec (kubectl.md 4.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import NoTerminal
from labsim.commands.kubectl import execution, podchoice
from labsim.commands.kubectl.errors import Exit, Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]"
ABOUT = """Run a program in a container that runs.

 Without -c it is the container that the pod's annotation kubectl.kubernetes.io/default-container names, else the first.
The exit code is that of the program. `-it ... -- bash` opens a shell in the container; `exit` leaves it."""
EXAMPLES = """  # What the driver sees
  kubectl exec -n gpu-operator ds/nvidia-driver-daemonset -- nvidia-smi -L

  # A shell in a pod
  kubectl exec -it web-0 -- bash"""
SPEC = (
    *(flag for flag in FILENAME if flag.name == "filename"),
    Flag("container", "c", help="Name of the container"),
    Flag(
        "pod-running-timeout", kind="duration", default=60_000, shown="1m0s", help="How long to wait for a running pod"
    ),
    Flag("quiet", "q", kind="bool", help="Print only what the program prints"),
    Flag("stdin", "i", kind="bool", help="Hand standard input to the program"),
    Flag("tty", "t", kind="bool", help="Standard input is a terminal"),
)
NO_TTY = "Unable to use a TTY - input is not a terminal or the right kind of file\n"


def run(kubectl: Kubectl) -> int:
    flags, args = kubectl.flags, kubectl.args
    name = args[0] if args and kubectl.dash != 0 else ""
    if kubectl.dash > -1:
        command = args[kubectl.dash :]
    elif len(args) > 1 or (args and flags["filename"]):
        raise UsageFailure(
            kubectl.path, "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead"
        )
    else:
        command = []
    if not name and not flags["filename"]:
        raise Failure("pod, type/name or --filename must be specified")
    if not command:
        raise Failure("you must specify at least one command for the container")
    pod = podchoice.find(
        kubectl, name, "cannot exec into multiple objects at a time", int(flags["pod-running-timeout"])
    )
    phase = pod.get("status", {}).get("phase")
    if phase in ("Succeeded", "Failed"):
        raise Failure(f"cannot exec into a container in a completed pod; current phase is {phase}")
    named = flags["container"] or execution.default_container(kubectl, pod, flags["quiet"])
    tty = flags["tty"]
    if tty and not flags["stdin"]:
        tty = False
    if tty and not kubectl.ctx.stdin_is_tty:
        if not flags["quiet"]:
            kubectl.err(NO_TTY)
        tty = False
    container = execution.running(kubectl, pod, named)
    if tty and execution.is_shell(command):
        execution.check(container, command, kubectl.now())
        shell = command[0].rpartition("/")[2]
        try:
            kubectl.ctx.push_session(execution.session(kubectl, pod, container, shell))
            return 0
        except NoTerminal:
            kubectl.err(NO_TTY)
    code = execution.run(kubectl, pod, container, command, flags["stdin"])
    if code:
        if not flags["quiet"]:
            kubectl.err(f"command terminated with exit code {code}\n")
        raise Exit(code)
    return 0
