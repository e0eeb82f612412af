"""Where a GPU tool was called: on a node, or in a container on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import Context
from labsim.hardware.machine import RESOURCE
from labsim.hardware.usage import CONTAINERS

if TYPE_CHECKING:
    from labsim.kube.client import Client
    from labsim.kube.objects import Object

# The identity under which GPU tools read and change the hardware, which no learner's client may see.
IDENTITY = "system:labsim:gpu-tools"


def hardware_client(ctx: Context) -> Client:
    from labsim.kube.client import Client

    return Client(ctx.client.api, IDENTITY)


def find(ctx: Context, client: Client) -> tuple[str, Object | None]:
    """(node, container or None). A container's host name is its pod's name; of several, the one with devices."""
    if client.find(RESOURCE, ctx.host) is not None:
        return ctx.host, None
    found = [
        container
        for container in client.list(CONTAINERS)
        if container["spec"]["pod"] == ctx.host and container["status"]["state"] == "running"
    ]
    if not found:
        return ctx.host, None
    chosen = max(found, key=lambda container: bool(container["spec"].get("devices")))
    return str(chosen["spec"]["nodeName"]), chosen
