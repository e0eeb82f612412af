"""kubectl set subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import rbac, setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.templates_change import NotChanged
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:name]"
ABOUT = "Add users, groups or service accounts to a role binding or cluster role binding."
EXAMPLES = """  kubectl set subject rolebinding view --user=ada --group=ops"""
SPEC = (*setting.SPEC, *(flag for flag in rbac.SUBJECTS if flag.name != "clusterrole"))


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    setting.check(kubectl, kubectl.args, setting.NOTHING)
    if not (flags["user"] or flags["group"] or flags["serviceaccount"]):
        raise Failure("you must specify at least one value of user, group or serviceaccount")
    new = rbac.subjects(kubectl)

    def change(info: Info) -> Object:
        if info.resource.kind not in ("RoleBinding", "ClusterRoleBinding"):
            raise NotChanged("setting subjects is only supported for RoleBinding/ClusterRoleBinding")
        have = list(info.obj.get("subjects") or ())
        return {**info.obj, "subjects": [*have, *(subject for subject in new if subject not in have)]}

    return setting.change(kubectl, kubectl.args, change, "subjects updated", "subjects")
