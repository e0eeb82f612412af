"""kubectl replace (kubectl.md 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, deletion, last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.writing import DRY_RUN, VALIDATE, dry_run, field_manager, report, validation
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "replace -f FILENAME"
ABOUT = """Replace objects by those of a file or stdin. The file must have the whole object.

 With --force the object is deleted first and made again, which also changes what cannot be changed in place."""
EXAMPLES = """  # Change an object that was saved and edited
  kubectl get cm settings -o yaml > settings.yaml
  kubectl replace -f settings.yaml

  # A pod with another image pull policy: only by making it again
  kubectl replace --force -f pod.yaml"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    DRY_RUN,
    VALIDATE,
    creating.SAVE_CONFIG,
    *deletion.flags(wait_default=False),
    field_manager("kubectl-replace"),
    Flag("raw", help="Path on the server to put the file to", refused=True),
    Flag("subresource", help="Replace this subresource of the object (status, scale, resize)"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    dry, validate = dry_run(kubectl), validation(kubectl)
    if not flags["filename"] and not flags["kustomize"]:
        raise Failure("must specify one of -f and -k")
    if kubectl.args:
        raise UsageFailure(kubectl.path, f"Unexpected args: [{' '.join(kubectl.args)}]")
    grace, force = int(flags["grace-period"]), flags["force"]
    if grace >= 0 and not force:
        raise Failure("--grace-period must have --force specified")
    if flags["timeout"] and not force:
        raise Failure("--timeout must have --force specified")
    propagation = deletion.propagation(kubectl)
    result = kubectl.resources([], fetch_files=False)
    if force:
        # A grace period of 0 becomes 1; the wait ends after five minutes unless --timeout says otherwise.
        how = deletion.Deletion(grace or 1, propagation, dry, int(flags["timeout"]) or 300_000)
        return _force(kubectl, result.all_infos(), how, validate)

    def act(info: Info) -> None:
        obj = last_applied.updated(_placed(info), flags["save-config"])
        if dry == "client":
            report(kubectl, obj, "replaced", dry)
            return
        warnings: list[str] = []
        try:
            answer = kubectl.client.update(
                info.resource.key,
                obj,
                info.namespace,
                subresource=flags["subresource"],
                dry_run=dry == "server",
                field_validation=validate,
                warnings=warnings,
            )
        except ApiError as error:
            raise creating.with_source(error, "replacing", info.source) from None
        kubectl.warn(warnings)
        answer = {"apiVersion": info.resource.api_version, "kind": info.resource.kind, **answer}
        report(kubectl, answer, "replaced", dry)

    result.visit(act)
    return 0


def _placed(info: Info) -> Object:
    if not info.resource.namespaced or meta(info.obj).get("namespace"):
        return info.obj
    return {**info.obj, "metadata": {**meta(info.obj), "namespace": info.namespace}}


def _force(kubectl: Kubectl, infos: list[Info], how: deletion.Deletion, validate: str) -> int:
    """Delete what is there, wait until it is gone, create everything."""
    waiting: list[tuple[Info, str]] = []
    for info in infos:
        uid = deletion.uid_now(kubectl, info)
        if not uid:
            continue
        named = Info(info.resource, info.namespace, info.name, info.obj)
        if how.dry == "client":
            deletion.tell(kubectl, named, how)
            continue
        deletion.delete(kubectl, named, how)
        waiting.append((info, uid))
    if how.dry == "none":
        deletion.wait_until_gone(kubectl, waiting, how.timeout)
    for info in infos:
        obj = last_applied.updated(_placed(info), kubectl.flags["save-config"])
        if how.dry == "none":
            obj = creating.send(kubectl, info.resource, obj, info.namespace, how.dry, validate)
        report(kubectl, obj, "replaced", how.dry)
    return 0
