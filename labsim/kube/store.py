"""The store: every object of the world, sorted, indexed, hashed. Its only writer is the API server."""

from __future__ import annotations

import builtins
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from json import dumps
from typing import Any

from labsim.kube.objects import Object, freeze, get_in
from labsim.sim.clock import Clock
from labsim.sim.journal import Journal, Write

Index = Callable[[Object], Iterable[str]]
Objects = list[Object]
Place = tuple[str, str]  # namespace ("" for cluster scope), name


def _owners(obj: Object) -> Iterable[str]:
    return [ref["uid"] for ref in get_in(obj, "metadata", "ownerReferences", default=()) if "uid" in ref]


def _labels(obj: Object) -> Iterable[str]:
    return [f"{k}={v}" for k, v in get_in(obj, "metadata", "labels", default={}).items()]


# Indexes that every resource has; "owner" is also kept across resources (see Store.dependents).
COMMON_INDEXES: dict[str, Index] = {"owner": _owners, "label": _labels}


class Bucket:
    """All objects of one resource, with the sorted list of their places and its indexes."""

    __slots__ = ("indexers", "indexes", "objects", "order")

    def __init__(self, indexers: dict[str, Index]) -> None:
        self.objects: dict[Place, Object] = {}
        self.order: list[Place] = []
        self.indexers = {**COMMON_INDEXES, **indexers}
        self.indexes: dict[str, dict[str, dict[Place, None]]] = {name: {} for name in self.indexers}

    def put(self, place: Place, obj: Object | None) -> None:
        before = self.objects.get(place)
        if before is None and obj is not None:
            insort(self.order, place)
        if obj is None:
            del self.objects[place]
            del self.order[bisect_left(self.order, place)]
        else:
            self.objects[place] = obj
        for name, indexer in self.indexers.items():
            old = list(indexer(before)) if before is not None else []
            new = list(indexer(obj)) if obj is not None else []
            if old == new:
                continue
            index = self.indexes[name]
            for value in old:
                members = index.get(value)
                if members is not None:
                    members.pop(place, None)
                    if not members:
                        del index[value]
            for value in new:
                index.setdefault(value, {})[place] = None


