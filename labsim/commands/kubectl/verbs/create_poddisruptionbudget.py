"""kubectl create poddisruptionbudget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create poddisruptionbudget NAME --selector=SELECTOR --min-available=N"
ABOUT = "Create a pod disruption budget."
EXAMPLES = """  kubectl create pdb web --selector=app=web --min-available=1"""
SPEC = (
    *creating.GENERATOR,
    Flag("max-unavailable", help="How many pods may be missing: a number or a percentage"),
    Flag("min-available", help="How many pods must be there: a number or a percentage"),
    Flag("selector", help="Labels of the pods"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    name = creating.one_name(kubectl)
    if not flags["selector"]:
        raise Failure("a selector must be specified")
    if not flags["max-unavailable"] and not flags["min-available"]:
        raise Failure("one of min-available or max-unavailable must be specified")
    if flags["max-unavailable"] and flags["min-available"]:
        raise Failure("min-available and max-unavailable cannot be both specified")
    spec: dict[str, Any] = {"selector": creating.label_selector(flags["selector"])}
    for flag, key in (("min-available", "minAvailable"), ("max-unavailable", "maxUnavailable")):
        if flags[flag]:
            spec[key] = int(flags[flag]) if flags[flag].isdigit() else flags[flag]
    zero = ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods")
    obj = {"metadata": {"name": name}, "spec": spec, "status": dict.fromkeys(zero, 0)}
    return creating.make(kubectl, "poddisruptionbudgets.policy", obj, "poddisruptionbudgets")
