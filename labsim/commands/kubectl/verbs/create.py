"""kubectl create -f (kubectl.md 4.4). The generators are in files of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, UsageFailure, not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, SELECTOR
from labsim.commands.kubectl.writing import RECORD, dry_run, record, report, validation
from labsim.kube.errors import ApiError
from labsim.kube.objects import meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create -f FILENAME"
ABOUT = "Create objects from a file or stdin. An object of that name must not exist."
EXAMPLES = """  # From a file, from stdin
  kubectl create -f pod.yaml
  cat pod.yaml | kubectl create -f -"""
SPEC = (
    *creating.GENERATOR,
    *FILENAME,
    SELECTOR,
    RECORD,
    Flag("edit", kind="bool", help="Edit the objects before they are created"),
    Flag("raw", help="Path on the server to post the file to", refused=True),
    Flag("windows-line-endings", kind="bool", help="With --edit: line ends of Windows", refused=True),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    recording, dry, validate = record(kubectl), dry_run(kubectl), validation(kubectl)
    if kubectl.args:
        raise UsageFailure(kubectl.path, f"Unexpected args: [{' '.join(kubectl.args)}]")
    if not flags["filename"] and not flags["kustomize"]:
        from labsim.commands.kubectl.help import command_help

        kubectl.err("Error: must specify one of -f and -k\n\n" + command_help(kubectl.command))
        raise Failure("must specify one of -f and -k")
    if flags["edit"]:
        raise not_simulated("kubectl create --edit")
    if recording:
        raise not_simulated("kubectl create --record")
    result = kubectl.resources([], fetch_files=False)

    def act(info: Info) -> None:
        obj = info.obj
        if info.resource.namespaced and not meta(obj).get("namespace"):
            obj = {**obj, "metadata": {**meta(obj), "namespace": info.namespace}}
        obj = last_applied.updated(obj, flags["save-config"])
        if dry != "client":
            try:
                obj = creating.send(kubectl, info.resource, obj, info.namespace, dry, validate)
            except ApiError as error:
                raise creating.with_source(error, "creating", info.source) from None
        report(kubectl, obj, "created", dry)

    result.visit(act)
    return 0