class Store:
    """Objects by resource key, namespace and name. `freeze_objects` is switched on under tests."""

    def __init__(self, journal: Journal, clock: Clock, *, freeze_objects: bool = False) -> None:
        self.journal, self.clock, self.freeze_objects = journal, clock, freeze_objects
        # Told of each change of one resource, undo and load included, as (before, after).
        self.observers: dict[str, Callable[[Object | None, Object | None], None]] = {}
        self._buckets: dict[str, Bucket] = {}
        self._indexers: dict[str, dict[str, Index]] = {}
        self._owned: dict[str, dict[tuple[str, str, str], None]] = {}
        self._digests: dict[tuple[str, str, str], int] = {}
        self._stale: dict[tuple[str, str, str], None] = {}
        self._sum = 0

    # -- reading -----------------------------------------------------------------------------------------------------

    def add_index(self, resource: str, name: str, indexer: Index) -> None:
        """Declare an index; call before the first object of that resource is stored."""
        self._indexers.setdefault(resource, {})[name] = indexer
        if resource in self._buckets:
            raise ValueError(f"index {name} of {resource} is declared after its first object")

    def _bucket(self, resource: str) -> Bucket:
        bucket = self._buckets.get(resource)
        if bucket is None:
            bucket = self._buckets[resource] = Bucket(self._indexers.get(resource, {}))
        return bucket

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        bucket = self._buckets.get(resource)
        return None if bucket is None else bucket.objects.get((namespace, name))

    def list(self, resource: str, namespace: str = "") -> Objects:
        """All objects, or those of one namespace, in the order of namespace then name."""
        bucket = self._buckets.get(resource)
        if bucket is None:
            return []
        places: Sequence[Place] = bucket.order
        if namespace:
            low = bisect_left(bucket.order, (namespace, ""))
            places = bucket.order[low : bisect_left(bucket.order, (namespace + "\x00", ""))]
        return [bucket.objects[p] for p in places]

    def by_index(self, resource: str, index: str, value: str, namespace: str = "") -> Objects:
        """Objects whose index holds `value`, sorted. Cost: the number found."""
        bucket = self._buckets.get(resource)
        if bucket is None:
            return []
        places = sorted(bucket.indexes[index].get(value, ()))
        return [bucket.objects[p] for p in places if not namespace or p[0] == namespace]

    def dependents(self, uid: str) -> builtins.list[tuple[str, Object]]:
        """Objects of any resource that name `uid` as an owner, as (resource, object), sorted."""
        return [(r, self._buckets[r].objects[(ns, n)]) for r, ns, n in sorted(self._owned.get(uid, ()))]

    def count(self, resource: str) -> int:
        bucket = self._buckets.get(resource)
        return 0 if bucket is None else len(bucket.order)

    def resources(self) -> builtins.list[str]:
        return sorted(r for r, b in self._buckets.items() if b.order)

    # -- writing -----------------------------------------------------------------------------------------------------

    def put(self, actor: str, resource: str, namespace: str, name: str, obj: Object) -> Object:
        """Create or replace; sets resourceVersion; appends to the journal. Returns the stored object."""
        before = self.get(resource, namespace, name)
        revision = self.journal.revision + 1
        obj = {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(revision)}}
        if self.freeze_objects:
            obj = freeze(obj)
        self._record(actor, "create" if before is None else "update", resource, (namespace, name), before, obj)
        return obj

    def remove(self, actor: str, resource: str, namespace: str, name: str) -> None:
        before = self.get(resource, namespace, name)
        if before is not None:
            self._record(actor, "delete", resource, (namespace, name), before, None)

    def _record(
        self, actor: str, verb: str, resource: str, place: Place, before: Object | None, after: Object | None
    ) -> None:
        journal = self.journal
        journal.revision += 1
        self._apply(resource, place, before, after)
        journal.append(
            Write(journal.revision, journal.input, self.clock.now, actor, verb, resource, *place, before, after)
        )

    def _apply(self, resource: str, place: Place, before: Object | None, after: Object | None) -> None:
        self._bucket(resource).put(place, after)
        at = (resource, *place)
        self._stale[at] = None
        if resource in self.observers:
            self.observers[resource](before, after)
        old = set(_owners(before)) if before is not None else set()
        new = set(_owners(after)) if after is not None else set()
        for uid in old - new:
            owned = self._owned.get(uid, {})
            owned.pop(at, None)
            if not owned:
                self._owned.pop(uid, None)
        for uid in new - old:
            self._owned.setdefault(uid, {})[at] = None

    def undo_to(self, input_number: int) -> int:
        """Take back every write of later inputs, newest first; returns how many. Revisions are given out again."""
        writes = self.journal.writes
        count = 0
        # An object goes back in one stride, however often it was written; in the order of its first write.
        newest: dict[tuple[str, Place], Object | None] = {}
        oldest: dict[tuple[str, Place], Object | None] = {}
        while writes and writes[-1].input > input_number:
            write = writes.pop()
            at = (write.resource, (write.namespace, write.name))
            newest.setdefault(at, write.after)
            oldest.pop(at, None)
            oldest[at] = write.before
            self.journal.revision = write.revision - 1
            count += 1
        for at, before in oldest.items():
            after = newest[at]
            if before is not None or after is not None:
                self._apply(*at, after, before)
        return count

    # -- whole-state operations --------------------------------------------------------------------------------------

    def load(self, resource: str, objects: Iterable[Object]) -> None:
        """Put objects of a built world without journal or revision."""
        for obj in objects:
            place = (str(obj["metadata"].get("namespace", "")), str(obj["metadata"]["name"]))
            self._apply(resource, place, None, freeze(obj) if self.freeze_objects else obj)

    def dump(self) -> dict[str, Objects]:
        return {r: self.list(r) for r in self.resources()}

    def hash(self) -> str:
        """A digest of all objects; its cost follows what changed since the last call (an order-free sum of digests)."""
        for at in self._stale:
            self._sum -= self._digests.pop(at, 0)
            resource, namespace, name = at
            obj = self.get(resource, namespace, name)
            if obj is not None:
                self._digests[at] = value = _digest(at, obj)
                self._sum += value
        self._stale.clear()
        return f"{self._sum % (1 << 128):032x}"


def _digest(at: tuple[str, str, str], obj: Any) -> int:
    text = dumps([at, obj], sort_keys=True, separators=(",", ":"))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), "big")
