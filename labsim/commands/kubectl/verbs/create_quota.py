"""kubectl create quota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2]"
ABOUT = "Create a resource quota."
EXAMPLES = """  kubectl create quota gpus --hard=requests.nvidia.com/gpu=8 -n team-a"""
SPEC = (
    *creating.GENERATOR,
    Flag("hard", help="Limits: cpu=1,pods=10"),
    Flag("scopes", help="Scopes, comma-separated"),
)


def run(kubectl: Kubectl) -> int:
    from labsim.commands.kubectl.verbs.set_resources import quantities

    name = creating.one_name(kubectl)
    spec: dict[str, Any] = {}
    hard = quantities(kubectl.flags["hard"])
    if hard:
        spec["hard"] = hard
    if kubectl.flags["scopes"]:
        spec["scopes"] = kubectl.flags["scopes"].split(",")
    return creating.make(kubectl, "resourcequotas", {"metadata": {"name": name}, "spec": spec, "status": {}}, "quota")
