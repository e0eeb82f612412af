"""kubectl create priorityclass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create priorityclass NAME --value=VALUE --global-default=BOOL"
ABOUT = "Create a priority class."
EXAMPLES = """  kubectl create priorityclass high --value=1000 --description='before all others'"""
SPEC = (
    *creating.GENERATOR,
    Flag("description", help="When to use this class"),
    Flag("global-default", kind="bool", help="The class of pods that name none"),
    Flag("preemption-policy", default="PreemptLowerPriority", help="PreemptLowerPriority or Never"),
    Flag("value", kind="int", help="The priority"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    name = creating.one_name(kubectl)
    obj: dict[str, Any] = {"metadata": {"name": name}, "value": flags["value"]}
    if flags["description"]:
        obj["description"] = flags["description"]
    if flags["global-default"]:
        obj["globalDefault"] = True
    obj["preemptionPolicy"] = flags["preemption-policy"]
    return creating.make(kubectl, "priorityclasses.scheduling.k8s.io", obj, "priorityclass")
