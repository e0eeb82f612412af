"""kubectl config rename-context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.help import command_help

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config rename-context CONTEXT_NAME NEW_NAME"
ABOUT = "Give a context another name."
EXAMPLES = "  kubectl config rename-context old new"
SPEC: tuple[Flag, ...] = ()


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 2:
        kubectl.err(command_help(kubectl.command))
        return 1
    old, new = kubectl.args
    config = kubectl.kubeconfig
    body = config.body("contexts", old)
    path = config.home_of("contexts", old)
    if body is None:
        raise Failure(f'cannot rename the context "{old}", it\'s not in {path}')
    if config.body("contexts", new) is not None:
        raise Failure(f'cannot rename the context "{old}", the context "{new}" already exists in {path}')
    was_current = config.current == old
    config.put("contexts", old, None)
    config.put("contexts", new, body)
    if was_current:
        config.use(new)
    kubectl.out(f'Context "{old}" renamed to "{new}".\n')
    return 0
