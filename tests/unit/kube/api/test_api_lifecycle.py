"""Deleting, evicting, scaling, events, custom resources, watches, reviews."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit import START, admin, cluster, deployment, message, pod, refused

from labsim.kube import discovery
from labsim.kube.cluster import Cluster
from labsim.kube.events import COMBINED, Recorder
from labsim.kube.objects import set_in
from labsim.kube.watch import INITIAL_EVENTS_END, Watch
from labsim.sim.clock import HOUR, rfc3339

CRD: dict[str, Any] = {
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
                },
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "State", "type": "string", "jsonPath": ".status.state", "priority": 1},
                    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 1},
                                    "mode": {"type": "string", "default": "slow", "enum": ["slow", "fast"]},
                                },
                            },
                            "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        },
                    }
                },
            }
        ],
    },
}
WIDGETS = "widgets.example.com"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"


def bound(made: Cluster, name: str = "p", **spec: Any) -> None:
    admin(made).create("pods", set_in(pod(name, **spec), ("metadata", "labels"), {"app": "x"}))
    made.client("system:kube-scheduler").bind(name, "default", "n1")


def test_binding() -> None:
    made = cluster()
    bound(made)
    found = admin(made).get("pods", "p")
    assert found["spec"]["nodeName"] == "n1"
    assert found["metadata"]["generation"] == 1
    assert found["status"]["conditions"][0]["type"] == "PodScheduled"
    assert message(made.client("system:kube-scheduler").bind, "p", "default", "n2") == (
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"'
    )


def test_graceful_deletion() -> None:
    made = cluster()
    client = admin(made)
    client.create("pods", pod("loose"))
    client.delete("pods", "loose")
    assert client.find("pods", "loose") is None  # it was on no node
    bound(made)
    client.delete("pods", "p")
    going = client.get("pods", "p")["metadata"]
    assert (going["deletionTimestamp"], going["deletionGracePeriodSeconds"]) == (rfc3339(START + 30_000), 30)
    assert going["generation"] == 2
    client.delete("pods", "p", grace_seconds=60)
    assert client.get("pods", "p")["metadata"]["deletionGracePeriodSeconds"] == 30
    client.delete("pods", "p", grace_seconds=5)
    assert client.get("pods", "p")["metadata"]["deletionTimestamp"] == rfc3339(START + 5_000)
    client.delete("pods", "p", grace_seconds=0)
    assert client.find("pods", "p") is None


def test_finalizers_hold_an_object() -> None:
    client = admin(cluster())
    client.create("configmaps", {"metadata": {"name": "c", "finalizers": ["example.com/x"]}})
    client.delete("configmaps", "c")
    assert client.get("configmaps", "c")["metadata"]["deletionGracePeriodSeconds"] == 0
    assert message(
        client.patch, "configmaps", "c", {"metadata": {"finalizers": ["example.com/x", "example.com/y"]}}
    ).endswith(
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"example.com/y"}'
    )
    client.patch("configmaps", "c", {"metadata": {"finalizers": None}})
    assert client.find("configmaps", "c") is None


@pytest.mark.parametrize(
    "propagation, finalizers", [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"]), ("Background", None)]
)
def test_propagation(propagation: str, finalizers: list[str] | None) -> None:
    client = admin(cluster())
    client.create("deployments.apps", deployment())
    client.delete("deployments.apps", "d", propagation=propagation)
    found = client.find("deployments.apps", "d")
    assert (found["metadata"]["finalizers"] if found else None) == finalizers


def test_a_namespace_goes_when_it_is_finalized() -> None:
    client = admin(cluster())
    client.delete("namespaces", "lab")
    found = client.get("namespaces", "lab")
    assert (found["status"]["phase"], found["spec"]["finalizers"]) == ("Terminating", ["kubernetes"])
    client.update("namespaces", {**found, "spec": {}}, subresource="finalize")
    assert client.find("namespaces", "lab") is None


def test_conflicts() -> None:
    client = admin(cluster())
    old = client.create("configmaps", {"metadata": {"name": "c"}})
    client.patch("configmaps", "c", {"data": {"a": "b"}})
    error = refused(client.update, "configmaps", {**old, "data": {"x": "y"}})
    assert (error.code, error.message) == (
        409,
        'Operation cannot be fulfilled on configmaps "c": the object has been modified; '
        "please apply your changes to the latest version and try again",
    )
    other = {"uid": "0"}
    assert refused(client.delete, "configmaps", "c", preconditions=other).code == 409


def test_delete_collection_and_dry_run() -> None:
    client = admin(cluster())
    for name in ("a", "b", "c"):
        client.create("configmaps", {"metadata": {"name": name, "labels": {"k": "v" if name != "c" else "w"}}})
    client.delete_collection("configmaps", "default", label_selector="k=v", dry_run=True)
    assert len(client.list("configmaps", "default")) == 3
    client.delete_collection("configmaps", "default", label_selector="k=v")
    assert [c["metadata"]["name"] for c in client.list("configmaps", "default")] == ["c"]


def test_generation_counts_spec_changes_only() -> None:
    client = admin(cluster())
    client.create("deployments.apps", deployment())
    client.patch("deployments.apps", "d", {"metadata": {"labels": {"a": "b"}}})
    client.patch("deployments.apps", "d", {"status": {"replicas": 1}}, subresource="status")
    client.patch("deployments.apps", "d", {"status": {"replicas": 9}})  # ignored outside the subresource
    found = client.get("deployments.apps", "d")
    assert (found["metadata"]["generation"], found["status"]["replicas"]) == (1, 1)
    version = found["metadata"]["resourceVersion"]
    client.patch("deployments.apps", "d", {"spec": {"replicas": 1}})
    assert client.get("deployments.apps", "d")["metadata"]["resourceVersion"] == version  # no change, no write
    client.patch("deployments.apps", "d", {"spec": {"replicas": 2}})
    assert client.get("deployments.apps", "d")["metadata"]["generation"] == 2


# -- eviction --------------------------------------------------------------------------------------------------------


def budget(made: Cluster, name: str = "b", **status: int) -> None:
    body = {"metadata": {"name": name}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}}}
    found = admin(made).create("poddisruptionbudgets.policy", body)
    full = {"observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, **status}
    made.client("system:serviceaccount:kube-system:disruption-controller").update_status(
        "poddisruptionbudgets.policy", {**found, "status": full}
    )


def running(made: Cluster, ready: bool = True) -> None:
    bound(made)
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
    made.client("system:node:n1").patch("pods", "p", {"status": status}, subresource="status")


def test_a_budget_forbids_eviction() -> None:
    made = cluster()
    running(made)
    budget(made)
    error = refused(admin(made).evict, "p")
    assert (error.code, error.reason) == (429, "TooManyRequests")
    assert error.message == "Cannot evict pod as it would violate the pod's disruption budget."
    assert error.details["causes"] == [
        {"reason": "DisruptionBudget", "message": "The disruption budget b needs 1 healthy pods and has 1 currently"}
    ]
    assert "deletionTimestamp" not in admin(made).get("pods", "p")["metadata"]


def test_a_budget_allows_and_counts() -> None:
    made = cluster()
    running(made)
    budget(made, disruptionsAllowed=1)
    admin(made).evict("p", dry_run=True)
    assert admin(made).get("poddisruptionbudgets.policy", "b")["status"]["disruptionsAllowed"] == 1
    admin(made).evict("p")
    assert "deletionTimestamp" in admin(made).get("pods", "p")["metadata"]
    status = admin(made).get("poddisruptionbudgets.policy", "b")["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["p"])


def test_unready_pods_go_when_the_budget_is_met() -> None:
    made = cluster()
    running(made, ready=False)
    budget(made, currentHealthy=0)
    assert refused(admin(made).evict, "p").code == 429
    made = cluster()
    running(made, ready=False)
    budget(made)
    admin(made).evict("p")


def test_two_budgets() -> None:
    made = cluster()
    running(made)
    budget(made)
    budget(made, "c")
    error = refused(admin(made).evict, "p")
    assert (error.code, error.message) == (
        500,
        "Internal error occurred: This pod has more than one PodDisruptionBudget, "
        "which the eviction subresource does not support.",
    )


def test_scale() -> None:
    made = cluster()
    client = admin(made)
    client.create("deployments.apps", deployment())
    found = client.get_scale("deployments.apps", "d")
    assert (found["spec"], found["status"]) == ({"replicas": 1}, {"replicas": 0, "selector": "app=d"})
    client.patch_scale("deployments.apps", "d", {"spec": {"replicas": 4}})
    assert client.get("deployments.apps", "d")["spec"]["replicas"] == 4
    assert message(client.patch_scale, "deployments.apps", "d", {"spec": {"replicas": -1}}) == (
        'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
    )
    assert refused(client.get_scale, "daemonsets.apps", "x").code == 404


# -- events ----------------------------------------------------------------------------------------------------------


def test_events_are_counted_combined_and_expire() -> None:
    made = cluster()
    client = admin(made)
    found = client.create("pods", pod())
    recorder = Recorder(made.client("system:node:n1"), "kubelet", "n1")
    for _ in range(3):
        recorder.event(found, "Warning", "BackOff", "again", "spec.containers{a}")
    (event,) = client.list("events")
    assert (event["count"], event["metadata"]["name"][:2]) == (3, "p.")
    assert len(event["metadata"]["name"]) == 2 + 16
    for n in range(12):
        recorder.event(found, "Normal", "Other", f"text {n}")
    texts = [(e["message"], e["count"]) for e in client.list("events") if e["reason"] == "Other"]
    assert sorted(texts) == sorted([(f"text {n}", 1) for n in range(9)] + [(COMBINED + "text 11", 3)])
    made.loop.advance_to(START + HOUR - 1)
    assert client.list("events")
    assert made.loop.quiet()
    made.loop.advance_to(START + HOUR + 1)
    assert client.list("events") == []


def test_events_under_their_newer_names() -> None:
    made = cluster()
    found = admin(made).create("pods", pod())
    Recorder(made.client("system:node:n1"), "kubelet", "n1").event(found, "Normal", "Pulled", "text")
    (event,) = admin(made).list("events.events.k8s.io", field_selector="regarding.name=p")
    assert (event["apiVersion"], event["note"], event["regarding"]["name"]) == ("events.k8s.io/v1", "text", "p")


# -- custom resources --------------------------------------------------------------------------------------------------


def test_custom_resources() -> None:
    made = cluster()
    client = admin(made)
    client.create(CRDS, CRD)
    client.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 2, "color": "red"}})
    found = client.get("widgets", "w")
    assert found["spec"] == {"size": 2, "mode": "slow"}
    strategy = made.api.strategies[WIDGETS]
    assert [(c.name, c.priority) for c in strategy.columns] == [("Name", 0), ("Size", 0), ("State", 1), ("Age", 0)]
    assert list(strategy.cells(found, START + 90_000)) == ["w", 2, None, "90s"]
    assert message(client.create, WIDGETS, {"metadata": {"name": "x"}, "spec": {"size": 0, "mode": "odd"}}) == (
        'Widget.example.com "x" is invalid: [spec.mode: Unsupported value: "odd": supported values: "slow", "fast", '
        "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1]"
    )
    assert refused(client.patch, WIDGETS, "w", {}, "strategic").code == 415
    client.patch(WIDGETS, "w", {"status": {"state": "up"}}, subresource="status")
    assert list(strategy.cells(client.get("widgets", "w"), START))[2] == "up"
    client.patch_scale(WIDGETS, "w", {"spec": {"replicas": 5}})
    assert client.get("widgets", "w")["spec"]["size"] == 5
    strict = {"metadata": {"name": "y"}, "spec": {"size": 1, "color": "red"}}
    assert message(client.create, WIDGETS, strict, field_validation="Strict") == (
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.color"'
    )


def test_a_deleted_definition_takes_its_objects_along() -> None:
    made = cluster()
    client = admin(made)
    client.create(CRDS, CRD)
    client.create(WIDGETS, {"metadata": {"name": "w", "finalizers": ["example.com/x"]}, "spec": {"size": 2}})
    client.create(WIDGETS, {"metadata": {"name": "v"}, "spec": {"size": 2}})
    client.delete(CRDS, WIDGETS)
    made.loop.drain()
    assert [w["metadata"]["name"] for w in client.list(WIDGETS)] == ["w"]
    assert client.get(CRDS, WIDGETS)["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    client.patch(WIDGETS, "w", {"metadata": {"finalizers": None}})
    made.loop.advance_to(START + 10_000)
    assert client.find(CRDS, WIDGETS) is None
    assert refused(client.list, WIDGETS).code == 404


def test_kinds_follow_their_definitions_through_undo() -> None:
    made = cluster()
    client = admin(made)
    before = made.store.hash()
    made.begin_input(1)
    client.create(CRDS, CRD)
    client.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 2}})
    made.undo_to(0, START)
    assert WIDGETS not in made.api.scheme
    assert made.store.hash() == before
    assert refused(client.list, WIDGETS).code == 404


# -- watches, discovery, reviews -------------------------------------------------------------------------------


def test_a_watch_sees_objects_come_into_and_leave_its_selection() -> None:
    made = cluster()
    client = admin(made)
    seen = Watch(made.api, client.user, "configmaps", "default", label_selector="k=v", since=str(made.journal.revision))
    client.create("configmaps", {"metadata": {"name": "a"}})
    client.patch("configmaps", "a", {"metadata": {"labels": {"k": "v"}}})
    client.patch("configmaps", "a", {"data": {"x": "y"}})
    client.patch("configmaps", "a", {"metadata": {"labels": {"k": "w"}}})
    client.create("configmaps", {"metadata": {"name": "b", "labels": {"k": "v"}}}, "lab")
    assert [(kind, obj["metadata"]["name"]) for kind, obj in seen.poll()] == [
        ("ADDED", "a"),
        ("MODIFIED", "a"),
        ("DELETED", "a"),
    ]
    assert seen.poll() == []


def test_watch_beginnings() -> None:
    made = cluster()
    client = admin(made)
    client.create("configmaps", {"metadata": {"name": "a"}})
    streamed = Watch(made.api, client.user, "configmaps", "default", initial_events=True).poll()
    assert [kind for kind, _ in streamed] == ["ADDED", "BOOKMARK"]
    assert streamed[1][1]["metadata"]["annotations"] == {INITIAL_EVENTS_END: "true"}
    made.begin_input(1)
    late = Watch(made.api, client.user, "configmaps", since=str(made.journal.revision))
    client.delete("configmaps", "a")
    assert [kind for kind, _ in late.poll()] == ["DELETED"]
    made.undo_to(0, START)
    assert refused(late.poll).code == 410
    made.forget()
    old = refused(Watch, made.api, client.user, "configmaps", since="1")
    assert old.message.startswith("too old resource version: 1")


def test_hidden_kinds_do_not_exist_for_users() -> None:
    made = cluster()
    inside = made.client("system:labsim:setup")
    inside.create("machines.hardware.labsim", {"metadata": {"name": "n1"}, "spec": {}, "status": {"a": 1}})
    assert inside.get("machines.hardware.labsim", "n1")["status"] == {"a": 1}
    assert refused(admin(made).get, "machines.hardware.labsim", "n1").message == (
        "the server could not find the requested resource"
    )
    documents = (
        discovery.group_list(made.api.scheme),
        discovery.aggregated(made.api.scheme, core=False),
        discovery.aggregated(made.api.scheme, core=True),
    )
    assert all("labsim" not in str(document) for document in documents)
    assert discovery.resource_list(made.api.scheme, "hardware.labsim/v1") is None


def test_discovery_of_pods() -> None:
    found = discovery.resource_list(cluster().api.scheme, "v1")
    assert found is not None
    rows = {row["name"]: row for row in found["resources"]}
    assert rows["pods"]["shortNames"] == ["po"]
    assert rows["pods"]["categories"] == ["all"]
    assert rows["pods/eviction"] == {
        "name": "pods/eviction",
        "singularName": "",
        "namespaced": True,
        "group": "policy",
        "version": "v1",
        "kind": "Eviction",
        "verbs": ["create"],
    }


def test_reviews() -> None:
    made = cluster()
    client = admin(made)
    ask = {"spec": {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}}
    assert client.create("selfsubjectaccessreviews.authorization.k8s.io", ask)["status"]["allowed"] is True
    me = client.create("selfsubjectreviews.authentication.k8s.io", {})["status"]["userInfo"]
    assert me == {"username": "kubernetes-admin", "groups": ["kubeadm:cluster-admins", "system:authenticated"]}
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    client.create("roles.rbac.authorization.k8s.io", {"metadata": {"name": "r"}, "rules": rules})
    binding = {
        "metadata": {"name": "rb"},
        "roleRef": {"kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "name": "jane"}],
    }
    client.create("rolebindings.rbac.authorization.k8s.io", binding)

    def may(verb: str, user: str = "jane") -> dict[str, Any]:
        attributes = {"verb": verb, "resource": "pods", "namespace": "default"}
        body = {"spec": {"user": user, "resourceAttributes": attributes}}
        status: dict[str, Any] = client.create("subjectaccessreviews.authorization.k8s.io", body)["status"]
        return status

    assert may("get")["reason"] == 'RBAC: allowed by RoleBinding "rb/default" of Role "r" to User "jane"'
    assert may("delete") == {"allowed": False}
    assert may("get", "joe") == {"allowed": False}


def test_shipped_definitions_are_served() -> None:
    import yaml

    made = cluster()
    path = Path(__file__).parents[4] / "world" / "charts" / "gpu-operator-crds.yaml"
    for definition in yaml.safe_load(path.read_text())["objects"]:
        made.client("system:labsim:setup").create(CRDS, definition)
    columns = [c.name for c in made.api.strategies["clusterpolicies.nvidia.com"].columns]
    assert columns == ["Name", "Status", "Age"]


def test_heartbeats_are_shown_and_not_stored() -> None:
    made = cluster()
    inside = made.client("system:labsim:setup")
    condition = {"type": "Ready", "status": "True", "lastHeartbeatTime": rfc3339(START)}
    inside.create("nodes", {"metadata": {"name": "n1"}, "status": {"conditions": [condition]}})
    kubelet = {"kubelet": {"running": True, "startedAt": START}}
    machine = inside.create("machines.hardware.labsim", {"metadata": {"name": "n1"}, "status": kubelet})
    made.clock.now = START + 11 * 60_000
    node = inside.get("nodes", "n1")
    assert node["status"]["conditions"][0]["lastHeartbeatTime"] == rfc3339(START + 10 * 60_000)
    inside.patch("nodes", "n1", {"metadata": {"labels": {"a": "b"}}})
    inside.update_status("nodes", {**node, "metadata": {**node["metadata"], "resourceVersion": None}})
    stored = made.store.get("nodes", "", "n1")
    assert stored is not None
    assert stored["status"]["conditions"] == [condition]
    inside.update("machines.hardware.labsim", {**machine, "status": {"kubelet": {"running": False}}})
    assert inside.get("nodes", "n1")["status"]["conditions"] == [condition]
