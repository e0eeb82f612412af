"""kubectl edit (kubectl.md 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import editing, last_applied, local_patch, templates_change
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Exit, Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.printers import STRUCTURED, unknown_format, without_managed_fields
from labsim.commands.kubectl.writing import VALIDATE, field_manager, patch, report, validation
from labsim.kube.errors import ApiError
from labsim.kube.gofmt import source
from labsim.kube.objects import Object, get_in, name_of, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "edit (RESOURCE/NAME | -f FILENAME)"
ABOUT = """Change an object in an editor: the one that KUBE_EDITOR or EDITOR names, else vi.

 What was changed is sent when the editor is left. If the server refuses it, the file opens again with the reason on
top. Leaving without a change, or with an empty file, cancels."""
EXAMPLES = """  kubectl edit deployment/web
  KUBE_EDITOR='sed -i s/replicas:.*/replicas:\\ 3/' kubectl edit deployment/web"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    VALIDATE,
    field_manager("kubectl-edit"),
    Flag("output-patch", kind="bool", help="Print the patch if there was a change", refused=True),
    Flag("save-config", kind="bool", help="Keep the configuration in the object's annotation, for apply"),
    Flag("subresource", help="Edit this subresource of the object", refused=True),
    Flag("windows-line-endings", kind="bool", help="Line ends of Windows", refused=True),
)


def run(kubectl: Kubectl) -> int:
    validate = validation(kubectl)
    infos: list[Info] = kubectl.resources(all_without_selector=True).all_infos()
    if not infos:
        kubectl.err("edit cancelled, no objects found\n")
        return 1
    if kubectl.flags["output"] not in ("", "yaml", "json", "kyaml"):
        raise unknown_format(kubectl.flags["output"], STRUCTURED)
    originals = {_key(info): without_managed_fields(info.obj) for info in infos}
    original = _dump(kubectl, list(originals.values()))
    reasons: list[tuple[str, list[str]]] = []
    text = original
    while True:
        shown = editing.header(reasons) + (text if not reasons else _body(text))
        edited, path = editing.edit(kubectl, shown, ".json" if kubectl.flags["output"] == "json" else ".yaml")
        same = editing.without_comments(edited) == editing.without_comments(shown)
        if reasons and same:
            _keep(kubectl, path, edited)
            kubectl.err(f'A copy of your changes has been stored to "{path}"\n')
            raise Failure("Edit cancelled, no valid changes were saved.")
        if editing.without_comments(edited) == editing.without_comments(original):
            editing.forget(kubectl, path)
            kubectl.err("Edit cancelled, no changes made.\n")
            return 0
        text = edited
        try:
            objects = _parse(edited)
        except ValueError as error:
            what = f'{infos[0].resource.key} "{infos[0].name}"'
            kubectl.err(f"error: {what} is invalid\n")
            cause = f'<nil>: Invalid value: "The edited file failed validation": {error}'
            reasons = [(f"{what} was not valid", [cause])]
            continue
        reasons = []
        for obj in objects:
            reason = _send(kubectl, infos, originals, obj, validate, path, edited)
            if reason is not None:
                reasons.append(reason)
        if not reasons:
            editing.forget(kubectl, path)
            return 0


def _key(info: Info) -> tuple[str, str, str]:
    return info.resource.kind, info.namespace, info.name


def _dump(kubectl: Kubectl, objects: list[Object]) -> str:
    from labsim.kube.codec import dump_json, dump_kyaml, dump_yaml

    dump = {"json": dump_json, "kyaml": dump_kyaml}.get(kubectl.flags["output"], dump_yaml)
    if len(objects) == 1:
        return dump(objects[0])
    return dump({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {}})


def _body(text: str) -> str:
    """The edited text without the header of the try before."""
    lines = text.split("\n")
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return "\n".join(lines)


def _parse(text: str) -> list[Object]:
    """Raises ValueError for what is no object."""
    from labsim.kube.codec import load_all

    found: list[Object] = []
    for document in load_all(text):
        if not isinstance(document, dict):
            raise ValueError("invalid object to validate")
        items: Any = document.get("items") if str(document.get("kind", "")).endswith("List") else None
        found += items if isinstance(items, list) else [document]
    if not found:
        raise ValueError("EOF")
    return found


def _send(
    kubectl: Kubectl,
    infos: list[Info],
    originals: dict[tuple[str, str, str], Object],
    obj: Object,
    validate: str,
    path: str,
    text: str,
) -> tuple[str, list[str]] | None:
    """Patch one object; a reason when it is invalid and the editor should open again."""
    info = next((i for i in infos if uid_of(i.obj) == get_in(obj, "metadata", "uid")), None)
    if info is not None and (obj.get("kind"), obj.get("apiVersion")) != (info.obj["kind"], info.obj["apiVersion"]):
        what = f'{info.resource.key} "{info.name}"'
        if kubectl.client.scheme.for_kind(str(obj.get("apiVersion")), str(obj.get("kind"))) is None:
            kubectl.err(f"error: {what} is invalid\n")
            unknown = f'no matches for kind "{obj.get("kind")}" in version "{obj.get("apiVersion")}"'
            return f"{what} was not valid", [unknown]
    same = info is None or (obj.get("kind"), obj.get("apiVersion"), name_of(obj)) == (
        info.obj["kind"], info.obj["apiVersion"], info.name
    )  # fmt: skip
    if not same:
        _keep(kubectl, path, text)
        kubectl.err(f'A copy of your changes has been stored to "{path}"\n')
        raise Failure("At least one of apiVersion, kind and name was changed")
    if info is None:
        _keep(kubectl, path, text)
        kubectl.err(f'A copy of your changes has been stored to "{path}"\n')
        shown = {**obj, "metadata": {"namespace": kubectl.namespace, **(obj.get("metadata") or {})}}
        raise Failure(f"no original object found for &unstructured.Unstructured{{Object:{source(shown)}}}")
    before = originals[_key(info)]
    after = last_applied.updated(obj, kubectl.flags["save-config"])
    if before == after:
        report(kubectl, info.obj, "skipped")
        return None
    body = templates_change.two_way(before, after)
    kind = "strategic" if local_patch.schema_of(before) is not None else "merge"
    try:
        answer = patch(
            kubectl,
            info.resource,
            info.name,
            info.namespace,
            body,
            kind,
            field_validation=validate,
            field_manager=kubectl.flags["field-manager"],
        )
    except ApiError as error:
        what = f'{info.resource.key} "{info.name}"'
        if error.code == 422 and error.reason == "Invalid":
            causes = [f"{c['field']}: {c['message']}" for c in error.details.get("causes") or ()]
            kubectl.err(f"error: {what} is invalid\n")
            return f"{what} was not valid", causes
        _keep(kubectl, path, text)
        if error.code == 404:
            kubectl.err(f"error: {what} could not be found on the server\n")
            kubectl.err(f'The edits you made on deleted resources have been saved to "{path}"\n')
        else:
            kubectl.err(f"error: {what} could not be patched: {error.message}\n")
            kubectl.err(f"You can run `kubectl replace -f {path}` to try this update again.\n")
        raise Exit(1) from None
    report(kubectl, answer, "edited")
    return None


def _keep(kubectl: Kubectl, path: str, text: str) -> None:
    if not kubectl.ctx.fs.is_dir("/tmp"):
        kubectl.ctx.fs.mkdir("/tmp", parents=True)
    kubectl.ctx.fs.write_text(path, text)
