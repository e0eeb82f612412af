"""kube-controller-manager: one stateless controller a file."""

from __future__ import annotations

from labsim.kube.cluster import Cluster


def register(cluster: Cluster) -> None:
    """Add all controllers, in the order in which they look at the same write."""
    from labsim.controllers import (
        cronjob,
        daemonset,
        deployment,
        disruption,
        endpoints,
        garbage,
        job,
        namespace,
        nodeipam,
        nodelifecycle,
        podgc,
        quota,
        replicaset,
        serviceaccount,
        statefulset,
        volumes,
    )

    for controller in (
        namespace.NamespaceController,
        serviceaccount.ServiceAccountController,
        serviceaccount.RootCAController,
        nodeipam.NodeIpamController,
        nodelifecycle.NodeLifecycleController,
        nodelifecycle.TaintEvictionController,
        deployment.DeploymentController,
        replicaset.ReplicaSetController,
        statefulset.StatefulSetController,
        daemonset.DaemonSetController,
        job.JobController,
        job.TtlController,
        cronjob.CronJobController,
        endpoints.EndpointsController,
        endpoints.EndpointSliceController,
        disruption.DisruptionController,
        quota.ResourceQuotaController,
        volumes.VolumeBinder,
        podgc.PodGarbageCollector,
        garbage.GarbageCollector,
    ):
        cluster.loop.register(controller(cluster))
