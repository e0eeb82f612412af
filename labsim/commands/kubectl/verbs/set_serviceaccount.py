"""kubectl set serviceaccount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.templates_change import with_pod_spec
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT"
ABOUT = "Change the service account of a pod template."
EXAMPLES = """  kubectl set serviceaccount deployment/web builder"""
SPEC = tuple(flag for flag in setting.SPEC if flag.name != "selector")


def run(kubectl: Kubectl) -> int:
    if not kubectl.args:
        raise Failure("serviceaccount is required")
    *words, account = kubectl.args
    setting.check(kubectl, words, setting.NOTHING)

    def change(info: Info) -> Object:
        return with_pod_spec(info.obj, lambda spec: {**spec, "serviceAccountName": account, "serviceAccount": account})

    return setting.change(kubectl, words, change, "serviceaccount updated", "ServiceAccountName")
