"""The kubelets of all nodes: pod worker, images, devices, logs, node status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.cluster import Cluster


def register(cluster: Cluster, lifecycle: Mapping[str, Any] | None = None) -> None:
    """Add the kubelets, and what turns machines off and on.

    `lifecycle` is the compiled form of world/lifecycle/*.yaml; None reads the files.
    """
    from labsim.kubelet.lifecycle import Lifecycle
    from labsim.kubelet.power import Power
    from labsim.kubelet.worker import Kubelet

    cluster.loop.register(Kubelet(cluster, Lifecycle(lifecycle)))
    cluster.loop.register(Power(cluster))
