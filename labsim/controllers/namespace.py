"""Namespaces: deleting one deletes its contents first. Source: pkg/controller/namespace/deletion of 1.35."""

from __future__ import annotations

from labsim.controllers.common import Manager, set_condition
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, name_of, set_in
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

RETRY = 5 * SECOND


class NamespaceController(Manager):
    name = "namespace"
    account = "namespace-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.store = cluster.store
        self.watches = (
            Watch("namespaces", lambda write: [(write.name,)] if _terminating(write.after) else []),
            Watch("pods", self._pod_keys),
        )

    def _pod_keys(self, write: Write) -> list[Key]:
        if write.verb != "delete":
            return []
        return [(write.namespace,)] if _terminating(self.client.find("namespaces", write.namespace)) else []

    def reconcile(self, key: Key) -> After | None:
        namespace = self.client.find("namespaces", key[0])
        if namespace is None or not _terminating(namespace):
            return None
        if get_in(namespace, "status", "phase") != "Terminating":
            namespace = self.client.update_status("namespaces", set_in(namespace, ("status", "phase"), "Terminating"))
        left = self._delete_content(key[0])
        if left:
            self._conditions(namespace, left)
            # Pods end on their own and wake this controller; anything else (finalizers) is looked at again.
            return After(RETRY, periodic=any(name != "pods" for name in left))
        if get_in(namespace, "spec", "finalizers"):
            others = [f for f in namespace["spec"]["finalizers"] if f != "kubernetes"]
            namespace = self.client.update(
                "namespaces",
                set_in(namespace, ("spec",), {"finalizers": others} if others else {}),
                subresource="finalize",
            )
            if others:
                return None
        if self.client.find("namespaces", key[0]) is not None:
            self.client.delete("namespaces", key[0])
        return None

    def _delete_content(self, namespace: str) -> dict[str, Object]:
        """Delete all that can be deleted; what is left by resource, as (count, finalizers)."""
        left: dict[str, Object] = {}
        for resource in self.store.resources():
            found = self.client.scheme.find(resource)
            if found is None or not found.namespaced or found.hidden:
                continue
            for obj in self.store.list(resource, namespace):
                if obj["metadata"].get("deletionTimestamp"):
                    continue
                try:
                    self.client.delete(resource, name_of(obj), namespace, propagation="Background")
                except ApiError as error:
                    if error.code != 404:
                        raise
            rest = self.store.list(resource, namespace)
            if rest:
                finalizers: dict[str, int] = {}
                for obj in rest:
                    for finalizer in obj["metadata"].get("finalizers") or ():
                        finalizers[finalizer] = finalizers.get(finalizer, 0) + 1
                left[resource] = {"count": len(rest), "finalizers": finalizers}
        return left

    def _conditions(self, namespace: Object, left: dict[str, Object]) -> None:
        texts = [
            f"{resource if '.' in resource else resource + '.'} has {row['count']} resource instances"
            for resource, row in sorted(left.items())
        ]
        finalizers: dict[str, int] = {}
        for row in left.values():
            for finalizer, count in row["finalizers"].items():
                finalizers[finalizer] = finalizers.get(finalizer, 0) + count
        conditions = list(get_in(namespace, "status", "conditions", default=()))
        rows = [
            (
                "NamespaceDeletionDiscoveryFailure",
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            (
                "NamespaceDeletionContentFailure",
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            (
                "NamespaceContentRemaining",
                "True",
                "SomeResourcesRemain",
                f"Some resources are remaining: {', '.join(texts)}",
            ),
        ]
        if finalizers:
            said = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(finalizers.items()))
            text = f"Some content in the namespace has finalizers remaining: {said}"
            rows.append(("NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain", text))
        else:
            text = "All content-preserving finalizers finished"
            rows.append(("NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", text))
        for kind, status, reason, message in rows:
            conditions = set_condition(conditions, self.stamp, kind, status, reason, message, update_time=False)
        if conditions != get_in(namespace, "status", "conditions", default=[]):
            self.client.update_status("namespaces", set_in(namespace, ("status", "conditions"), conditions))


def _terminating(namespace: Object | None) -> bool:
    return namespace is not None and bool(namespace["metadata"].get("deletionTimestamp"))
