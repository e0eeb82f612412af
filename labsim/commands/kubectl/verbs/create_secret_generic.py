"""kubectl create secret generic."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating, keyed_data
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create secret generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1]"
ABOUT = "Create a secret from files, a directory or literal values."
EXAMPLES = """  kubectl create secret generic login --from-literal=user=ada"""
SPEC = (
    *creating.GENERATOR,
    *keyed_data.SPEC,
    Flag("type", help="Type of the secret"),
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    data = {key: base64.b64encode(value).decode() for key, value in keyed_data.read(kubectl, "Secret", name).items()}
    obj: dict[str, Any] = {"metadata": {"name": name}}
    if data:
        obj["data"] = data
    if kubectl.flags["type"]:
        obj["type"] = kubectl.flags["type"]
    return creating.make(kubectl, "secrets", obj, "secret")
