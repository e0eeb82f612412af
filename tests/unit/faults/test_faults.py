"""Each fault kind: what it does to the cluster, and that the usual repair ends it; wrong parameters are refused."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.faults import KINDS, FaultError, inject, parameters
from labsim.kube.objects import get_in, is_true
from tests.support.gpu_cluster import NODE, GpuCluster


def _delete(lab: GpuCluster, app: str) -> None:
    lab.admin.delete("pods", lab.operand(app)["metadata"]["name"], "gpu-operator")
    lab.cluster.loop.drain()


def test_xid_on_one_gpu_and_on_all() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "xid", node=NODE, gpu=3, code=79)
    lab.settle()
    status = lab.node()["status"]
    assert (status["capacity"]["nvidia.com/gpu"], status["allocatable"]["nvidia.com/gpu"]) == ("8", "7")
    log = lab.log("nvidia-device-plugin-daemonset", "nvidia-device-plugin")
    assert any("XidCriticalError: Xid=79 on Device=GPU-" in line for line in log)
    inject(lab.cluster, "xid", node="gpu-node3", gpu="all", code=95)
    lab.settle()
    status = lab.node("gpu-node3")["status"]
    assert (status["capacity"]["nvidia.com/gpu"], status["allocatable"]["nvidia.com/gpu"]) == ("8", "0")
    lab.audit()


def test_xid_of_an_application_changes_nothing() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "xid", node=NODE, gpu=0, code=31)
    lab.settle()
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_node_not_ready() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "node-not-ready", node=NODE)
    lab.step(6)
    assert not is_true(lab.node(), "Ready")
    assert is_true(lab.node("gpu-node1"), "Ready")


def test_registry_unreachable_and_image_missing() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "registry-unreachable", node=NODE)
    lab.gpu_pod("train", 1)
    lab.step(12)
    pod = lab.admin.get("pods", "train", "default")
    assert get_in(pod, "status", "containerStatuses", 0, "state", "waiting", "reason") in (
        "ImagePullBackOff",
        "ErrImagePull",
    )
    lab = GpuCluster()
    for tag in ("580.999.99-ubuntu22.04", "580.999.99-ubuntu24.04"):
        inject(lab.cluster, "image-missing", image=f"nvcr.io/nvidia/driver:{tag}")
    lab.policy(driver={"version": "580.999.99", "upgradePolicy": {"autoUpgrade": False}})
    _delete(lab, "nvidia-driver-daemonset")
    lab.step(12)
    pod = lab.operand("nvidia-driver-daemonset")
    reason = get_in(pod, "status", "containerStatuses", 0, "state", "waiting", "reason")
    first = get_in(pod, "status", "initContainerStatuses", 0, "state", "terminated", "exitCode")
    assert (first, reason) in ((0, "ImagePullBackOff"), (0, "ErrImagePull"))
    policy = lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")
    assert policy["status"]["state"] == "notReady"


def test_nfd_off_takes_the_operands_away() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "nfd-off", node=NODE)
    lab.settle()
    labels = lab.labels()
    assert not [key for key in labels if key.startswith("feature.node.kubernetes.io/")]
    assert labels["nvidia.com/gpu.present"] == "false"
    counts = {
        ds["metadata"]["name"]: (ds["status"]["desiredNumberScheduled"], ds["status"]["numberReady"])
        for ds in lab.admin.list("daemonsets.apps", "gpu-operator")
    }
    assert counts["nvidia-device-plugin-daemonset"] == (2, 2)
    assert lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")["status"]["state"] == "ready"


def test_nfd_off_for_one_label() -> None:
    lab = GpuCluster()
    lost = "feature.node.kubernetes.io/pci-15b3.present"
    inject(lab.cluster, "nfd-off", node=NODE, labels=[lost])
    lab.settle()
    assert lost not in lab.labels()
    assert "feature.node.kubernetes.io/pci-10de.present" in lab.labels()
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_plugin_crash_until_its_pod_is_replaced() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "plugin-crash", node=NODE)
    lab.step(6)
    pod = lab.operand("nvidia-device-plugin-daemonset")
    assert get_in(pod, "status", "containerStatuses", 0, "restartCount") >= 1
    assert lab.offered() == {}
    _delete(lab, "nvidia-device-plugin-daemonset")
    lab.settle()
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_toolkit_missing_until_its_pod_is_replaced() -> None:
    lab = GpuCluster()
    inject(lab.cluster, "toolkit-missing", node=NODE)
    _delete(lab, "nvidia-device-plugin-daemonset")
    lab.step(12)
    texts = [event["message"] for event in lab.admin.list("events", "gpu-operator")]
    assert any('no runtime for "nvidia" is configured' in text for text in texts)
    assert lab.offered() == {}
    _delete(lab, "nvidia-container-toolkit-daemonset")
    lab.step(12)
    lab.settle()
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_driver_not_loaded_until_its_pod_is_replaced() -> None:
    lab = GpuCluster()
    lab.layout("all-1g.10gb")
    lab.settle()
    inject(lab.cluster, "driver-not-loaded", node=NODE)
    lab.step(15)
    assert get_in(lab.operand("nvidia-driver-daemonset"), "status", "containerStatuses", 0, "restartCount") >= 1
    assert lab.geometry() == [[]] * 8  # Hopper keeps neither mode nor instances
    assert lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")["status"]["state"] == "notReady"
    _delete(lab, "nvidia-driver-daemonset")
    lab.step(15)
    lab.settle()
    assert is_true(lab.operand("nvidia-driver-daemonset"), "Ready")


def test_manager_client_stuck() -> None:
    lab = GpuCluster()
    lab.layout("all-enabled")
    lab.settle()
    inject(lab.cluster, "manager-client-stuck", node=NODE, when="after-setup", note="as in the report")
    lab.settle()
    assert lab.labels()["nvidia.com/mig.config"] == "all-1g.10gb"
    assert lab.state() == "pending"
    assert all(gpu["mig"]["current"] == "Enabled" for gpu in lab.machine()["status"]["gpus"])
    lab.layout("all-disabled")
    lab.settle()
    lab.layout("all-1g.10gb")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("no-such", {}, "there is no fault 'no-such' (known: xid, node-not-ready, registry-unreachable, image-missing, "
     "nfd-off, plugin-crash, toolkit-missing, driver-not-loaded, manager-client-stuck)"),
    ("xid", {"gpu": 1}, "fault xid needs the parameter node (a node)"),
    ("xid", {"node": "gpu-node9", "gpu": 1},
     "fault xid: node must be one of gpu-node1, gpu-node2, gpu-node3, found 'gpu-node9'"),
    ("xid", {"node": NODE, "gpu": 8}, "fault xid: gpu must be a GPU index from 0 to 7, or all, found 8"),
    ("xid", {"node": NODE, "gpu": 1, "code": "79"}, "fault xid: code must be a whole number, found '79'"),
    ("xid", {"node": NODE, "gpu": 1, "xid": 79}, "fault xid has no parameter xid (it takes node, gpu, code)"),
    ("plugin-crash", {"node": NODE, "lasts": "day"}, "fault plugin-crash: lasts must be pod (it ends when that pod is "
     "replaced) or node (it stays), found 'day'"),
    ("nfd-off", {"node": NODE, "labels": ["a/b"]}, "fault nfd-off: gpu-node2 has no label a/b"),
    ("image-missing", {}, "fault image-missing needs the parameter image (an image with its tag)"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "where", "text"), WRONG)
def test_wrong_parameters_are_one_clear_line(kind: str, where: dict[str, Any], text: str) -> None:
    lab = GpuCluster()
    before = lab.cluster.store.hash()
    with pytest.raises(FaultError) as caught:
        inject(lab.cluster, kind, **where)
    assert str(caught.value) == text
    assert lab.cluster.store.hash() == before


def test_every_kind_lists_its_parameters() -> None:
    assert all(parameters(kind) for kind in KINDS)
