"""kubectl create clusterrole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating, rbac
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename]"
ABOUT = "Create a cluster role."
EXAMPLES = """  kubectl create clusterrole reader --verb=get,list --resource=nodes"""
SPEC = (
    *creating.GENERATOR,
    *rbac.RULES,
    Flag("aggregation-rule", help="Labels of the roles to take rules from"),
    Flag("non-resource-url", kind="slice", help="Paths that are no resources"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    name = creating.one_name(kubectl)
    obj: dict[str, Any] = {"metadata": {"name": name}}
    if flags["aggregation-rule"]:
        labels = dict(pair.split("=", 1) for pair in flags["aggregation-rule"].split(",") if "=" in pair)
        obj |= {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": labels}]}, "rules": None}
    elif flags["non-resource-url"]:
        if not flags["verb"]:
            raise Failure("at least one verb must be specified")
        rule = {"verbs": list(flags["verb"]), "nonResourceURLs": list(flags["non-resource-url"])}
        obj["rules"] = [*(rbac.rules(kubectl) if flags["resource"] else []), rule]
    else:
        obj["rules"] = rbac.rules(kubectl)
    return creating.make(kubectl, "clusterroles.rbac.authorization.k8s.io", obj, "clusterrole")
