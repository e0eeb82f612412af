"""kubectl create service externalname."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating, services
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create service externalname NAME [--tcp=port:targetPort]"
ABOUT = "Create a ExternalName service."
EXAMPLES = """  kubectl create service externalname web --external-name=web.example"""
SPEC = (
    *creating.GENERATOR,
    Flag("tcp", kind="slice", help="PORT or PORT:TARGETPORT"),
    Flag("external-name", help="The DNS name outside (needed)"),
)


def run(kubectl: Kubectl) -> int:
    return services.create(kubectl, "ExternalName")
