"""ResourceQuota status: what is used now. Admission counts for itself; this follows what goes away or changes."""

from __future__ import annotations

from labsim.controllers.common import FINISHED, Manager, own_key, write_status
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, name_of
from labsim.kube.podresources import pod_amounts
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RESOURCE = "resourcequotas"
_COUNTED = {
    "configmaps": "configmaps",
    "secrets": "secrets",
    "services": "services",
    "persistentvolumeclaims": "persistentvolumeclaims",
    "replicationcontrollers": "replicationcontrollers",
    "resourcequotas": "resourcequotas",
}


class ResourceQuotaController(Manager):
    name = "resourcequota"
    account = "resourcequota-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch(RESOURCE, own_key),
            *(
                Watch(kind, self._used)
                for kind in (
                    "pods",
                    "services",
                    "configmaps",
                    "secrets",
                    "persistentvolumeclaims",
                    "deployments.apps",
                    "jobs.batch",
                )
            ),
        )

    def _used(self, write: Write) -> list[Key]:
        if write.resource == "pods" and write.before is not None and write.after is not None:
            ended = [get_in(o, "status", "phase") in FINISHED for o in (write.before, write.after)]
            if ended[0] == ended[1] and write.before["spec"] == write.after["spec"]:
                return []
        elif write.verb == "update":
            return []
        return [(write.namespace, name_of(quota)) for quota in self.client.list(RESOURCE, write.namespace)]

    def reconcile(self, key: Key) -> After | None:
        quota = self.client.find(RESOURCE, key[1], key[0])
        if quota is None or quota["metadata"].get("deletionTimestamp"):
            return None
        hard = get_in(quota, "spec", "hard", default={})
        status: Object = {"hard": hard, "used": self._usage(quota, key[0], list(hard))}
        write_status(self, RESOURCE, quota, status)
        return None

    def _usage(self, quota: Object, namespace: str, wanted: list[str]) -> dict[str, str]:
        from labsim.kube.quantity import of_milli

        pods = [
            p
            for p in self.client.list("pods", namespace)
            if get_in(p, "status", "phase") not in FINISHED and in_scope(quota, p)
        ]
        used: dict[str, str] = {}
        for name in wanted:
            if name in ("pods", "count/pods"):
                used[name] = str(len(pods) if name == "pods" else len(self.client.list("pods", namespace)))
            elif name in _COUNTED:
                used[name] = str(len(self.client.list(_COUNTED[name], namespace)))
            elif name.startswith("count/"):
                kind = name.removeprefix("count/")
                found = self.client.scheme.find(kind)
                used[name] = str(len(self.client.list(kind, namespace))) if found is not None else "0"
            elif name in ("services.nodeports", "services.loadbalancers"):
                services = self.client.list("services", namespace)
                types = ("NodePort", "LoadBalancer") if name == "services.nodeports" else ("LoadBalancer",)
                used[name] = str(sum(1 for s in services if get_in(s, "spec", "type") in types))
            else:
                kind, resource = name.split(".", 1) if name.startswith(("requests.", "limits.")) else ("requests", name)
                total = sum(pod_amounts(p, kind).get(resource, 0) for p in pods)
                binary = resource in ("memory", "ephemeral-storage") and total
                used[name] = str(of_milli(total, "BinarySI") if binary else of_milli(total))
        return used


def in_scope(quota: Object, pod: Object) -> bool:
    """spec.scopes and scopeSelector, as far as they speak of termination, quality of service and priority class."""
    best_effort = get_in(pod, "status", "qosClass") == "BestEffort"
    terminating = get_in(pod, "spec", "activeDeadlineSeconds") is not None
    facts = {
        "Terminating": terminating,
        "NotTerminating": not terminating,
        "BestEffort": best_effort,
        "NotBestEffort": not best_effort,
    }
    if not all(facts.get(scope, True) for scope in get_in(quota, "spec", "scopes", default=())):
        return False
    for row in get_in(quota, "spec", "scopeSelector", "matchExpressions", default=()):
        if row["scopeName"] == "PriorityClass":
            value = str(get_in(pod, "spec", "priorityClassName", default=""))
            values, operator = row.get("values") or (), row["operator"]
            fits = {
                "In": value in values,
                "NotIn": value not in values,
                "Exists": bool(value),
                "DoesNotExist": not value,
            }
            if not fits[operator]:
                return False
        elif not facts.get(row["scopeName"], True):
            return False
    return True
