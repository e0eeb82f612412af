"""The parts of a simulated cluster, put together."""

from __future__ import annotations

from labsim.kube.cluster import Cluster


def assemble(seed: int, start: int, freeze_objects: bool = False) -> Cluster:
    """An empty cluster with its API server, controllers, scheduler, kubelets and operators. `start` in ms."""
    from labsim import controllers, kubelet, scheduler
    from labsim.operators import gpu

    cluster = Cluster(seed, start, freeze_objects=freeze_objects)
    for part in (controllers, scheduler, kubelet, gpu):
        part.register(cluster)
    return cluster
