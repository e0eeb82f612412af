"""kubectl config set-credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config set-credentials NAME [--token=bearer_token] [--client-certificate=path] [--client-key=path]"
ABOUT = "Set the values of a user entry; the other values stay."
EXAMPLES = "  kubectl config set-credentials admin --token=abc"
SPEC = (
    Flag("auth-provider", help="Auth provider", refused=True),
    Flag("auth-provider-arg", kind="array", help="key=value for the auth provider", refused=True),
    Flag("client-certificate", help="File with the client certificate"),
    Flag("client-key", help="File with the client key"),
    Flag("embed-certs", kind="bool", help="Put certificate and key into the file", refused=True),
    Flag("exec-api-version", help="API version of the credential plugin", refused=True),
    Flag("exec-arg", kind="array", help="Arguments of the credential plugin", refused=True),
    Flag("exec-command", help="Command of the credential plugin", refused=True),
    Flag("exec-env", kind="array", help="key=value for the credential plugin", refused=True),
    Flag("exec-interactive-mode", help="Whether the credential plugin may ask", refused=True),
    Flag("exec-provide-cluster-info", kind="bool", help="Tell the credential plugin of the cluster", refused=True),
    Flag("password", help="Password for basic authentication"),
    Flag("token", help="Bearer token"),
    Flag("username", help="User name for basic authentication"),
)


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 1:
        kubectl.err(command_help(kubectl.command))
        raise Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
    name, config = kubectl.args[0], kubectl.kubeconfig
    new = dict(config.body("users", name) or {})
    for flag in SPEC:
        if kubectl.given(flag.name) and not flag.refused:
            new[flag.name] = kubectl.flags[flag.name]
    config.put("users", name, new)
    kubectl.out(f'User "{name}" set.\n')
    return 0
