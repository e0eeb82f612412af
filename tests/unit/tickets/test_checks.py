"""Every kind of check: what it reads, and that missing, false and true are told apart."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.lab import Lab
from labsim.tickets.check_schema import Check
from labsim.tickets.checks import evaluate
from labsim.tickets.scene import Verdict


@pytest.fixture(scope="module")
def lab() -> Lab:
    lab = Lab.open("dgx-h100-busy", seed=1, freeze_objects=True)
    lab.run("kubectl cordon gpu-node3; kubectl label node gpu-node1 tier=gold; echo 'a: 1' > note.yaml")
    return lab


def judge(lab: Lab, check: dict[str, Any]) -> Verdict:
    compiled = Check.model_validate(check).model_dump(by_alias=True, exclude_unset=False)
    return evaluate(_only_set(compiled), lab.scene())


def _only_set(check: dict[str, Any]) -> dict[str, Any]:
    found = {k: v for k, v in check.items() if v is not None}
    for kind, spec in found.items():
        if kind in ("all", "any"):
            found[kind] = [_only_set(part) for part in spec]
        elif kind == "not":
            found[kind] = _only_set(spec)
    return found


NODE = {"resource": "nodes", "name": "gpu-node3"}
CASES: list[tuple[dict[str, Any], str]] = [
    ({"object": {**NODE, "path": "{.spec.unschedulable}", "value": True}}, "pass"),
    ({"object": {**NODE, "path": "{.spec.unschedulable}", "value": "true"}}, "fail"),  # a string is no bool
    ({"object": {**NODE, "path": "{.spec.unschedulable}", "op": "absent"}}, "fail"),
    ({"object": {**NODE, "name": "gpu-node1", "path": "{.spec.unschedulable}", "value": False}}, "fail"),  # missing
    ({"object": {**NODE, "name": "gpu-node1", "path": "{.spec.unschedulable}", "op": "absent"}}, "pass"),
    ({"object": {**NODE, "name": "gpu-node1", "path": "{.spec.unschedulable}", "op": "!=", "value": True}}, "fail"),
    ({"object": {**NODE, "name": "gpu-node9", "op": "exists"}}, "fail"),
    ({"object": {**NODE, "name": "gpu-node9", "op": "absent"}}, "pass"),
    ({"object": {**NODE, "name": "gpu-node9", "path": ".spec", "op": "exists"}}, "fail"),
    ({"object": {**NODE, "path": ".status.allocatable.memory", "op": ">=", "value": "2Ti"}}, "pass"),
    ({"object": {**NODE, "path": ".status.allocatable.cpu", "value": "224000m"}}, "pass"),
    ({"object": {**NODE, "path": ".status.nodeInfo.osImage", "op": ">", "value": 1}}, "error"),
    ({"object": {**NODE, "path": ".status.nodeInfo.osImage", "op": "matches", "value": "^Ubuntu"}}, "pass"),
    ({"object": {**NODE, "path": ".status.nodeInfo.osImage", "op": "in", "value": ["x", "y"]}}, "fail"),
    ({"object": {"resource": "nodez", "name": "x", "op": "exists"}}, "error"),
    ({"object": {**NODE, "path": "{.a[", "value": 1}}, "error"),
    ({"objects": {"resource": "nodes", "path": ".status.allocatable.nvidia\\.com/gpu", "value": 8}}, "pass"),
    ({"objects": {"resource": "nodes", "selector": "tier=gold", "quantifier": "count", "value": 1}}, "pass"),
    ({"objects": {"resource": "nodes", "selector": "tier=lead", "path": ".spec", "op": "exists"}}, "error"),  # empty
    ({"objects": {"resource": "nodes", "selector": "tier=lead", "path": ".spec", "op": "exists", "allow_empty": True}},
     "pass"),
    ({"objects": {"resource": "nodes", "quantifier": "none", "path": ".spec.unschedulable", "value": True}}, "fail"),
    ({"objects": {"resource": "nodes", "quantifier": "any", "path": ".spec.unschedulable", "value": True}}, "pass"),
    ({"allocatable": {"node": "gpu-node1", "resource": "nvidia.com/gpu", "value": 8}}, "pass"),
    ({"allocatable": {"node": "gpu-node1", "resource": "nvidia.com/mig-1g.10gb", "value": 0}}, "pass"),
    ({"allocatable": {"node": "gpu-node9", "resource": "nvidia.com/gpu", "value": 0}}, "fail"),
    ({"mig": {"node": "gpu-node1", "mode": "Disabled"}}, "pass"),
    ({"mig": {"node": "gpu-node1", "devices": {}}}, "pass"),
    ({"mig": {"node": "gpu-node1", "gpus": [0], "devices": {"1g.10gb": 7}}}, "fail"),
    ({"mig": {"node": "gpu-node1", "gpus": [8], "mode": "Disabled"}}, "error"),
    ({"pod_on": {"namespace": "team-llm", "name": "notebook-mia", "node": "gpu-node2", "ready": True}}, "pass"),
    ({"pod_on": {"namespace": "team-llm", "name": "notebook-mia", "not_node": "gpu-node2"}}, "fail"),
    ({"pod_on": {"namespace": "team-llm", "selector": "app=nothing"}}, "fail"),  # no pod is not "every pod"
    ({"pod_on": {"namespace": "team-vision", "selector": "app=detector", "count": 3}}, "pass"),
    ({"log": {"namespace": "gpu-operator", "selector": "app=nvidia-mig-manager", "contains": "Waiting for"}}, "pass"),
    ({"log": {"namespace": "gpu-operator", "selector": "app=nvidia-mig-manager", "matches": "^no such line$"}}, "fail"),
    ({"file": {"path": "note.yaml", "equals": "a: 1"}}, "pass"),
    ({"file": {"path": "/root/note.yaml", "matches": r"^a: \d$"}}, "pass"),
    ({"file": {"path": "other.yaml", "contains": ""}}, "fail"),
    ({"file": {"path": "other.yaml", "absent": True}}, "pass"),
    ({"answer": {"id": "q", "values": ["b"]}}, "fail"),
    ({"history": {"resource": "nodes", "name": "gpu-node3", "path": ".spec.unschedulable", "after": True}}, "pass"),
    ({"history": {"resource": "nodes", "name": "gpu-node1", "path": ".spec.unschedulable"}}, "fail"),
    ({"history": {"resource": "nodes", "path": ".metadata.labels.tier", "before": "absent", "after": "gold"}}, "pass"),
    ({"history": {"resource": "pods", "verb": "delete"}}, "fail"),
    ({"unchanged": {"resource": "nodes", "names": ["gpu-node2"]}}, "pass"),
    ({"unchanged": {"resource": "nodes", "names": ["gpu-node1"]}}, "fail"),
    ({"unchanged": {"resource": "nodes", "names": ["gpu-node1"], "paths": [".spec"]}}, "pass"),
    ({"unchanged": {"resource": "nodes", "names": ["gpu-node9"]}}, "error"),
    ({"unchanged": {"resource": "pods", "namespace": "team-llm"}}, "pass"),
    ({"not": {"file": {"path": "note.yaml", "absent": True}}}, "pass"),
    ({"not": {"object": {"resource": "nodez", "name": "x", "op": "exists"}}}, "error"),
    ({"all": [{"file": {"path": "note.yaml", "contains": "a"}}, {"file": {"path": "x", "absent": False}}]}, "fail"),
    ({"any": [{"file": {"path": "x", "contains": "a"}}, {"file": {"path": "note.yaml", "contains": "a"}}]}, "pass"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "status"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_check(lab: Lab, check: dict[str, Any], status: str) -> None:
    verdict = judge(lab, check)
    assert verdict.status == status, verdict
    assert verdict.read
    assert verdict.expected
    assert verdict.found


def test_a_failure_names_what_was_read_expected_and_found(lab: Lab) -> None:
    verdict = judge(lab, {"object": {**NODE, "path": ".status.nodeInfo.kubeletVersion", "value": "v1.31.4"}})
    assert (verdict.read, verdict.expected, verdict.found) == (
        "nodes/gpu-node3 .status.nodeInfo.kubeletVersion", "v1.31.4", "v1.35.2",
    )  # fmt: skip


def test_the_right_answer_is_not_shown(lab: Lab) -> None:
    assert "b" not in judge(lab, {"answer": {"id": "q", "values": ["b"]}}).expected.split()
