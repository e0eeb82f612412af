"""kubectl create service loadbalancer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, services
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create service loadbalancer NAME [--tcp=port:targetPort]"
ABOUT = "Create a LoadBalancer service."
EXAMPLES = """  kubectl create service loadbalancer web --tcp=80:8080"""
SPEC = (
    *creating.GENERATOR,
    Flag("tcp", kind="slice", help="PORT or PORT:TARGETPORT"),
)


def run(kubectl: Kubectl) -> int:
    return services.create(kubectl, "LoadBalancer")
