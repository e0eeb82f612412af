"""Lost kubelets, taints, eviction, nodes that are deleted."""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import condition_of, get_in, set_in
from tests.support.small import START, Lab, deployment, pod

FOREVER = [{"operator": "Exists"}]


def kubelet(lab: Lab, node: str, running: bool) -> None:
    machine = lab.setup.get("machines.hardware.labsim", node)
    lab.setup.update_status("machines.hardware.labsim", set_in(machine, ("status", "kubelet"), {"running": running}))
    lab.cluster.loop.drain()


def ready(lab: Lab, node: str) -> str:
    found = condition_of(lab.get("nodes", node), "Ready")
    assert found is not None
    return str(found["status"])


def taints(lab: Lab, node: str) -> list[tuple[str, str]]:
    return [(t["key"], t["effect"]) for t in get_in(lab.get("nodes", node), "spec", "taints", default=())]


def test_a_silent_node_turns_unknown_after_fifty_seconds() -> None:
    lab = Lab("gpu-node1")
    kubelet(lab, "gpu-node1", False)
    lab.run(49)
    assert ready(lab, "gpu-node1") == "True" and not lab.cluster.loop.quiet()
    lab.run(2)
    found = condition_of(lab.get("nodes", "gpu-node1"), "Ready")
    assert found is not None
    assert (found["status"], found["reason"], found["message"]) == (
        "Unknown",
        "NodeStatusUnknown",
        "Kubelet stopped posting node status.",
    )
    assert taints(lab, "gpu-node1") == [
        ("node.kubernetes.io/unreachable", "NoSchedule"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
    ]
    kubelet(lab, "gpu-node1", True)
    assert ready(lab, "gpu-node1") == "True" and taints(lab, "gpu-node1") == []
    assert lab.cluster.loop.quiet()


def test_pods_are_evicted_when_their_toleration_ends() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    for name, seconds in (("short", 60), ("for-ever", None)):
        toleration: dict[str, Any] = {
            "key": "node.kubernetes.io/unreachable",
            "operator": "Exists",
            "effect": "NoExecute",
        }
        if seconds:
            toleration["tolerationSeconds"] = seconds
        lab.create("pods", pod(name, nodeName="gpu-node1", tolerations=[toleration]))
    lab.run(10)
    kubelet(lab, "gpu-node1", False)
    lab.run(100)
    assert not lab.get("pods", "short")["metadata"].get("deletionTimestamp")
    lab.run(15)
    assert lab.get("pods", "short")["metadata"].get("deletionTimestamp")
    assert not lab.get("pods", "for-ever")["metadata"].get("deletionTimestamp")
    assert (
        "TaintManagerEviction",
        "Marking for deletion Pod default/short",
        "taint-eviction-controller",
    ) in lab.events("short")
    kubelet(lab, "gpu-node1", True)
    lab.settle()
    assert [p["metadata"]["name"] for p in lab.pods()] == ["for-ever"]


def test_a_cordoned_node_carries_the_taint() -> None:
    lab = Lab("gpu-node1")
    lab.admin.patch("nodes", "gpu-node1", {"spec": {"unschedulable": True}})
    lab.cluster.loop.drain()
    assert taints(lab, "gpu-node1") == [("node.kubernetes.io/unschedulable", "NoSchedule")]
    assert ("NodeNotSchedulable", "Node gpu-node1 status is now: NodeNotSchedulable", "kubelet") in lab.events(
        "gpu-node1"
    )
    lab.admin.patch("nodes", "gpu-node1", {"spec": {"unschedulable": None}})
    lab.cluster.loop.drain()
    assert taints(lab, "gpu-node1") == []


def test_pods_of_a_deleted_node_go_and_it_registers_again_at_restart() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    lab.create("deployments.apps", deployment("w", 2))
    lab.settle()
    lab.admin.delete("nodes", "gpu-node1")
    lab.settle()
    assert {p["spec"]["nodeName"] for p in lab.pods()} == {"gpu-node2"}
    assert lab.admin.find("nodes", "gpu-node1") is None
    kubelet(lab, "gpu-node1", True)
    assert ready(lab, "gpu-node1") == "True"


def test_address_ranges_do_not_overlap() -> None:
    lab = Lab("gpu-node1", "gpu-node2", "gpu-node3")
    assert [n["spec"]["podCIDR"] for n in lab.admin.list("nodes")] == [
        "10.244.0.0/24",
        "10.244.1.0/24",
        "10.244.2.0/24",
    ]


def test_a_reboot_ends_all_containers_and_says_so() -> None:
    from labsim.hardware.machine import rebooted

    lab = Lab("gpu-node1")
    lab.create("pods", pod("a"))
    lab.settle()
    machine = lab.setup.get("machines.hardware.labsim", "gpu-node1")
    lab.setup.update("machines.hardware.labsim", rebooted(machine, "11111111-2222-4333-8444-555555555555", lab.now))
    lab.settle()
    (status,) = lab.get("pods", "a")["status"]["containerStatuses"]
    assert status["restartCount"] == 1 and status["lastState"]["terminated"]["exitCode"] == 255
    text = "Node gpu-node1 has been rebooted, boot id: 11111111-2222-4333-8444-555555555555"
    assert ("Rebooted", text, "kubelet") in lab.events("gpu-node1")


def test_a_steady_world_writes_nothing_and_undo_restores_it() -> None:
    lab = Lab("gpu-node1", "gpu-node2")
    lab.create("deployments.apps", deployment("w", 3))
    lab.settle()
    before, now, timers = lab.cluster.store.hash(), lab.now, lab.cluster.timers.dump()
    lab.cluster.begin_input(2)
    lab.run(600)
    assert lab.cluster.store.hash() == before
    lab.admin.delete("deployments.apps", "w", "default")
    kubelet(lab, "gpu-node2", False)
    lab.create("pods", pod("x"))
    lab.run(100)
    assert lab.cluster.store.hash() != before and lab.now > START
    lab.cluster.undo_to(1, now)
    assert (lab.cluster.store.hash(), lab.cluster.timers.dump()) == (before, timers)
    lab.create("pods", pod("y"))
    lab.settle()
    assert lab.phase("y") == "Running"


def test_heartbeats_are_computed_when_read_and_stop_with_the_kubelet() -> None:
    def seen() -> tuple[str, str]:
        condition = condition_of(lab.get("nodes", "gpu-node1"), "Ready")
        assert condition is not None
        lease = lab.get("leases.coordination.k8s.io", "gpu-node1", "kube-node-lease")
        return condition["lastHeartbeatTime"], lease["spec"]["renewTime"]

    lab = Lab("gpu-node1")
    before = lab.cluster.store.hash()
    lab.run(615)
    assert seen() == ("2026-11-10T09:51:00Z", "2026-11-10T09:51:10.000000Z")
    assert lab.cluster.store.hash() == before
    kubelet(lab, "gpu-node1", False)
    lab.run(300)
    assert seen() == ("2026-11-10T09:51:15Z", "2026-11-10T09:51:15.000000Z")
