"""The NVIDIA GPU Operator: the ClusterPolicy controller, Node Feature Discovery and the programs of the operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labsim.kube.cluster import Cluster


def register(cluster: Cluster) -> None:
    """Adds every program of the operator to the cluster's loop. Each acts only while its container runs."""
    from labsim.operators.gpu import driver, monitoring, nfd, validation
    from labsim.operators.gpu.device_plugin import DevicePlugin
    from labsim.operators.gpu.features import FeatureDiscovery
    from labsim.operators.gpu.mig_manager import MigManager
    from labsim.operators.gpu.policy import PolicyController
    from labsim.operators.gpu.toolkit import Toolkit

    for program in (
        PolicyController,
        nfd.Worker,
        nfd.Master,
        nfd.GarbageCollector,
        driver.DriverManager,
        driver.Driver,
        Toolkit,
        validation.Waiting,
        validation.DriverValidation,
        validation.Checks,
        validation.CudaValidator,
        DevicePlugin,
        FeatureDiscovery,
        monitoring.Exporter,
        monitoring.Engine,
        monitoring.ConfigManager,
        MigManager,
    ):
        cluster.loop.register(program(cluster))
