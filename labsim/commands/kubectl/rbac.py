"""Rules and subjects for the generators of roles and bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.mapping import find_resource

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

GROUP = "rbac.authorization.k8s.io"
SUBJECTS = (
    Flag("clusterrole", help="The cluster role to bind"),
    Flag("group", kind="array", help="A group to bind it to (may be repeated)"),
    Flag("serviceaccount", kind="array", help="A service account to bind it to: NAMESPACE:NAME (may be repeated)"),
    Flag("user", kind="array", help="A user to bind it to (may be repeated)"),
)
RULES = (
    Flag("resource", kind="slice", help="Resources: RESOURCE.GROUP/SUBRESOURCE"),
    Flag("resource-name", kind="array", help="A name that the rule is for (may be repeated)"),
    Flag("verb", kind="slice", help="Verbs: get, list, watch, create, update, patch, delete, *"),
)


def subjects(kubectl: Kubectl) -> list[dict[str, Any]]:
    flags = kubectl.flags
    found: list[dict[str, Any]] = [{"apiGroup": GROUP, "kind": "User", "name": name} for name in flags["user"]]
    found += [{"apiGroup": GROUP, "kind": "Group", "name": name} for name in flags["group"]]
    for text in flags["serviceaccount"]:
        namespace, colon, name = text.partition(":")
        if not colon or not namespace or not name or ":" in name:
            raise Failure("serviceaccount must be <namespace>:<name>")
        found.append({"kind": "ServiceAccount", "name": name, "namespace": namespace})
    return found


def binding(kubectl: Kubectl) -> dict[str, Any]:
    """roleRef and subjects. Raises Failure."""
    cluster_role, role = kubectl.flags["clusterrole"], kubectl.flags.get("role", "")
    if "role" in kubectl.flags and bool(cluster_role) == bool(role):
        raise Failure("exactly one of clusterrole or role must be specified")
    if not cluster_role and not role:
        raise Failure('required flag(s) "clusterrole" not set')
    reference = {"apiGroup": GROUP, "kind": "Role" if role else "ClusterRole", "name": role or cluster_role}
    found = subjects(kubectl)
    return {"roleRef": reference, **({"subjects": found} if found else {})}


def rules(kubectl: Kubectl) -> list[dict[str, Any]]:
    """One rule a group, in the order in which the groups are named. Raises Failure."""
    flags = kubectl.flags
    verbs = list(dict.fromkeys(flags["verb"]))
    if "*" in verbs:
        verbs = ["*"]
    if not verbs:
        raise Failure("at least one verb must be specified")
    if not flags["resource"]:
        raise Failure("at least one resource must be specified")
    groups: dict[str, list[str]] = {}
    for text in flags["resource"]:
        word, slash, sub = text.partition("/")
        if word == "*":
            groups.setdefault("*" if not slash else "", []).append(text)
            continue
        res = find_resource(kubectl.client, word)
        if res is None:
            raise Failure(f'the server doesn\'t have a resource type "{word.partition(".")[0]}"', prefix=False)
        groups.setdefault(res.group, []).append(f"{res.plural}/{sub}" if slash else res.plural)
    names = list(flags["resource-name"])
    return [
        {"apiGroups": [group], "resources": found, **({"resourceNames": names} if names else {}), "verbs": verbs}
        for group, found in groups.items()
    ]
