"""One simulated cluster: kernel, store and API server, wired together. Parts add themselves by `register`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labsim.kube.admission import plugins
from labsim.kube.apiserver import APIServer
from labsim.kube.client import Client
from labsim.kube.crdcleanup import CustomResourceCleanup
from labsim.kube.errors import ApiError
from labsim.kube.events import EventTtl
from labsim.kube.objects import Object
from labsim.kube.store import Store
from labsim.kube.strategies import install
from labsim.sim.clock import Clock
from labsim.sim.journal import Journal
from labsim.sim.loop import Loop
from labsim.sim.timers import Timers

CRDS = "customresourcedefinitions.apiextensions.k8s.io"


class Cluster:
    """`seed` decides every name; `start` is the first instant in ms."""

    def __init__(self, seed: int, start: int, *, freeze_objects: bool = False) -> None:
        self.seed = seed
        self.clock = Clock(start)
        self.journal = Journal()
        self.timers = Timers()
        self.loop = Loop(self.clock, self.journal, self.timers)
        self.store = Store(self.journal, self.clock, freeze_objects=freeze_objects)
        self.api = APIServer(self.store, seed, admission=plugins())
        install(self.api)
        # The API refused a controller's write: it logs and tries again. Under tests all else is raised; in a learner's
        # lab a controller that stumbles over an odd object must not take the lab with it.
        odd = () if freeze_objects else (LookupError, TypeError, ValueError, AttributeError)
        self.loop.retryable = (ApiError, *odd)
        self.loop.register(EventTtl(self.client("system:apiserver")))
        self.loop.register(CustomResourceCleanup(self.client("system:apiserver")))

    def client(self, user: str) -> Client:
        return Client(self.api, user)

    def begin_input(self, number: int) -> None:
        """All that follows belongs to this input, until the next call."""
        self.journal.input = self.timers.input = number

    def undo_to(self, number: int, now: int) -> None:
        """Restore objects, timers and clock as they were when input `number` ended (at `now`)."""
        self.store.undo_to(number)
        self.timers.undo_to(number)
        self.clock.now = now
        self.begin_input(number)

    def forget(self) -> None:
        """Take the baseline: history before this point is gone."""
        self.journal.forget()
        self.timers.forget()

    def load(self, objects: Mapping[str, Sequence[Object]], timers: list[list[object]], revision: int) -> None:
        """Take over the state of a built world (`store.dump()`, `timers.dump()`), with no history."""
        # Definitions first: the kinds they make must be served before their objects come.
        for resource in sorted(objects, key=lambda name: name != CRDS):
            self.store.load(resource, objects[resource])
        self.timers.load(timers)
        self.journal.revision = revision
        self.forget()
