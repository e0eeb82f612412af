"""kubectl create namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create namespace NAME"
ABOUT = "Create a namespace."
EXAMPLES = """  kubectl create namespace team-a"""
SPEC = (*creating.GENERATOR,)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    return creating.make(kubectl, "namespaces", {"metadata": {"name": name}, "spec": {}, "status": {}}, "namespace")
