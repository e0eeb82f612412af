"""Waiting for the cluster: the only place where kubectl lets simulated time pass (design.md 3, "Waiting")."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from labsim.commands.base import Interrupted, WaitEnd

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

_LIMIT = "labsim: gave up waiting after 360 steps\n"


def wait_until(kubectl: Kubectl, met: Callable[[], bool], deadline: int | None) -> bool:
    """True when `met` became true, False when `deadline` (ms) passed or nothing more can happen before it.

    Raises Interrupted on Ctrl-C and when the line's steps are used up.
    """
    if met():
        return True
    while True:
        left = None if deadline is None else deadline - kubectl.now()
        if left is not None and left <= 0:
            return False
        end = kubectl.ctx.advance(met, left)
        if end is WaitEnd.DONE or met():
            return True
        if end is WaitEnd.TIMEOUT:
            return False
        if end is WaitEnd.INTERRUPTED:
            raise Interrupted(130)
        if end is WaitEnd.QUIET:
            raise Interrupted(130, "labsim: the cluster is quiet: this would wait for ever")
        raise Interrupted(130, _LIMIT.rstrip("\n"))
