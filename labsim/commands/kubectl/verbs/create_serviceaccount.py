"""kubectl create serviceaccount."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create serviceaccount NAME"
ABOUT = "Create a service account."
EXAMPLES = """  kubectl create serviceaccount builder"""
SPEC = (*creating.GENERATOR,)


def run(kubectl: Kubectl) -> int:
    return creating.make(
        kubectl, "serviceaccounts", {"metadata": {"name": creating.one_name(kubectl)}}, "serviceaccount"
    )
