"""Sending new objects: what create, its generators, run and expose share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import last_applied
from labsim.commands.kubectl.errors import Failure, with_context
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import OUTPUT
from labsim.commands.kubectl.writing import DRY_RUN, VALIDATE, DryRun, dry_run, field_manager, report, validation
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, meta
from labsim.kube.scheme import Resource

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

SAVE_CONFIG = Flag("save-config", kind="bool", help="Keep the configuration in the object's annotation, for apply")
GENERATOR = (*OUTPUT, DRY_RUN, VALIDATE, SAVE_CONFIG, field_manager("kubectl-create"))


def one_name(kubectl: Kubectl, usage: str = "NAME") -> str:
    """The NAME of a generator. Raises UsageFailure."""
    from labsim.commands.kubectl.errors import UsageFailure

    if len(kubectl.args) != 1:
        given = len(kubectl.args)
        raise UsageFailure(kubectl.path, f"exactly one {usage} is required, got {given}")
    return kubectl.args[0]


def make(kubectl: Kubectl, resource: str, obj: Object, what: str = "") -> int:
    """Create what a generator has made and print it. `what`: "failed to create WHAT" before a refusal."""
    dry, validate = dry_run(kubectl), validation(kubectl)
    res = kubectl.client.scheme.find(resource)
    assert res is not None
    obj = {"apiVersion": res.api_version, "kind": res.kind, **obj}
    if res.namespaced and (dry != "client" or kubectl.namespace_given):
        obj = {**obj, "metadata": {**meta(obj), "namespace": kubectl.namespace}}
    obj = last_applied.updated(obj, bool(kubectl.flags["save-config"]))
    if dry == "client":
        report(kubectl, obj, "created", dry)
        return 0
    try:
        answer = send(kubectl, res, obj, kubectl.namespace, dry, validate)
    except ApiError as error:
        if not what:
            raise
        if error.code == 422:
            raise
        raise Failure(f"failed to create {what}: {error.message}") from None
    report(kubectl, answer, "created", dry)
    return 0


def send(kubectl: Kubectl, res: Resource, obj: Object, namespace: str, dry: DryRun, validate: str) -> Object:
    warnings: list[str] = []
    answer = kubectl.client.create(
        res.key,
        obj,
        namespace if res.namespaced else "",
        dry_run=dry == "server",
        field_validation=validate,
        warnings=warnings,
    )
    kubectl.warn(warnings)
    return {"apiVersion": res.api_version, "kind": res.kind, **answer}


def with_source(error: ApiError, verb: str, source: str) -> ApiError:
    return with_context(error, f'error when {verb} "{source}"') if source else error


def required(kubectl: Kubectl, *names: str) -> None:
    """Raises Failure when a flag that is needed was not given."""
    missing = [f'"{name}"' for name in names if not kubectl.given(name)]
    if missing:
        raise Failure(f"required flag(s) {', '.join(missing)} not set")


def name_and_command(kubectl: Kubectl, dash: int) -> tuple[str, list[str]]:
    """`NAME -- COMMAND args`. Raises UsageFailure."""
    from labsim.commands.kubectl.errors import UsageFailure

    names, command = kubectl.args[:dash], kubectl.args[dash:]
    if not names or (kubectl.dash < 0 and len(names) > 1):
        raise UsageFailure(kubectl.path, f"exactly one NAME is required, got {len(names)}")
    return names[0], [*names[1:], *command]


def container_names(images: Sequence[str]) -> list[str]:
    """A name for each container: the image's last part without tag and digest, made unique."""
    import re

    found: list[str] = []
    for image in images:
        last = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
        name = re.sub(r"[^a-zA-Z0-9-]+", "-", last.replace("_", "-")).strip("-").lower()[:63]
        base, number = name, 0
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.append(name)
    return found


def label_selector(text: str) -> dict[str, Any]:
    """`a=b,c in (d)` as a LabelSelector. Raises Failure."""
    from labsim.kube.selectors import parse_label

    try:
        requirements = parse_label(text).requirements
    except ValueError as error:
        raise Failure(str(error)) from None
    labels: dict[str, str] = {}
    terms: list[dict[str, Any]] = []
    names = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}
    for key, op, values in requirements:
        if op == "in" and len(values) == 1:
            labels[key] = values[0]
        else:
            terms.append({"key": key, "operator": names.get(op, op), **({"values": list(values)} if values else {})})
    return {**({"matchLabels": labels} if labels else {}), **({"matchExpressions": terms} if terms else {})}
