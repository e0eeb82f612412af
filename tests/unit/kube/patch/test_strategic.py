"""Strategic merge patches: directives, merge keys, order, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.patch import PatchError, create_three_way_strategic, create_two_way, strategic_merge
from labsim.kube.schema import load

POD = load().for_gvk("", "v1", "Pod")
DEPLOYMENT = load().for_gvk("apps", "v1", "Deployment")
NODE = load().for_gvk("", "v1", "Node")


def containers(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"name": name, "image": "i", **more} for name in names]


CASES: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("merge by key, new ones last", {"containers": containers("a", "b")},
     {"containers": [{"name": "b", "image": "j"}, {"name": "c"}]},
     {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}, {"name": "c"}]}),
    ("delete by key", {"containers": containers("a", "b")}, {"containers": [{"name": "a", "$patch": "delete"}]},
     {"containers": containers("b")}),
    ("replace a list", {"containers": containers("a", "b")}, {"containers": [{"$patch": "replace"}, {"name": "c"}]},
     {"containers": [{"name": "c"}]}),
    ("replace a map", {"securityContext": {"runAsUser": 1}}, {"securityContext": {"$patch": "replace", "fsGroup": 2}},
     {"securityContext": {"fsGroup": 2}}),
    ("empty a map", {"securityContext": {"runAsUser": 1}}, {"securityContext": {"$patch": "delete"}},
     {"securityContext": {}}),
    ("tolerations are atomic", {"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]},
     {"tolerations": [{"key": "b"}]}),
    ("null removes", {"nodeName": "n", "priority": 1}, {"nodeName": None, "hostname": None}, {"priority": 1}),
    ("order", {"containers": containers("a", "b", "c")},
     {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}], "containers": [{"name": "a", "image": "z"}]},
     {"containers": [{"name": "b", "image": "i"}, {"name": "c", "image": "i"}, {"name": "a", "image": "z"}]}),
    ("ports by containerPort", {"containers": [{"name": "a", "ports": [{"containerPort": 1}, {"containerPort": 2}]}]},
     {"containers": [{"name": "a", "ports": [{"containerPort": 2, "name": "x"}]}]},
     {"containers": [{"name": "a", "ports": [{"containerPort": 1}, {"containerPort": 2, "name": "x"}]}]}),
    ("retain keys of a volume", {"volumes": [{"name": "v", "emptyDir": {}}]},
     {"volumes": [{"name": "v", "hostPath": {"path": "/"}, "$retainKeys": ["name", "hostPath"]}]},
     {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}),
    ("directives are not kept in what is new", {},
     {"volumes": [{"name": "v", "$retainKeys": ["name"]}], "securityContext": {"fsGroup": 1, "runAsUser": None}},
     {"volumes": [{"name": "v"}], "securityContext": {"fsGroup": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "patch", "result"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_merge(spec: Any, patch: Any, result: Any) -> None:
    before = repr((spec, patch))
    assert strategic_merge({"spec": spec}, {"spec": patch}, POD) == {"spec": result}
    assert repr((spec, patch)) == before


def test_finalizers_are_a_set() -> None:
    node = {"metadata": {"finalizers": ["a", "b", "c"]}}
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b"], "finalizers": ["d", "a"]}}
    assert strategic_merge(node, patch, NODE) == {"metadata": {"finalizers": ["d", "a", "c"]}}


def test_conditions_merge_by_type_and_share_the_rest() -> None:
    node = {"spec": {"podCIDR": "x"}, "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Disk"}]}}
    found = strategic_merge(node, {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, NODE)
    assert found["status"]["conditions"] == [{"type": "Ready", "status": "False"}, {"type": "Disk"}]
    assert found["spec"] is node["spec"]
    assert found["status"]["conditions"][1] is node["status"]["conditions"][1]


REFUSED: list[tuple[Any, int, str]] = [
    ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    ({"spec": {"$patch": "frob"}}, 500, "unknown patch type: frob in map: map[$patch:frob]"),
    ({"spec": {"containers": [{"image": "x"}]}}, 500, "map: map[image:x] does not contain declared merge key: name"),
    ({"spec": {"containers": [{"$patch": "merge"}]}}, 500, "merging lists cannot yet be specified in the patch"),
    ({"spec": {"containers": ["x"]}}, 500,
     "list element types are not identical: [[map[image:i name:a]] [x]]"),
    ({"spec": {"$retainKeys": ["a"], "nodeName": "x"}}, 400, "invalid patch format of retainKeys"),
    ({"spec": {"$setElementOrder/containers": "x"}}, 500, "expected a []interface {}, but received a string"),
    ({"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}}, 500,
     "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"),
]  # fmt: skip


@pytest.mark.parametrize(("patch", "code", "message"), REFUSED)
def test_refused(patch: Any, code: int, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        strategic_merge({"spec": {"containers": containers("a")}}, patch, POD)
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_two_way_of_a_taint() -> None:
    old = {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}], "podCIDR": "x"}}
    new = {"spec": {"taints": [{"key": "b", "effect": "NoSchedule"}], "podCIDR": "x", "unschedulable": True}}
    patch = create_two_way(old, new, NODE)
    assert patch == {"spec": {"taints": [{"key": "b", "effect": "NoSchedule"}], "unschedulable": True}}
    assert create_two_way(new, new, NODE) == {}


def test_two_way_of_an_unknown_kind_is_a_merge_patch() -> None:
    assert create_two_way({"spec": {"containers": [1], "x": 1}}, {"spec": {"containers": [2]}}, None) == {
        "spec": {"containers": [2], "x": None}
    }


def test_three_way() -> None:
    original = {"spec": {"replicas": 1, "template": {"spec": {"containers": containers("a", "b")}}}}
    current = {
        "spec": {"replicas": 5, "paused": True, "template": {"spec": {"containers": containers("a", "b", "sidecar")}}}
    }
    modified = {"spec": {"template": {"spec": {"containers": containers("a", tty=True)}}}}
    patch = create_three_way_strategic(original, modified, current, DEPLOYMENT)
    assert patch == {
        "spec": {
            "replicas": None,
            "template": {
                "spec": {
                    "$setElementOrder/containers": [{"name": "a"}],
                    "containers": [{"name": "a", "tty": True}, {"name": "b", "$patch": "delete"}],
                }
            },
        }
    }
    after = strategic_merge(current, patch, DEPLOYMENT)
    assert after == {
        "spec": {
            "paused": True,
            "template": {"spec": {"containers": [*containers("a", tty=True), *containers("sidecar")]}},
        }
    }
