"""Changing objects by a strategic patch between before and after: `set ...` and `rollout restart|pause|resume`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.builder import Info, raise_all
from labsim.commands.kubectl.errors import Failure, standard_text
from labsim.commands.kubectl.local_patch import schema_of
from labsim.commands.kubectl.writing import DryRun, patch, report
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, set_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

# Where a kind keeps its pod spec.
_POD_SPECS = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
_TEMPLATED = ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job", "ReplicationController")


class NotChanged(Exception):
    """Why an object cannot be changed; the text follows the object's name."""


def pod_spec_path(obj: Object) -> tuple[str, ...]:
    """Raises NotChanged for a kind without pods."""
    kind = str(obj.get("kind", ""))
    if kind in _TEMPLATED:
        return ("spec", "template", "spec")
    if kind in _POD_SPECS:
        return _POD_SPECS[kind]
    raise NotChanged(f"the object is not a pod or does not have a pod template: *v1.{kind}")


def with_pod_spec(obj: Object, change: Callable[[Object], Object]) -> Object:
    path = pod_spec_path(obj)
    return set_in(obj, path, change(get_in(obj, *path, default={})))


def with_containers(spec: Object, group: str, change: Callable[[Object], Object]) -> Object:
    """A pod spec with every container of a group ("containers", "initContainers") changed."""
    found = spec.get(group)
    return {**spec, group: [change(c) for c in found]} if found else spec


def two_way(before: Object, after: Object) -> Any:
    from labsim.kube.patch import create_two_way

    return create_two_way(before, after, schema_of(before))


def change_all(
    kubectl: Kubectl,
    infos: list[Info],
    change: Callable[[Info], Object],
    done: str,
    dry: DryRun,
    errors: list[Exception],
    *,
    local: bool = False,
    failed: str = "failed to patch: {}",
    cannot: str = 'error: {resource} "{name}" {why}',
    same: str = "",
) -> None:
    """Patch each object to `change(info)`. `failed` frames a refusal by the server, `cannot` a NotChanged, `same` is
    the error for an object that stays as it is ("" passes it over). Raises all errors at the end.
    """
    planned: list[tuple[Info, Object | NotChanged]] = []
    for info in infos:
        try:
            planned.append((info, change(info)))
        except NotChanged as why:
            planned.append((info, why))
    for info, after in planned:
        if isinstance(after, NotChanged):
            errors.append(
                Failure(cannot.format(resource=info.resource.key, name=info.name, object=_object(info), why=after))
            )
            continue
        body = two_way(info.obj, after)
        if not body:
            if same:
                errors.append(Failure(same.format(name=info.name)))
            continue
        if local or dry == "client":
            report(kubectl, after, done, dry)
            continue
        try:
            options: dict[str, Any] = {"field_manager": kubectl.flags.get("field-manager", "")}
            answer = patch(
                kubectl, info.resource, info.name, info.namespace, body, "strategic", dry_run=dry == "server", **options
            )
        except ApiError as error:
            errors.append(Failure(failed.format(_plain(error))))
            continue
        report(kubectl, answer, done, dry)
    raise_all(errors)


def _object(info: Info) -> str:
    return f"{info.resource.plural}/{info.name}"


def _plain(error: ApiError) -> str:
    """The error as Go's %v prints it: the server's message."""
    return error.message or standard_text(error)
