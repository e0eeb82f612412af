"""Letting time go by all at once: the clock jumps, timers move along, what would have expired is gone.

Nothing reconciles during a jump but the expiry of events, so it may only be made while the world is quiet. Stamps in
objects stay as they are: they are what makes the objects old.
"""

from __future__ import annotations

from labsim.kube.cluster import Cluster
from labsim.kube.events import EventTtl


def jump(cluster: Cluster, to: int) -> None:
    """Move the clock of a quiet world to `to` (ms); timers keep their distance to it, events run out."""
    distance = to - cluster.clock.now
    if distance > 0:
        shift_timers(cluster, distance, keep=EventTtl.name)
        cluster.loop.advance_to(to)


def shift_timers(cluster: Cluster, distance: int, keep: str = "") -> None:
    """Every timer but those of the controller `keep` fires `distance` ms later."""
    moved = []
    for row in cluster.timers.dump():
        controller, key, due, kind = row
        if controller != keep:
            cluster.timers.set(str(controller), tuple(key), None)  # type: ignore[arg-type]
            moved.append([controller, key, int(due) + distance, kind])  # type: ignore[call-overload]
    cluster.timers.load(moved)
