"""kubectl auth can-i: asks the server with an access review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.errors import Exit, Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES
from labsim.commands.kubectl.mapping import find_resource
from labsim.commands.kubectl.printers import table

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "auth can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]"
ABOUT = "Ask whether you may do something. Exit code 1 means no."
EXAMPLES = "  kubectl auth can-i create pods -n team-vision\n  kubectl auth can-i --list"
SPEC = (
    ALL_NAMESPACES,
    Flag("list", kind="bool", help="List all that is allowed"),
    Flag("no-headers", kind="bool", help="With --list: print no column heads"),
    Flag("quiet", "q", kind="bool", help="Only the exit code"),
    Flag("subresource", help="Such as log or scale"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if flags["list"]:
        if kubectl.args:
            raise Failure("list option must be specified with no arguments")
        return _list(kubectl)
    if flags["no-headers"]:
        raise Failure("--no-headers cannot be set without --list specified")
    spec, warnings = _attributes(kubectl)
    for text in warnings:
        kubectl.err(text)
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {}, "spec": spec}
    status = kubectl.client.create("selfsubjectaccessreviews.authorization.k8s.io", body)["status"]
    allowed = bool(status.get("allowed"))
    if not flags["quiet"]:
        if allowed:
            kubectl.out("yes\n")
        else:
            reason = f" - {status['reason']}" if status.get("reason") else ""
            kubectl.out(f"no{reason}\n")
    if not allowed:
        raise Exit(1)
    return 0


def _attributes(kubectl: Kubectl) -> tuple[dict[str, Any], list[str]]:
    args, flags = kubectl.args, kubectl.flags
    if not 2 <= len(args) <= 2:
        raise Failure(
            "you must specify two arguments: verb resource or verb resource/resourceName.\n"
            "See 'kubectl auth can-i -h' for help and examples."
        )
    verb, target = args
    if target.startswith("/"):
        if flags["subresource"]:
            raise UsageFailure(kubectl.path, "--subresource can not be used with NonResourceURL")
        return {"nonResourceAttributes": {"verb": verb, "path": target}}, []
    kind, _, name = target.partition("/")
    warnings: list[str] = []
    res = find_resource(kubectl.client, kind) if kind != "*" else None
    if res is None and kind != "*":
        warnings.append(f"Warning: the server doesn't have a resource type '{kind}'\n\n")
    group, plural = (res.group, res.plural) if res is not None else ("*" if kind == "*" else "", kind)
    namespace = "" if flags["all-namespaces"] else kubectl.namespace
    if res is not None and not res.namespaced:
        suffix = f" in group '{res.group}'" if res.group else ""
        warnings.append(f"Warning: resource '{res.plural}' is not namespace scoped{suffix}\n\n")
        namespace = ""
    attributes = {
        "namespace": namespace,
        "verb": verb,
        "group": group,
        "resource": plural,
        "subresource": flags["subresource"],
        "name": name,
    }
    return {"resourceAttributes": attributes}, warnings


def _list(kubectl: Kubectl) -> int:
    from labsim.commands.kubectl.describers.rbac import rule_rows

    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "metadata": {},
        "spec": {"namespace": kubectl.namespace},
    }
    status = kubectl.client.create("selfsubjectrulesreviews.authorization.k8s.io", body)["status"]
    rows = rule_rows([*status.get("resourceRules", ()), *status.get("nonResourceRules", ())])
    heads = ["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]
    shown = [list(row) for row in rows]
    kubectl.out(table.render(shown if kubectl.flags["no-headers"] else [heads, *shown]))
    return 0
