"""kubectl diff: what apply would change, as `diff -u -N` prints it. 0: nothing, 1: differences, above 1: an error."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from labsim.commands.kubectl import last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Exit, Failure, not_simulated, texts
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, SELECTOR
from labsim.commands.kubectl.printers import without_managed_fields
from labsim.commands.kubectl.writing import field_manager
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, drop_in, get_in, meta, set_in
from labsim.sim.clock import rfc3339_micro

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "diff -f FILENAME"
ABOUT = """Compare the live objects with those that would be there after apply.

 The exit code is 0 if nothing would change, 1 if something would, and more in case of an error."""
EXAMPLES = """  kubectl diff -f pod.yaml"""
SPEC = (
    *FILENAME,
    SELECTOR,
    field_manager("kubectl-client-side-apply"),
    Flag("concurrency", kind="int", default=1, help="How many objects to compare at once (no difference in labsim)"),
    Flag("force-conflicts", kind="bool", help="With --server-side: take over fields of others", refused=True),
    Flag("prune", kind="bool", help="Show what --prune would delete", refused=True),
    Flag("prune-allowlist", kind="array", help="Kinds that --prune may delete", refused=True),
    Flag("server-side", kind="bool", help="Apply in the server instead of the client", refused=True),
    Flag("show-managed-fields", kind="bool", help="Keep managedFields in the comparison"),
)


def run(kubectl: Kubectl) -> int:
    if kubectl.ctx.env.get("KUBECTL_EXTERNAL_DIFF"):
        raise not_simulated("KUBECTL_EXTERNAL_DIFF")
    if not kubectl.flags["filename"] and not kubectl.flags["kustomize"]:
        raise Failure("must specify one of -f and -k", code=2)
    found = False

    def act(info: Info) -> None:
        nonlocal found
        before, after = _versions(kubectl, info)
        text = _unified(kubectl, info, _shown(kubectl, before), _shown(kubectl, after))
        found = found or bool(text)
        kubectl.out(text)

    try:
        kubectl.resources([], fetch_files=False).visit(act)
    except (ApiError, Failure) as error:
        for line in texts(error):
            kubectl.err(line + "\n")
        raise Exit(2) from None
    return 1 if found else 0


def _versions(kubectl: Kubectl, info: Info) -> tuple[Object | None, Object]:
    """(live object, what a server-side dry run of apply answers)"""
    from labsim.commands.kubectl.verbs.apply import placed, three_way

    client, res = kubectl.client, info.resource
    modified = last_applied.with_annotation(placed(info))
    live = client.find(res.key, info.name, info.namespace)
    if live is None:
        created = client.create(res.key, modified, info.namespace, dry_run=True, field_validation="Strict")
        return None, {"apiVersion": res.api_version, "kind": res.kind, **created}
    live = {"apiVersion": res.api_version, "kind": res.kind, **live}
    body, kind = three_way(info, modified, live)
    after = client.patch(res.key, info.name, body, kind, info.namespace, dry_run=True, field_validation="Strict")
    return live, {"apiVersion": res.api_version, "kind": res.kind, **after}


def _shown(kubectl: Kubectl, obj: Object | None) -> str:
    """YAML with secrets masked and without the annotation of apply."""
    from labsim.kube.codec import dump_yaml

    if obj is None:
        return ""
    if not kubectl.flags["show-managed-fields"]:
        obj = without_managed_fields(obj)
    annotations = get_in(obj, "metadata", "annotations", default={})
    if last_applied.ANNOTATION in annotations:
        obj = drop_in(obj, ("metadata", "annotations", last_applied.ANNOTATION))
        if not meta(obj)["annotations"]:
            obj = drop_in(obj, ("metadata", "annotations"))
    if obj.get("kind") == "Secret" and obj.get("data"):
        obj = set_in(obj, ("data",), dict.fromkeys(obj["data"], "***"))
    return dump_yaml(obj)


def _unified(kubectl: Kubectl, info: Info, before: str, after: str) -> str:
    group = f"{info.resource.group}." if info.resource.group else ""
    name = f"{group}{info.resource.version}.{info.resource.kind}.{info.namespace}.{info.name}"
    lines = list(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "live", "merged", n=3))
    if not lines:
        return ""
    folders = [
        f"/tmp/{side}-{kubectl.ctx.services.number(side, 1_000_000_000, 4_294_967_295)}" for side in ("LIVE", "MERGED")
    ]
    now = rfc3339_micro(kubectl.now()).replace("T", " ").replace("Z", "000 +0000")
    heads = [f"diff -u -N {folders[0]}/{name} {folders[1]}/{name}\n", f"--- {folders[0]}/{name}\t{now}\n"]
    return "".join([*heads, f"+++ {folders[1]}/{name}\t{now}\n", *lines[2:]])
