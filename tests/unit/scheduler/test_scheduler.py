"""What does not fit says why, in upstream's words; what fits goes where it should."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.objects import condition_of, get_in
from tests.support.small import Lab, deployment, gpus, pod, serve_gpus

NODES = ("gpu-node1", "gpu-node2", "gpu-node3")
DRA = "no new claims to deallocate, preemption: "
NOT_HELPFUL, NO_VICTIMS = "Preemption is not helpful for scheduling", "No preemption victims found for incoming pod"


def message(lab: Lab, name: str) -> str:
    found = condition_of(lab.get("pods", name), "PodScheduled")
    assert found is not None and (found["status"], found["reason"]) == ("False", "Unschedulable")
    assert ("FailedScheduling", found["message"], "default-scheduler") in lab.events(name)
    return str(found["message"])


def cordon(lab: Lab, node: str) -> None:
    lab.admin.patch("nodes", node, {"spec": {"unschedulable": True}})


def taint(lab: Lab, node: str, key: str, effect: str = "NoSchedule") -> None:
    lab.admin.patch("nodes", node, {"spec": {"taints": [{"key": key, "effect": effect}]}})


def priority(lab: Lab, name: str, value: int, **more: str) -> None:
    body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
    lab.setup.create("priorityclasses.scheduling.k8s.io", {**body, **more})


def full(lab: Lab, node: str) -> None:
    lab.create("pods", pod(f"on-{node}", resources=gpus(8), nodeSelector={"kubernetes.io/hostname": node}))


CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no plugin anywhere": (
        lambda lab: None,
        {"resources": gpus(1)},
        f"0/3 nodes are available: 3 Insufficient nvidia.com/gpu. {DRA}0/3 nodes are available: 3 {NOT_HELPFUL}.",
    ),
    "one cordoned, two full": (
        lambda lab: (
            [serve_gpus(lab, n) for n in NODES],
            [full(lab, n) for n in NODES[1:]],
            lab.run(5),
            cordon(lab, NODES[0]),
        ),
        {"resources": gpus(1)},
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu. "
        f"{DRA}0/3 nodes are available: 1 {NOT_HELPFUL}, 2 {NO_VICTIMS}.",
    ),
    "tainted and wrong label": (
        lambda lab: taint(lab, NODES[0], "team"),
        {"nodeSelector": {"disk": "ssd"}},
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node "
        f"affinity/selector. {DRA}0/3 nodes are available: 3 {NOT_HELPFUL}.",
    ),
    "cpu and memory": (
        lambda lab: None,
        {"resources": {"requests": {"cpu": "300", "memory": "9Ti"}}},
        "0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory. "
        f"{DRA}0/3 nodes are available: 3 {NOT_HELPFUL}.",
    ),
    "missing claim": (
        lambda lab: None,
        {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]},
        '0/3 nodes are available: persistentvolumeclaim "data" not found. '
        f"{DRA}0/3 nodes are available: 3 {NOT_HELPFUL}.",
    ),
    "never preempts": (
        lambda lab: priority(lab, "batch", 10, preemptionPolicy="Never"),
        {"resources": gpus(1), "priorityClassName": "batch"},
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. "
        f"{DRA.removesuffix('preemption: ')}preemption: not eligible due to preemptionPolicy=Never.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_messages(case: str) -> None:
    prepare, spec, text = CASES[case]
    lab = Lab(*NODES)
    prepare(lab)
    lab.create("pods", pod("p", **spec))
    lab.run(5)
    assert message(lab, "p") == text


def test_no_nodes() -> None:
    lab = Lab()
    lab.create("pods", pod("p"))
    lab.run(1)
    assert message(lab, "p").startswith("no nodes available to schedule pods")


def test_a_daemon_pod_that_does_not_fit_its_node() -> None:
    lab = Lab(*NODES)
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-node2"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    lab.create("pods", pod("p", resources=gpus(1), affinity={"nodeAffinity": required}))
    lab.run(1)
    assert message(lab, "p").startswith(
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_host_ports_and_anti_affinity() -> None:
    lab = Lab("gpu-node1")
    port = [{"containerPort": 80, "hostPort": 80}]
    lab.create("pods", pod("a", ports=port))
    lab.create("pods", pod("b", ports=port))
    lab.run(1)
    assert message(lab, "b").startswith(
        "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
    )
    term = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    together = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {**term, "labelSelector": {"matchLabels": {"app": "nobody"}}}
            ]
        }
    }
    lab.create("pods", pod("c", affinity=apart))
    lab.create("pods", pod("d", affinity=together))
    lab.run(1)
    assert "1 node(s) didn't match pod anti-affinity rules" in message(lab, "c")
    assert "1 node(s) didn't match pod affinity rules" in message(lab, "d")


def test_topology_spread_keeps_the_skew() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "w"}},
        }
    ]
    lab.create("deployments.apps", deployment("w", 4, pod={"topologySpreadConstraints": spread}))
    lab.run(5)
    nodes = sorted(p["spec"]["nodeName"] for p in lab.pods())
    assert nodes == ["gpu-node1", "gpu-node1", "gpu-node2", "gpu-node2"]
    cordon(lab, "gpu-node2")
    lab.create("pods", pod("extra", labels={"app": "w"}, topologySpreadConstraints=spread))
    lab.run(1)
    assert lab.get("pods", "extra")["spec"].get("nodeName") == "gpu-node1"
    lab.create("pods", pod("more", labels={"app": "w"}, topologySpreadConstraints=spread))
    lab.run(1)
    assert "1 node(s) didn't match pod topology spread constraints" in message(lab, "more")


def test_replicas_are_spread_over_equal_nodes() -> None:
    lab = Lab(*NODES)
    lab.create("deployments.apps", deployment("w", 6))
    lab.run(1)
    nodes = sorted(p["spec"]["nodeName"] for p in lab.pods())
    assert nodes == sorted(NODES * 2)


def test_room_made_is_used() -> None:
    lab = Lab("gpu-node1")
    serve_gpus(lab, "gpu-node1")
    full(lab, "gpu-node1")
    lab.create("pods", pod("p", resources=gpus(1)))
    lab.run(5)
    assert not lab.get("pods", "p")["spec"].get("nodeName")
    lab.admin.delete("pods", "on-gpu-node1", "default")
    lab.settle()
    assert lab.phase("p") == "Running"


@pytest.mark.parametrize(
    "change",
    [
        lambda lab: lab.admin.patch("nodes", "gpu-node1", {"spec": {"unschedulable": None}}),
        lambda lab: lab.admin.patch("nodes", "gpu-node2", {"metadata": {"labels": {"disk": "ssd"}}}),
    ],
    ids=["uncordon", "label"],
)
def test_node_changes_wake_waiting_pods(change: Any) -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    lab.admin.patch("nodes", "gpu-node1", {"metadata": {"labels": {"disk": "ssd"}}})
    cordon(lab, "gpu-node1")
    lab.create("pods", pod("p", nodeSelector={"disk": "ssd"}))
    lab.run(5)
    assert not lab.get("pods", "p")["spec"].get("nodeName")
    change(lab)
    lab.settle()
    assert lab.phase("p") == "Running"


def test_a_higher_priority_evicts_just_enough() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    priority(lab, "high", 1000)
    priority(lab, "low", 10)
    serve_gpus(lab, "gpu-node1")
    for n in range(4):
        lab.setup.create("pods", pod(f"l{n}", resources=gpus(2), priorityClassName="low"), "default")
    lab.run(5)
    lab.setup.create("pods", pod("h", resources=gpus(4), priorityClassName="high"), "default")
    lab.cluster.loop.drain()
    dying = [p["metadata"]["name"] for p in lab.pods() if p["metadata"].get("deletionTimestamp")]
    assert len(dying) == 2
    assert get_in(lab.get("pods", "h"), "status", "nominatedNodeName") == "gpu-node1"
    assert condition_of(lab.get("pods", dying[0]), "DisruptionTarget") is not None
    uid = lab.get("pods", "h")["metadata"]["uid"]
    assert ("Preempted", f"Preempted by pod {uid} on node gpu-node1", "default-scheduler") in lab.events(dying[0])
    lab.settle()
    assert lab.phase("h") == "Running" and "nominatedNodeName" not in lab.get("pods", "h")["status"]


def test_gated_and_foreign_pods_are_left_alone() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("gated", schedulingGates=[{"name": "x"}]))
    lab.create("pods", pod("other", schedulerName="kai-scheduler"))
    lab.run(5)
    for name in ("gated", "other"):
        assert not lab.get("pods", name)["spec"].get("nodeName")


def test_the_view_follows_undo() -> None:
    lab = Lab("gpu-node1")
    serve_gpus(lab, "gpu-node1")
    now = lab.now
    for round_ in (2, 3, 4):
        lab.cluster.begin_input(round_)
        lab.create("pods", pod(f"p{round_}", resources=gpus(8)))
        lab.run(5)
        assert lab.phase(f"p{round_}") == "Running"
        lab.cluster.undo_to(1, now)


def test_a_thousand_nodes() -> None:
    lab = Lab(*(f"n{n:04}" for n in range(1000)), product="host")
    lab.create("deployments.apps", deployment("w", 50))
    lab.settle()
    assert {p["status"]["phase"] for p in lab.pods()} == {"Running"}
    writes = len(lab.cluster.journal.writes)
    lab.run(10)
    assert len(lab.cluster.journal.writes) == writes
