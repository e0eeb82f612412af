"""kubectl create clusterrolebinding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, rbac

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname]"
ABOUT = "Create a cluster role binding."
EXAMPLES = """  kubectl create clusterrolebinding admins --clusterrole=cluster-admin --group=ops"""
SPEC = (
    *creating.GENERATOR,
    *rbac.SUBJECTS,
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    obj = {"metadata": {"name": name}, **rbac.binding(kubectl)}
    return creating.make(kubectl, "clusterrolebindings.rbac.authorization.k8s.io", obj, "clusterrolebinding")
