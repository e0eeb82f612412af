"""kubectl create rolebinding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, rbac
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname]"
ABOUT = "Create a role binding."
EXAMPLES = """  kubectl create rolebinding view --clusterrole=view --user=ada"""
SPEC = (
    *creating.GENERATOR,
    *rbac.SUBJECTS,
    Flag("role", help="The role to bind"),
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    obj = {"metadata": {"name": name}, **rbac.binding(kubectl)}
    return creating.make(kubectl, "rolebindings.rbac.authorization.k8s.io", obj, "rolebinding")
