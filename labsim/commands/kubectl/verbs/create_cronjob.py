"""kubectl create cronjob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create cronjob NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]"
ABOUT = "Create a cron job."
EXAMPLES = """  kubectl create cronjob hourly --image=busybox --schedule='0 * * * *' -- date"""
SPEC = (
    *creating.GENERATOR,
    Flag("image", help="Image to run"),
    Flag("restart", help="Restart policy of the job: OnFailure or Never"),
    Flag("schedule", help="When to run, in cron's form"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    creating.required(kubectl, "image", "schedule")
    dash = kubectl.dash if kubectl.dash >= 0 else len(kubectl.args)
    name, command = creating.name_and_command(kubectl, dash)
    container: dict[str, Any] = {"name": name, "image": flags["image"], "resources": {}}
    if command:
        container["command"] = command
    pod = {"containers": [container], "restartPolicy": flags["restart"] or "OnFailure"}
    job = {"metadata": {"name": name}, "spec": {"template": {"metadata": {}, "spec": pod}}}
    spec = {"schedule": flags["schedule"], "jobTemplate": job}
    return creating.make(kubectl, "cronjobs.batch", {"metadata": {"name": name}, "spec": spec, "status": {}}, "cronjob")
