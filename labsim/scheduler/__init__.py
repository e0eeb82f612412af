"""The default scheduler: filters, scores, preemption, and the messages people read when nothing fits."""

from __future__ import annotations

from labsim.kube.cluster import Cluster


def register(cluster: Cluster) -> None:
    from labsim.scheduler.scheduler import Scheduler

    cluster.loop.register(Scheduler(cluster))
