"""Letting time go by all at once: the clock jumps, timers move along, what would have expired is gone.

Nothing reconciles during a jump, so it may only be made while the world is quiet. Stamps in objects stay as they are:
they are what makes the objects old.
"""

from __future__ import annotations

from typing import Any

from labsim.kube.cluster import Cluster
from labsim.sim.clock import HOUR, parse_time

# kube-apiserver --event-ttl
EVENT_TTL = HOUR


def jump(cluster: Cluster, to: int) -> None:
    """Move the clock of a quiet world to `to` (ms); timers keep their distance to it."""
    distance = to - cluster.clock.now
    if distance <= 0:
        return
    rows = cluster.timers.dump()
    for controller, key, _, _ in rows:
        cluster.timers.set(str(controller), tuple(key), None)  # type: ignore[arg-type]
    cluster.clock.now = to
    cluster.timers.load([[c, k, int(due) + distance, kind] for c, k, due, kind in rows])  # type: ignore[call-overload]
    _expire(cluster, to)


def _expire(cluster: Cluster, now: int) -> None:
    """Events older than their time to live, as etcd's lease removes them: no controller takes part."""
    for event in cluster.store.list("events"):
        if now - last_seen(event) >= EVENT_TTL:
            metadata = event["metadata"]
            cluster.store.remove("system:labsim:setup", "events", metadata["namespace"], metadata["name"])


def last_seen(event: dict[str, Any]) -> int:
    stamp = (
        event.get("lastTimestamp")
        or (event.get("series") or {}).get("lastObservedTime")
        or event.get("eventTime")
        or event["metadata"]["creationTimestamp"]
    )
    return parse_time(str(stamp))
