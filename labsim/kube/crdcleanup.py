"""What the API server itself does about a deleted CustomResourceDefinition: its objects go first, then it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import get_in, name_of, namespace_of, set_in
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key

if TYPE_CHECKING:
    from labsim.kube.client import Client

DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
_RETRY = 5 * SECOND  # how often the finalizer looks again while objects have finalizers of their own


class CustomResourceCleanup(Controller):
    """Source: apiextensions-apiserver pkg/controller/finalizer/crd_finalizer.go."""

    name = "crd-finalizer"

    def __init__(self, client: Client) -> None:
        self.client = client
        self.watches = (Watch(DEFINITIONS, self._keys),)

    @staticmethod
    def _keys(write: Write) -> list[Key]:
        return [(write.name,)] if get_in(write.after, "metadata", "deletionTimestamp") else []

    def reconcile(self, key: Key) -> After | None:
        definition = self.client.find(DEFINITIONS, key[0])
        if definition is None or FINALIZER not in get_in(definition, "metadata", "finalizers", default=()):
            return None
        if key[0] in self.client.scheme:
            for obj in self.client.list(key[0]):
                if not get_in(obj, "metadata", "deletionTimestamp"):
                    self.client.delete(key[0], name_of(obj), namespace_of(obj))
            if self.client.list(key[0]):
                return After(_RETRY, periodic=True)
        left = [f for f in definition["metadata"]["finalizers"] if f != FINALIZER]
        self.client.update(DEFINITIONS, set_in(definition, ("metadata", "finalizers"), left))
        return None
