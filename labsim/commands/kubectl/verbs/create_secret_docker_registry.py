"""kubectl create secret docker-registry."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create secret docker-registry NAME --docker-username=user --docker-password=password"
ABOUT = "Create a secret with the login of a container registry."
EXAMPLES = """  kubectl create secret docker-registry pull --docker-username=u --docker-password=p"""
SPEC = (
    *creating.GENERATOR,
    Flag("append-hash", kind="bool", help="Add a hash of the data to the name", refused=True),
    Flag("docker-email", help="Mail address for the registry"),
    Flag("docker-password", help="Password for the registry"),
    Flag("docker-server", default="https://index.docker.io/v1/", help="Address of the registry"),
    Flag("docker-username", help="User name for the registry"),
    Flag("from-file", kind="slice", help="A docker configuration file to take instead"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    name = creating.one_name(kubectl)
    if flags["from-file"]:
        try:
            text = kubectl.ctx.fs.read_bytes(flags["from-file"][0].partition("=")[2] or flags["from-file"][0])
        except OSError as error:
            raise Failure(f"error reading {flags['from-file'][0]}: {(error.strerror or '').lower()}") from None
    else:
        if not (flags["docker-username"] and flags["docker-password"] and flags["docker-server"]):
            raise Failure(
                "either --from-file or the combination of --docker-username, --docker-password and --docker-server is "
                "required"
            )
        text = _config(flags).encode()
    data = {".dockerconfigjson": base64.b64encode(text).decode()}
    obj = {"metadata": {"name": name}, "data": data, "type": "kubernetes.io/dockerconfigjson"}
    return creating.make(kubectl, "secrets", obj, "secret docker-registry")


def _config(flags: Mapping[str, Any]) -> str:
    login = f"{flags['docker-username']}:{flags['docker-password']}"
    entry = {"username": flags["docker-username"], "password": flags["docker-password"]}
    if flags["docker-email"]:
        entry["email"] = flags["docker-email"]
    entry["auth"] = base64.b64encode(login.encode()).decode()
    return json.dumps({"auths": {flags["docker-server"]: entry}}, separators=(",", ":"))
