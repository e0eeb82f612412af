"""Which describer serves which kind. A describer is `f(page, obj, events)`; kinds not listed get the generic one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_HERE = "labsim.commands.kubectl.describers."
_BY_KEY = {
    "pods": "pod:describe",
    "nodes": "node:describe",
    "namespaces": "config:describe_namespace",
    "configmaps": "config:describe_config_map",
    "secrets": "config:describe_secret",
    "resourcequotas": "config:describe_quota",
    "limitranges": "config:describe_limit_range",
    "serviceaccounts": "config:describe_service_account",
    "priorityclasses.scheduling.k8s.io": "config:describe_priority_class",
    "storageclasses.storage.k8s.io": "config:describe_storage_class",
    "services": "network:describe_service",
    "endpointslices.discovery.k8s.io": "network:describe_endpoint_slice",
    "ingresses.networking.k8s.io": "network:describe_ingress",
    "poddisruptionbudgets.policy": "network:describe_budget",
    "deployments.apps": "workloads:describe_deployment",
    "replicasets.apps": "workloads:describe_replica_set",
    "daemonsets.apps": "workloads:describe_daemon_set",
    "statefulsets.apps": "workloads:describe_stateful_set",
    "jobs.batch": "workloads:describe_job",
    "cronjobs.batch": "workloads:describe_cron_job",
    "persistentvolumeclaims": "storage:describe_claim",
    "persistentvolumes": "storage:describe_volume",
    "roles.rbac.authorization.k8s.io": "rbac:describe_role",
    "clusterroles.rbac.authorization.k8s.io": "rbac:describe_role",
    "rolebindings.rbac.authorization.k8s.io": "rbac:describe_binding",
    "clusterrolebindings.rbac.authorization.k8s.io": "rbac:describe_binding",
}

Describer = Callable[[Any, dict[str, Any], bool], None]


def describer(key: str) -> Describer:
    module, _, function = _BY_KEY.get(key, "generic:describe").partition(":")
    found: Describer = getattr(import_module(_HERE + module), function)
    return found
