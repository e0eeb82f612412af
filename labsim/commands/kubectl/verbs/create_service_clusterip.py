"""kubectl create service clusterip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, services
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create service clusterip NAME [--tcp=port:targetPort]"
ABOUT = "Create a ClusterIP service."
EXAMPLES = """  kubectl create service clusterip web --tcp=80:8080"""
SPEC = (
    *creating.GENERATOR,
    Flag("tcp", kind="slice", help="PORT or PORT:TARGETPORT"),
    Flag("clusterip", help="The address, or None for a headless service"),
)


def run(kubectl: Kubectl) -> int:
    return services.create(kubectl, "ClusterIP")
