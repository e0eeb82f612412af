"""kubectl create secret tls."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create secret tls NAME --cert=path/to/cert/file --key=path/to/key/file"
ABOUT = "Create a secret from a certificate and its key."
EXAMPLES = """  kubectl create secret tls web --cert=web.crt --key=web.key"""
SPEC = (
    *creating.GENERATOR,
    Flag("append-hash", kind="bool", help="Add a hash of the data to the name", refused=True),
    Flag("cert", help="File with the certificate, in PEM"),
    Flag("key", help="File with the key, in PEM"),
)


def run(kubectl: Kubectl) -> int:
    name = creating.one_name(kubectl)
    flags = kubectl.flags
    if not flags["key"] or not flags["cert"]:
        raise Failure("key and cert must be specified")
    data: dict[str, str] = {}
    for key, flag, what in (("tls.crt", "cert", "certificate"), ("tls.key", "key", "key")):
        text = kubectl.read_file(flags[flag])
        if "-----BEGIN" not in text:
            raise Failure(f"tls: failed to find any PEM data in {what} input")
        data[key] = base64.b64encode(text.encode()).decode()
    return creating.make(
        kubectl, "secrets", {"metadata": {"name": name}, "data": data, "type": "kubernetes.io/tls"}, "secret tls"
    )
