"""kubectl attach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import attaching, execution, podchoice
from labsim.commands.kubectl.errors import Failure, not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.kube.objects import get_in, name_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "attach (POD | TYPE/NAME) -c CONTAINER"
ABOUT = """Show what the main process of a container prints from now on; with -it work in it if it is a shell.

 `exit` in such a shell ends the container."""
EXAMPLES = """  kubectl attach web-0
  kubectl attach toolbox -c main -it"""
SPEC = (
    Flag("container", "c", help="Name of the container"),
    Flag("pod-running-timeout", kind="duration", default=60_000, shown="1m0s", help="How long to wait for a pod"),
    Flag("quiet", "q", kind="bool", help="Print only what the program prints"),
    Flag("stdin", "i", kind="bool", help="Hand standard input to the program"),
    Flag("tty", "t", kind="bool", help="Standard input is a terminal"),
)


def run(kubectl: Kubectl) -> int:
    flags, args = kubectl.flags, kubectl.args
    if not args:
        raise Failure("at least 1 argument is required for attach")
    if len(args) > 2:
        seen = f"saw {len(args)}: [{' '.join(args)}]"
        raise Failure(f"expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) {seen}")
    pod = podchoice.find(kubectl, "/".join(args), "", int(flags["pod-running-timeout"]))
    phase = get_in(pod, "status", "phase")
    if phase in ("Succeeded", "Failed"):
        raise Failure(f"cannot attach a container in a completed pod; current phase is {phase}")
    named = flags["container"] or execution.default_container(kubectl, pod, flags["quiet"])
    specs = [c for group in attaching.GROUPS for c in pod["spec"].get(group) or ()]
    spec = next((c for c in specs if c["name"] == named), None)
    if spec is None:
        raise Failure(f"cannot attach to the container: container {named} not found in pod {name_of(pod)}")
    if flags["tty"] and not spec.get("tty") and not flags["quiet"]:
        kubectl.err(f"error: Unable to use a TTY - container {named} did not allocate one\n")
    if not flags["quiet"]:
        kubectl.err(attaching.RECORDED + attaching.PROMPT)
    execution.running(kubectl, pod, named)
    if flags["stdin"]:
        if attaching.open_shell(kubectl, pod, named):
            return 0
        if kubectl.ctx.stdin:
            raise not_simulated("typing into a program that is no shell")
    attaching.follow(kubectl, pod, named, since=kubectl.now())
    return 0
