"""Plugins for claims and volumes."""

from __future__ import annotations

from labsim.kube.admission.base import Plugin
from labsim.kube.objects import Object, annotations_of, get_in, meta, name_of, set_in
from labsim.kube.strategy import Request, Strategy

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_FINALIZERS = {
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "persistentvolumes": "kubernetes.io/pv-protection",
}


class DefaultStorageClass(Plugin):
    """The default class for claims that name none; the newest one where there are several."""

    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object:
        if strategy.resource.key != "persistentvolumeclaims" or old is not None:
            return new
        if get_in(new, "spec", "storageClassName") is not None:
            return new
        classes = request.api.store.list("storageclasses.storage.k8s.io")
        defaults = [c for c in classes if annotations_of(c).get(DEFAULT_CLASS) == "true"]
        if not defaults:
            return new
        newest = max(str(meta(c)["creationTimestamp"]) for c in defaults)
        chosen = next(c for c in defaults if meta(c)["creationTimestamp"] == newest)
        return set_in(new, ("spec", "storageClassName"), name_of(chosen))


class StorageProtection(Plugin):
    """Finalizers that keep claims and volumes while they are used."""

    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object:
        finalizer = _FINALIZERS.get(strategy.resource.key)
        if finalizer is None or old is not None:
            return new
        present = list(meta(new).get("finalizers") or ())
        return new if finalizer in present else set_in(new, ("metadata", "finalizers"), [*present, finalizer])
