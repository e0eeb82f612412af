"""After any writes the live indexes equal those built from scratch, and undo brings the hash back."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.store import Store
from labsim.sim.clock import Clock
from labsim.sim.journal import Journal

START = 1_800_000_000_000
NAMES = st.sampled_from(["a", "b", "c", "d"])
LABELS = st.dictionaries(st.sampled_from(["k", "l"]), st.sampled_from(["v", "w"]), max_size=2)
STEPS = st.lists(
    st.tuples(st.sampled_from(["create", "label", "bind", "delete", "own", "event"]), NAMES, LABELS), max_size=25
)


def act(made: Cluster, verb: str, name: str, labels: dict[str, str]) -> None:
    client = made.client("kubernetes-admin")
    if verb == "create":
        spec = {"containers": [{"name": "c", "image": "x:1"}]}
        client.create("pods", {"metadata": {"name": name, "labels": labels}, "spec": spec})
    elif verb == "label":
        client.patch("pods", name, {"metadata": {"labels": {"k": None, "l": None, **labels}}})
    elif verb == "bind":
        made.client("system:kube-scheduler").bind(name, "default", "n1" if labels else "n2")
    elif verb == "delete":
        client.delete("pods", name, grace_seconds=0 if labels else None)
    elif verb == "own":
        owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": client.get("pods", name)["metadata"]["uid"]}
        client.create("configmaps", {"metadata": {"generateName": "m-", "ownerReferences": [owner]}})
    else:
        involved: dict[str, Any] = {"kind": "Pod", "name": name, "namespace": "default", "uid": name}
        client.create("events", {"metadata": {"generateName": "e-"}, "involvedObject": involved})


def view(store: Store) -> dict[str, Any]:
    """Everything the indexes answer, by resource, index and value."""
    found: dict[str, Any] = {}
    for resource, bucket in store._buckets.items():
        for name, index in bucket.indexes.items():
            if index:
                found[f"{resource} {name}"] = {value: sorted(places) for value, places in index.items()}
        if bucket.order:
            found[resource] = list(bucket.order)
    found["owned"] = {uid: sorted(places) for uid, places in store._owned.items()}
    return found


def rebuilt(made: Cluster) -> Store:
    fresh = Store(Journal(), Clock(START))
    fresh._indexers = made.store._indexers
    for resource, objects in made.store.dump().items():
        fresh.load(resource, objects)
    return fresh


@settings(max_examples=40, deadline=None)
@given(before=STEPS, after=STEPS)
def test_indexes_and_undo(before: list[Any], after: list[Any]) -> None:
    made = Cluster(1, START, freeze_objects=True)
    for number, steps in enumerate((before, after)):
        made.begin_input(number)
        for verb, name, labels in steps:
            try:
                act(made, verb, name, labels)
            except ApiError as error:
                assert error.code in (404, 409), error
        if number == 0:
            first, shown, revision = made.store.hash(), view(made.store), made.journal.revision
    fresh = rebuilt(made)
    assert view(fresh) == view(made.store)
    assert fresh.hash() == made.store.hash()
    made.undo_to(0, START)
    assert (made.store.hash(), view(made.store), made.journal.revision) == (first, shown, revision)
