"""kubectl create service nodeport."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, services
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create service nodeport NAME [--tcp=port:targetPort]"
ABOUT = "Create a NodePort service."
EXAMPLES = """  kubectl create service nodeport web --tcp=80:8080"""
SPEC = (
    *creating.GENERATOR,
    Flag("tcp", kind="slice", help="PORT or PORT:TARGETPORT"),
    Flag("node-port", kind="int", help="The port on the nodes"),
)


def run(kubectl: Kubectl) -> int:
    return services.create(kubectl, "NodePort")
