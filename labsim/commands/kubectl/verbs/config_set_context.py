"""kubectl config set-context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config set-context [NAME | --current] [--cluster=cluster] [--user=user] [--namespace=namespace]"
ABOUT = "Set the cluster, user or namespace of a context; the other values stay."
EXAMPLES = "  kubectl config set-context --current --namespace=gpu-operator"
SPEC = (
    Flag("cluster", help="Cluster of the context"),
    Flag("current", kind="bool", help="Change the current context"),
    Flag("namespace", "n", help="Namespace of the context"),
    Flag("user", help="User of the context"),
)


def run(kubectl: Kubectl) -> int:
    flags, config = kubectl.flags, kubectl.kubeconfig
    if flags["current"] and kubectl.args:
        raise Failure("you cannot specify both a context name and --current")
    if not flags["current"] and len(kubectl.args) != 1:
        if len(kubectl.args) > 1:
            kubectl.err(command_help(kubectl.command))
            raise Failure(f"unexpected args: [{' '.join(kubectl.args)}]")
        raise Failure("you must specify a non-empty context name or --current")
    name = config.current if flags["current"] else kubectl.args[0]
    if not name:
        raise Failure(
            "no current context is set"
            if flags["current"]
            else "you must specify a non-empty context name or --current"
        )
    body = config.body("contexts", name)
    new = dict(body or {})
    for key in ("cluster", "user", "namespace"):
        if kubectl.given(key):
            new[key] = flags[key]
            if not flags[key]:
                new.pop(key)
    for key in ("cluster", "user"):
        new.setdefault(key, "")
    config.put("contexts", name, new)
    kubectl.out(f'Context "{name}" {"modified" if body is not None else "created"}.\n')
    return 0
