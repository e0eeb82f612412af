"""What happens to a MIG run when somebody interferes at each of its stages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.gpu_cluster import NODE, GpuCluster


def _reading(lab: GpuCluster) -> bool:
    return any("Updating to MIG config: all-1g.10gb" in line for line in lab.manager_log())


def _said(text: str) -> Callable[[GpuCluster], bool]:
    return lambda lab: any(text in line for line in lab.manager_log())


STAGES: dict[str, Callable[[GpuCluster], bool]] = {
    "asked": lambda lab: True,
    "reading": _reading,
    "pausing": _said("Shutting down all GPU clients"),
    "mode": lambda lab: any(gpu["mig"]["current"] == "Enabled" for gpu in lab.machine()["status"]["gpus"]),
    "geometry": lambda lab: any(lab.geometry()),
    "resuming": _said("Restarting validator pod"),
    "done": _said("Successfully updated to MIG config: all-1g.10gb"),
}


def _at(stage: str) -> GpuCluster:
    """A run for all-1g.10gb on the node, stopped at the first second at which the stage is reached."""
    lab = GpuCluster()
    lab.begin()
    lab.layout("all-1g.10gb")
    for _ in range(180):
        if STAGES[stage](lab):
            return lab
        lab.cluster.loop.advance_to(lab.cluster.clock.now + 1000)
    raise AssertionError(stage)


def _delete(lab: GpuCluster, app: str) -> None:
    pods = lab.inside.by_index("pods", "label", f"app={app}", "gpu-operator")
    for pod in pods:
        if pod["spec"].get("nodeName") == NODE and not pod["metadata"].get("deletionTimestamp"):
            lab.admin.delete("pods", pod["metadata"]["name"], "gpu-operator")
    lab.cluster.loop.drain()


@pytest.mark.parametrize("stage", STAGES)
def test_manager_pod_deleted(stage: str) -> None:
    """A new manager takes up the label's value at its start and brings the node to it."""
    lab = _at(stage)
    _delete(lab, "nvidia-mig-manager")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})
    assert lab.labels()["nvidia.com/gpu.deploy.device-plugin"] == "true"
    lab.audit()


@pytest.mark.parametrize("stage", STAGES)
def test_plugin_pod_deleted(stage: str) -> None:
    lab = _at(stage)
    _delete(lab, "nvidia-device-plugin-daemonset")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})
    lab.audit()


@pytest.mark.parametrize("stage", STAGES)
def test_another_layout_set(stage: str) -> None:
    lab = _at(stage)
    lab.layout("all-3g.40gb")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 16})
    assert lab.geometry() == [[9, 9]] * 8
    lab.audit()


@pytest.mark.parametrize("stage", STAGES)
def test_gpu_pod_started(stage: str) -> None:
    """Before the pause the pod gets a GPU and the run fails; later it waits and gets a slice."""
    lab = _at(stage)
    lab.gpu_pod("train", 1)
    lab.settle()
    pod = lab.admin.get("pods", "train", "default")
    assert pod["status"]["phase"] == "Running"
    if lab.state() == "success":
        assert lab.offered() == {"nvidia.com/gpu": 56}
    else:
        # The GPU with the pod keeps its mode; nothing is called done that is not.
        assert lab.state() == "failed"
        assert any(gpu["mig"]["current"] == "Disabled" for gpu in lab.machine()["status"]["gpus"])
        assert "Error: failed to apply MIG configuration: exit status 1" in lab.manager_log()
    lab.audit()


@pytest.mark.parametrize("stage", STAGES)
def test_undone(stage: str) -> None:
    fresh = GpuCluster()
    start, before = fresh.cluster.clock.now, fresh.cluster.store.hash()
    lab = _at(stage)
    lab.cluster.undo_to(0, start)
    assert lab.cluster.store.hash() == before
    assert lab.cluster.loop.quiet()
    lab.begin()
    lab.layout("all-1g.10gb")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})


def test_client_that_does_not_go_leaves_the_node_pending() -> None:
    """gpu.md 2.7 a: after five minutes the run gives up and writes no state; the next value is handled as usual."""
    lab = GpuCluster()
    pod = lab.operand("nvidia-device-plugin-daemonset")
    lab.admin.patch(
        "pods", pod["metadata"]["name"], {"metadata": {"finalizers": ["example.com/hold"]}}, "merge", "gpu-operator"
    )
    lab.layout("all-1g.10gb")
    lab.step(40)
    assert lab.state() == "pending"
    assert lab.labels()["nvidia.com/gpu.deploy.device-plugin"] == "paused-for-mig-change"
    expected = (
        "Error: failed to wait for pods to be deleted: device-plugin pod did not shutdown: context deadline exceeded"
    )
    assert expected in lab.manager_log()
    assert lab.geometry() == [[]] * 8
    lab.admin.patch("pods", pod["metadata"]["name"], {"metadata": {"finalizers": None}}, "merge", "gpu-operator")
    _delete(lab, "nvidia-mig-manager")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})
