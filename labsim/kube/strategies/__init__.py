"""What each kind adds to the generic API server: one line here, one class in a module beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.builtins import RESOURCES
from labsim.kube.strategies import clusterkinds, core, metrics, nodes, reviews, services, workloads
from labsim.kube.strategies.custom import CustomResourceDefinitions
from labsim.kube.strategies.eventviews import EventViews
from labsim.kube.strategies.hidden import Containers, DevicePlugins
from labsim.kube.strategies.pods import Pods
from labsim.kube.strategy import Strategy
from labsim.kube.tables.catalog import TABLES

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

STRATEGIES: dict[str, type[Strategy]] = {
    "pods": Pods,
    **core.STRATEGIES,
    **nodes.STRATEGIES,
    **services.STRATEGIES,
    **clusterkinds.STRATEGIES,
    **workloads.STRATEGIES,
    **metrics.STRATEGIES,
    **reviews.STRATEGIES,
    "events.events.k8s.io": EventViews,
    "customresourcedefinitions.apiextensions.k8s.io": CustomResourceDefinitions,
    "containers.runtime.labsim": Containers,
    "deviceplugins.runtime.labsim": DevicePlugins,
}


def install(api: APIServer) -> None:
    """Serve all built-in kinds."""
    for resource in RESOURCES:
        strategy = STRATEGIES.get(resource.key, Strategy)(resource)
        strategy.table = TABLES.get(resource.key, strategy.table)
        if isinstance(strategy, CustomResourceDefinitions):
            strategy.observe(api)
        api.install(strategy)
