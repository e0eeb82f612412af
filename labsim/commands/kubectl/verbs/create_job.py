"""kubectl create job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.kube.objects import annotations_of, labels_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create job NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]"
ABOUT = "Create a job from an image, or at once what a cron job would start."
EXAMPLES = """  kubectl create job one --image=busybox -- date"""
SPEC = (
    *creating.GENERATOR,
    Flag("from", help="Cron job to start now: cronjob/NAME"),
    Flag("image", help="Image to run"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    dash = kubectl.dash if kubectl.dash >= 0 else len(kubectl.args)
    name, command = creating.name_and_command(kubectl, dash)
    if bool(flags["image"]) == bool(flags["from"]):
        raise Failure("either --image or --from must be specified")
    if command and flags["from"]:
        raise Failure("cannot specify --from and command")
    if flags["from"]:
        return creating.make(kubectl, "jobs.batch", _from(kubectl, name), "job")
    container: dict[str, Any] = {"name": name, "image": flags["image"], "resources": {}}
    if command:
        container["command"] = command
    template = {"metadata": {}, "spec": {"containers": [container], "restartPolicy": "Never"}}
    return creating.make(
        kubectl, "jobs.batch", {"metadata": {"name": name}, "spec": {"template": template}, "status": {}}, "job"
    )


def _from(kubectl: Kubectl, name: str) -> dict[str, Any]:
    infos = kubectl.resources([kubectl.flags["from"]]).all_infos()
    if len(infos) != 1:
        raise Failure("from must be an existing cronjob")
    cron = infos[0]
    if cron.resource.kind != "CronJob":
        raise Failure("from must be an existing cronjob")
    template = cron.obj["spec"]["jobTemplate"]
    metadata = {
        "name": name,
        "annotations": {"cronjob.kubernetes.io/instantiate": "manual", **annotations_of(template)},
        "labels": labels_of(template),
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": cron.name,
                "uid": cron.obj["metadata"]["uid"],
                "controller": True,
            }
        ],
    }
    return {"metadata": {k: v for k, v in metadata.items() if v}, "spec": template["spec"], "status": {}}
