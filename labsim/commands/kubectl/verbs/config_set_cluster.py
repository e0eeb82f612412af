"""kubectl config set-cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config set-cluster NAME [--server=server] [--insecure-skip-tls-verify=true]"
ABOUT = "Set the server and other values of a cluster; the other values stay."
EXAMPLES = "  kubectl config set-cluster lab --server=https://10.0.0.1:6443"
SPEC = (
    Flag("certificate-authority", help="File with the certificate of the authority"),
    Flag("embed-certs", kind="bool", help="Put the certificate into the file", refused=True),
    Flag("insecure-skip-tls-verify", kind="bool", help="Do not check the server's certificate"),
    Flag("proxy-url", help="Proxy to the server"),
    Flag("server", help="Address of the server"),
    Flag("tls-server-name", help="Name to check the certificate for"),
)


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        raise Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
    name, config = kubectl.args[0], kubectl.kubeconfig
    new = dict(config.body("clusters", name) or {})
    for flag in SPEC:
        if kubectl.given(flag.name):
            new[flag.name] = kubectl.flags[flag.name]
    new.setdefault("server", "")
    config.put("clusters", name, new)
    kubectl.out(f'Cluster "{name}" set.\n')
    return 0
