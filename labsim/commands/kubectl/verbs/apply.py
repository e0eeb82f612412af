"""kubectl apply: create what is missing, change what differs from the file (kubectl.md 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import deletion, last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, not_simulated, with_context
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.writing import (
    ALL,
    DRY_RUN,
    VALIDATE,
    DryRun,
    dry_run,
    field_manager,
    patch,
    report,
    result_text,
    validation,
)
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, annotations_of, meta

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "apply (-f FILENAME | -k DIRECTORY)"
ABOUT = """Apply objects from a file or stdin.

 Objects that are missing are created. Others are changed by a three-way merge of the file, the object and what was
applied last (kept in an annotation): fields that left the file leave the object, what others have set stays.
--server-side lets the API server do this by field managers."""
EXAMPLES = """  # A file, a directory, stdin
  kubectl apply -f pod.yaml
  kubectl apply -f manifests/
  cat pod.yaml | kubectl apply -f -"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    SELECTOR,
    ALL,
    DRY_RUN,
    VALIDATE,
    *deletion.flags(wait_default=False),
    field_manager("kubectl-client-side-apply"),
    Flag("force-conflicts", kind="bool", help="With --server-side: take over fields of other managers"),
    Flag(
        "openapi-patch", kind="bool", default=True, help="Use the OpenAPI schema for the patch where there is no type"
    ),
    Flag("overwrite", kind="bool", default=True, help="Resolve conflicts by the file's values"),
    Flag("prune", kind="bool", help="Delete objects that are no longer in the files", refused=True),
    Flag("prune-allowlist", kind="array", help="Kinds that --prune may delete", refused=True),
    Flag("server-side", kind="bool", help="Apply in the server instead of the client"),
    Flag("subresource", help="With --server-side: apply this subresource"),
)
_MISSING = (
    "Warning: resource {} is missing the {} annotation which is required by kubectl apply. kubectl apply should only "
    "be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing "
    "annotation will be patched automatically.\n"
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if kubectl.args:
        from labsim.commands.kubectl.errors import UsageFailure

        raise UsageFailure(kubectl.path, f"Unexpected args: [{' '.join(kubectl.args)}]")
    dry, validate = dry_run(kubectl), validation(kubectl)
    _check(kubectl, dry)
    if not flags["filename"] and not flags["kustomize"]:
        raise Failure("must specify one of -f and -k")
    done: list[str] = []
    objects: list[Object] = []
    result = kubectl.resources([], fetch_files=False)

    def act(info: Info) -> None:
        if not info.name:
            _without_name(info)
        answer, said = (
            _server_side(kubectl, info, dry, validate) if flags["server-side"] else _apply(kubectl, info, dry, validate)
        )
        objects.append(answer)
        if not flags["output"] and not flags["template"]:
            report(kubectl, answer, said, dry)
        done.append(said)

    try:
        result.visit(act)
    finally:
        if objects and (flags["output"] or flags["template"]):
            _print(kubectl, objects, done, dry)
    return 0


def _print(kubectl: Kubectl, objects: list[Object], done: list[str], dry: DryRun) -> None:
    """-o: one object as it is, several as a List; names one by one."""
    if len(objects) == 1 or kubectl.flags["output"] == "name":
        for obj, said in zip(objects, done):
            kubectl.out(result_text(kubectl, obj, said, dry))
        return
    text = result_text(kubectl, {"apiVersion": "v1", "kind": "List", "items": objects, "metadata": {}}, "", dry)
    if kubectl.flags["output"].lower() == "json":  # a typed List: its own fields stand in Go's order
        items = text[text.index('    "items": [') : text.rindex('    "kind": "List"')].rstrip(",\n")
        text = f'{{\n    "kind": "List",\n    "apiVersion": "v1",\n    "metadata": {{}},\n{items}\n}}\n'
    kubectl.out(text)


def _check(kubectl: Kubectl, dry: DryRun) -> None:
    flags = kubectl.flags
    if flags["force-conflicts"] and not flags["server-side"]:
        raise Failure("--force-conflicts only works with --server-side")
    if dry == "client" and flags["server-side"]:
        raise Failure("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if flags["subresource"] and not flags["server-side"]:
        raise Failure("--subresource can only be specified for --server-side")
    if flags["force"] and flags["server-side"]:
        raise Failure("--force cannot be used with --server-side")
    if dry == "server" and flags["force"]:
        raise Failure("--dry-run=server cannot be used with --force")
    if flags["all"] and flags["selector"]:
        raise Failure("cannot set --all and --selector at the same time")
    for name in ("cascade", "grace-period", "timeout", "wait"):
        if kubectl.given(name) and not flags["force"]:
            raise not_simulated(f"kubectl apply --{name} without --force")
    if not flags["overwrite"]:
        raise not_simulated("kubectl apply --overwrite=false")


def _without_name(info: Info) -> None:
    generate = meta(info.obj).get("generateName")
    if generate:
        raise Failure(f"from {generate}: cannot use generate name with apply")
    raise Failure(f"error when retrieving current configuration of:\n{_describe(info)}\nresource name may not be empty")


def _describe(info: Info) -> str:
    """How apply names an object in its errors."""
    res = info.resource
    return (
        f'Resource: "{res.group}/{res.version}, Resource={res.plural}", GroupVersionKind: '
        f'"{res.group}/{res.version}, Kind={res.kind}"\nName: "{info.name}", Namespace: "{info.namespace}"'
    )


def _current(kubectl: Kubectl, info: Info) -> Object | None:
    try:
        found = kubectl.client.get(info.resource.key, info.name, info.namespace)
    except ApiError as error:
        if error.code == 404 and error.reason == "NotFound":
            return None
        raise
    return {"apiVersion": info.resource.api_version, "kind": info.resource.kind, **found}


def placed(info: Info) -> Object:
    """The file's object with the namespace it goes to."""
    if not info.resource.namespaced or meta(info.obj).get("namespace"):
        return info.obj
    return {**info.obj, "metadata": {**meta(info.obj), "namespace": info.namespace}}


def _apply(kubectl: Kubectl, info: Info, dry: DryRun, validate: str) -> tuple[Object, str]:
    """Client side. (the object then, what was done)"""
    modified = last_applied.with_annotation(placed(info))
    current = _current(kubectl, info)
    if current is None:
        return _create(kubectl, info, modified, dry, validate), "created"
    if meta(current).get("deletionTimestamp"):
        kubectl.err(f"Warning: Detected changes to resource {info.name} which is currently being deleted.\n")
    if last_applied.ANNOTATION not in annotations_of(current):
        name = f"{info.resource.plural}/{info.name}"
        kubectl.err(_MISSING.format(name, last_applied.ANNOTATION))
    body, kind = three_way(info, modified, current)
    if dry == "client":
        return current, "configured"
    if not body:
        return current, "unchanged"
    try:
        answer = patch(
            kubectl,
            info.resource,
            info.name,
            info.namespace,
            body,
            kind,
            dry_run=dry == "server",
            field_validation=validate,
            field_manager=kubectl.flags["field-manager"],
        )
    except ApiError as error:
        if kubectl.flags["force"] and error.code in (409, 422):
            return _recreate(kubectl, info, modified, validate), "configured"
        raise with_context(
            error,
            f'error when applying patch:\n{_compact(body)}\nto:\n{_describe(info)}\nfor: "{info.source}": '
            f'error when patching "{info.source}"',
        ) from None
    return answer, "configured" if answer != current else "unchanged"


def _compact(body: Any) -> str:
    from labsim.kube.codec import dump_compact

    return dump_compact(body)


def three_way(info: Info, modified: Object, current: Object) -> tuple[Any, str]:
    from labsim.commands.kubectl.local_patch import schema_of
    from labsim.kube.patch import PatchError, create_three_way_strategic, three_way_merge_json

    try:
        original = last_applied.original(current)
    except ValueError:
        original = None
    schema = schema_of(modified)
    try:
        if schema is not None:
            return create_three_way_strategic(original, modified, current, schema), "strategic"
        return three_way_merge_json(original or {}, modified, current), "merge"
    except PatchError as error:
        raise Failure(
            f"creating patch with:\noriginal:\n{_compact(original)}\nmodified:\n{_compact(modified)}\ncurrent:\n"
            f'{_compact(current)}\nfor: "{info.source}": {error}'
        ) from None


def _create(kubectl: Kubectl, info: Info, obj: Object, dry: DryRun, validate: str) -> Object:
    if dry == "client":
        return obj
    warnings: list[str] = []
    try:
        answer = kubectl.client.create(
            info.resource.key,
            obj,
            info.namespace,
            dry_run=dry == "server",
            field_validation=validate,
            warnings=warnings,
        )
    except ApiError as error:
        raise with_context(error, f'error when creating "{info.source}"') from None
    kubectl.warn(warnings)
    return {"apiVersion": info.resource.api_version, "kind": info.resource.kind, **answer}


def _recreate(kubectl: Kubectl, info: Info, obj: Object, validate: str) -> Object:
    """--force: delete, wait, create."""
    uid = deletion.uid_now(kubectl, info)
    kubectl.client.delete(info.resource.key, info.name, info.namespace, propagation=deletion.propagation(kubectl))
    deletion.wait_until_gone(kubectl, [(info, uid)], int(kubectl.flags["timeout"]))
    return _create(kubectl, info, obj, "none", validate)


def _server_side(kubectl: Kubectl, info: Info, dry: DryRun, validate: str) -> tuple[Object, str]:
    flags = kubectl.flags
    manager = flags["field-manager"] if kubectl.given("field-manager") else "kubectl"
    answer = patch(
        kubectl,
        info.resource,
        info.name,
        info.namespace,
        placed(info),
        "apply",
        subresource=flags["subresource"],
        dry_run=dry == "server",
        field_validation=validate,
        field_manager=manager,
        force=flags["force-conflicts"],
    )
    return answer, "serverside-applied"
