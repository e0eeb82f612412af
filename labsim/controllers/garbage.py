"""Garbage collection by owner references: background, foreground, orphan. Source: pkg/controller/garbagecollector."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.controllers.common import Manager
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, name_of, namespace_of, uid_of
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"


class GarbageCollector(Manager):
    """Keys: ("owner", uid) of something deleted; (resource, namespace, name) of something that is being deleted."""

    name = "garbage-collector"
    account = "generic-garbage-collector"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.store = cluster.store
        cluster.journal.subscribers.append(self._on_write)
        self.loop = cluster.loop
        self.watches: tuple[Watch, ...] = ()

    def _on_write(self, write: Write) -> None:
        """Every kind can own, custom ones too, so this controller listens to the journal itself."""
        for key in self._keys(write):
            self.loop.enqueue(self.name, key)

    def _keys(self, write: Write) -> Iterable[Key]:
        if write.after is None and write.before is not None:
            keys: list[Key] = []
            if self.store.dependents(uid_of(write.before)):
                keys.append(("owner", uid_of(write.before)))
            # An owner in foreground deletion waits for its dependents.
            for ref in write.before["metadata"].get("ownerReferences") or ():
                res = self.client.scheme.for_kind(str(ref.get("apiVersion", "")), str(ref.get("kind", "")))
                if res is not None:
                    keys.append((res.key, write.namespace if res.namespaced else "", str(ref["name"])))
            return keys
        after = write.after
        assert after is not None
        finalizers = after["metadata"].get("finalizers") or ()
        if after["metadata"].get("deletionTimestamp") and (FOREGROUND in finalizers or ORPHAN in finalizers):
            return [(write.resource, write.namespace, write.name)]
        if write.before is None and after["metadata"].get("ownerReferences"):
            return [("dependent", write.resource, write.namespace, write.name)]
        return []

    def reconcile(self, key: Key) -> After | None:
        if key[0] == "owner":
            for resource, obj in self.store.dependents(key[1]):
                self._attempt(resource, obj)
        elif key[0] == "dependent":
            dependent = self.store.get(key[1], key[2], key[3])
            if dependent is not None:
                self._attempt(key[1], dependent)
        else:
            owner = self.store.get(key[0], key[1], key[2])
            if owner is not None and owner["metadata"].get("deletionTimestamp"):
                self._finalise(key[0], owner)
        return None

    def _exists(self, obj: Object, ref: Object) -> bool:
        res = self.client.scheme.for_kind(str(ref.get("apiVersion", "")), str(ref.get("kind", "")))
        if res is None:
            return True  # of an unknown kind: nothing can be said, so nothing is deleted
        owner = self.store.get(res.key, namespace_of(obj) if res.namespaced else "", str(ref["name"]))
        return owner is not None and uid_of(owner) == ref.get("uid")

    def _attempt(self, resource: str, obj: Object) -> None:
        """Delete a dependent whose owners are all gone; drop the references to those that are."""
        if obj["metadata"].get("deletionTimestamp") and FOREGROUND not in (obj["metadata"].get("finalizers") or ()):
            return
        refs = obj["metadata"].get("ownerReferences") or ()
        solid = [ref for ref in refs if self._exists(obj, ref)]
        if len(solid) == len(refs):
            return
        if solid:
            body = {**obj, "metadata": {**obj["metadata"], "ownerReferences": solid}}
            self.client.update(resource, body, namespace_of(obj))
            return
        finalizers = obj["metadata"].get("finalizers") or ()
        how = "Orphan" if ORPHAN in finalizers else "Foreground" if FOREGROUND in finalizers else "Background"
        self._delete(resource, obj, how)

    def _delete(self, resource: str, obj: Object, propagation: str) -> None:
        try:
            self.client.delete(resource, name_of(obj), namespace_of(obj), propagation=propagation)
        except ApiError as error:
            if error.code not in (404, 409):
                raise

    def _finalise(self, resource: str, obj: Object) -> None:
        finalizers = list(obj["metadata"].get("finalizers") or ())
        dependents = self.store.dependents(uid_of(obj))
        if ORPHAN in finalizers:
            for kind, dependent in dependents:
                refs = [r for r in dependent["metadata"]["ownerReferences"] if r.get("uid") != uid_of(obj)]
                body = {**dependent, "metadata": {**dependent["metadata"], "ownerReferences": refs}}
                self.client.update(kind, body, namespace_of(dependent))
            self._drop(resource, obj, ORPHAN)
            return
        if FOREGROUND not in finalizers:
            return
        blocking = [(kind, d) for kind, d in dependents if _blocks(d, uid_of(obj))]
        if not blocking:
            self._drop(resource, obj, FOREGROUND)
            return
        for kind, dependent in blocking:
            if not dependent["metadata"].get("deletionTimestamp"):
                self._delete(kind, dependent, "Foreground" if kind != "pods" else "Background")

    def _drop(self, resource: str, obj: Object, finalizer: str) -> None:
        left = [f for f in obj["metadata"].get("finalizers") or () if f != finalizer]
        body = {**obj, "metadata": {**obj["metadata"], "finalizers": left}}
        self.client.update(resource, body, namespace_of(obj))


def _blocks(dependent: Object, uid: str) -> bool:
    return any(
        ref.get("uid") == uid and ref.get("blockOwnerDeletion")
        for ref in dependent["metadata"].get("ownerReferences") or ()
    )
