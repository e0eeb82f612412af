"""kubectl patch (kubectl.md 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import local_patch
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.writing import (
    CHANGE_CAUSE,
    DRY_RUN,
    LOCAL,
    RECORD,
    change_cause,
    dry_run,
    field_manager,
    patch,
    record,
    report,
)
from labsim.kube.errors import ApiError, bad_request, no_such_path
from labsim.kube.objects import get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "patch (-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]"
ABOUT = """Change fields of objects by a patch in JSON or YAML.

 --type=strategic (the default) knows which lists are merged, and by what key; custom resources do not take it.
--type=merge replaces whole lists, --type=json is a list of operations (RFC 6902)."""
EXAMPLES = """  # Unschedulable, as cordon does it
  kubectl patch node gpu-node1 -p '{"spec":{"unschedulable":true}}'

  # Another MIG strategy in the cluster policy
  kubectl patch clusterpolicy cluster-policy --type=merge -p '{"spec":{"mig":{"strategy":"mixed"}}}'

  # One operation on a list
  kubectl patch pod web-0 --type=json -p '[{"op":"remove","path":"/metadata/labels/tier"}]'"""
SPEC = (
    *OUTPUT,
    *FILENAME,
    DRY_RUN,
    LOCAL,
    RECORD,
    field_manager("kubectl-patch"),
    Flag("patch", "p", help="The patch, in JSON or YAML"),
    Flag("patch-file", help="File with the patch"),
    Flag("subresource", help="Patch this subresource of the object (status, scale, resize)"),
    Flag("type", default="strategic", help="json, merge or strategic"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    recording, dry = record(kubectl), dry_run(kubectl)
    _check(kubectl, dry)
    kind = flags["type"].lower()
    text = flags["patch"]
    if flags["patch-file"]:
        try:
            text = kubectl.read_file(flags["patch-file"])
        except Failure as error:
            raise Failure(f"unable to read patch file: {error.text}") from None
    body = _body(flags["patch"], text)
    result = kubectl.resources(all_without_selector=False, fetch_files=not flags["local"])

    def act(info: Info) -> None:
        if flags["local"] or dry == "client":
            after = local_patch.apply(kind, info, body, text)
            report(kubectl, after, _said(after != info.obj))
            return
        if isinstance(body, local_patch.Broken):
            raise bad_request(("error decoding patch: " if kind == "json" else "") + body.text)
        if flags["subresource"] == "scale":
            scaled = kubectl.client.patch_scale(
                info.resource.key, info.name, body, info.namespace, kind=kind, dry_run=dry == "server"
            )
            report(kubectl, scaled, "patched")
            return
        try:
            answer = patch(
                kubectl,
                info.resource,
                info.name,
                info.namespace,
                body,
                kind,
                subresource=flags["subresource"],
                dry_run=dry == "server",
                field_manager=flags["field-manager"],
            )
        except ApiError as error:
            if error.code != 415:
                raise
            gvk = f"{info.resource.group}/{info.resource.version}, Kind={info.resource.kind}"
            raise Failure(f"{_MEDIA[kind]} is not supported by {gvk}: {error.message}") from None
        if recording:
            have = get_in(answer, "metadata", "annotations", CHANGE_CAUSE)
            cause = change_cause(kubectl)
            if have != cause:
                note = {"metadata": {"annotations": {CHANGE_CAUSE: cause}}}
                answer = patch(kubectl, info.resource, info.name, info.namespace, note, "merge")
        report(kubectl, answer, _said(answer != info.obj))

    result.visit(act)
    return 0


_MEDIA = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


def _said(changed: bool) -> str:
    return "patched" if changed else "patched (no change)"


def _check(kubectl: Kubectl, dry: str) -> None:
    flags = kubectl.flags
    if flags["patch"] and flags["patch-file"]:
        raise Failure("cannot specify --patch and --patch-file together")
    if not flags["patch"] and not flags["patch-file"]:
        raise Failure("must specify --patch or --patch-file containing the contents of the patch")
    if flags["local"] and kubectl.args:
        raise Failure("cannot specify --local and server resources")
    if flags["local"] and dry == "server":
        raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if flags["type"].lower() not in _MEDIA:
        raise Failure(f'--type must be one of [json merge strategic], not "{flags["type"]}"')
    if flags["subresource"] and flags["subresource"] not in ("status", "scale", "resize"):
        raise no_such_path()


def _body(shown: str, text: str) -> Any:
    """The patch as JSON. What begins like JSON is sent as it is; the server then says what is wrong with it."""
    from labsim.kube.codec import DecodeError, load
    from labsim.kube.codec.gojson import JsonSyntaxError, decode_next
    from labsim.kube.gofmt import quote

    if text.lstrip().startswith("{"):
        try:
            found = decode_next(text, 0)
        except JsonSyntaxError as error:
            return local_patch.Broken(error.plain)
        return found[0] if found is not None else None
    try:
        return load(text)
    except DecodeError as error:
        raise Failure(f"unable to parse {quote(shown)}: {error}") from None
