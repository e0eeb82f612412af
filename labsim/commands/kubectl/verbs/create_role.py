"""kubectl create role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, rbac

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename]"
ABOUT = "Create a role."
EXAMPLES = """  kubectl create role reader --verb=get,list --resource=pods"""
SPEC = (
    *creating.GENERATOR,
    *rbac.RULES,
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    obj = {"metadata": {"name": name}, "rules": rbac.rules(kubectl)}
    return creating.make(kubectl, "roles.rbac.authorization.k8s.io", obj, "role")
