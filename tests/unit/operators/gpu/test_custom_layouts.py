"""Own ConfigMaps for MIG Manager: used, wrongly keyed, wrongly named, without the layout (gpu.md 1.6, 2.6)."""

from __future__ import annotations

from labsim.kube.objects import get_in
from tests.support.gpu_cluster import GpuCluster

OWN = """version: v1
mig-configs:
  all-disabled:
    - devices: all
      mig-enabled: false
  two-kinds:
    - devices: [0, 1, 2, 3]
      mig-enabled: false
    - devices: [4, 5, 6, 7]
      mig-enabled: true
      mig-devices:
        "3g.40gb": 2
"""


def _with(lab: GpuCluster, key: str = "config.yaml", name: str = "own", namespace: str = "gpu-operator") -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}, "data": {key: OWN}}
    lab.admin.create("configmaps", body, namespace)
    lab.policy(migManager={"config": {"name": name}})


def test_own_layout_on_some_gpus() -> None:
    lab = GpuCluster()
    lab.policy(mig={"strategy": "mixed"})
    lab.settle()
    _with(lab)
    lab.settle()
    assert "Using custom config: /mig-parted-config/config.yaml" in lab.manager_log()
    lab.layout("two-kinds")
    lab.settle()
    assert lab.state() == "success"
    assert lab.offered() == {"nvidia.com/gpu": 4, "nvidia.com/mig-3g.40gb": 8}
    assert lab.geometry() == [[]] * 4 + [[9, 9]] * 4
    lab.audit()


def test_an_own_file_replaces_all_stock_layouts() -> None:
    lab = GpuCluster()
    _with(lab)
    lab.settle()
    lab.layout("all-2g.20gb")
    lab.settle()
    assert lab.state() == "failed"
    assert "Error: failed to validate MIG configuration: exit status 1" in lab.manager_log()


def test_wrong_key_ends_the_manager_and_leaves_the_state() -> None:
    lab = GpuCluster()
    _with(lab, key="layouts.yaml")
    lab.step(12)
    crashed = []
    for node in ("gpu-node1", "gpu-node2", "gpu-node3"):
        pod = lab.operand("nvidia-mig-manager", node)
        waiting = get_in(pod, "status", "containerStatuses", 0, "state", "waiting", "reason")
        crashed.append(waiting == "CrashLoopBackOff")
        assert lab.state(node) == "success"
    assert any(crashed)  # maxUnavailable 1: the others keep their old pods
    node = ("gpu-node1", "gpu-node2", "gpu-node3")[crashed.index(True)]
    assert lab.manager_log(node)[-1] == (
        "Error: failed to setup MIG config: failed to read custom config /mig-parted-config/config.yaml: "
        "stat /mig-parted-config/config.yaml: no such file or directory"
    )


def test_wrong_namespace_keeps_the_pod_from_starting() -> None:
    lab = GpuCluster()
    _with(lab, namespace="default")
    lab.step(12)
    texts = [event["message"] for event in lab.admin.list("events", "gpu-operator")]
    assert any(
        'MountVolume.SetUp failed for volume "mig-parted-config" : configmap "own" not found' in t for t in texts
    )


def test_stock_config_map_is_put_back() -> None:
    lab = GpuCluster()
    before = lab.admin.get("configmaps", "default-mig-parted-config", "gpu-operator")["data"]
    patch = {"data": {"config.yaml": "version: v1\n"}}
    lab.admin.patch("configmaps", "default-mig-parted-config", patch, "merge", "gpu-operator")
    lab.policy(mig={"strategy": "mixed"})  # the next reconcile
    lab.settle()
    assert lab.admin.get("configmaps", "default-mig-parted-config", "gpu-operator")["data"] == before
