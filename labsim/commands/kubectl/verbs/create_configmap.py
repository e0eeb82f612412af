"""kubectl create configmap."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating, keyed_data

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create configmap NAME [--from-file=[key=]source] [--from-literal=key1=value1]"
ABOUT = "Create a config map from files, a directory or literal values."
EXAMPLES = """  kubectl create configmap settings --from-literal=mode=fast --from-file=config.yaml"""
SPEC = (
    *creating.GENERATOR,
    *keyed_data.SPEC,
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    obj: dict[str, Any] = {"metadata": {"name": name}}
    for key, value in keyed_data.read(kubectl, "ConfigMap", name).items():
        try:
            obj.setdefault("data", {})[key] = value.decode()
        except UnicodeDecodeError:
            obj.setdefault("binaryData", {})[key] = base64.b64encode(value).decode()
    return creating.make(kubectl, "configmaps", obj, "configmap")
