"""The ClusterPolicy controller and NFD: labels on nodes, conditions, what an edit rolls."""

from __future__ import annotations

import pytest

from labsim.kube.objects import get_in
from tests.support.gpu_cluster import NODE, GpuCluster


def _pods(lab: GpuCluster) -> dict[str, str]:
    return {
        get_in(pod, "metadata", "labels", "app"): pod["metadata"]["name"]
        for pod in lab.admin.list("pods", "gpu-operator", field_selector=f"spec.nodeName={NODE}")
        if get_in(pod, "metadata", "labels", "app")
    }


def _rolled(lab: GpuCluster, before: dict[str, str]) -> set[str]:
    after = _pods(lab)
    return {app for app in before if after.get(app) != before[app]}


def test_a_change_of_strategy_rolls_plugin_features_and_validator_only() -> None:
    lab = GpuCluster()
    before = _pods(lab)
    lab.policy(mig={"strategy": "mixed"})
    lab.settle()
    rolled = _rolled(lab, before) - {"nvidia-cuda-validator"}
    assert rolled == {"nvidia-device-plugin-daemonset", "gpu-feature-discovery", "nvidia-operator-validator"}
    lab.audit()


def test_a_deleted_operand_is_made_again_and_an_edited_one_put_back() -> None:
    lab = GpuCluster()
    lab.admin.delete("daemonsets.apps", "nvidia-dcgm-exporter", "gpu-operator")
    lab.settle()
    assert lab.operand("nvidia-dcgm-exporter")
    patch = {"spec": {"template": {"spec": {"priorityClassName": "system-cluster-critical"}}}}
    lab.admin.patch("daemonsets.apps", "nvidia-dcgm-exporter", patch, "merge", "gpu-operator")
    lab.settle()
    found = lab.admin.get("daemonsets.apps", "nvidia-dcgm-exporter", "gpu-operator")
    assert get_in(found, "spec", "template", "spec", "priorityClassName") == "system-node-critical"


def test_operands_off_for_a_node() -> None:
    lab = GpuCluster()
    lab.label(**{"nvidia.com/gpu.deploy.operands": "false"})
    lab.settle()
    assert set(_pods(lab)) <= {"nvidia-cuda-validator"}
    assert lab.offered() == {}
    assert lab.offered("gpu-node1") == {"nvidia.com/gpu": 8}


def test_an_own_value_of_a_deploy_label_is_kept_and_a_missing_one_filled() -> None:
    lab = GpuCluster()
    key = "nvidia.com/gpu.deploy.dcgm-exporter"
    lab.label(**{key: "false"})
    lab.settle()
    assert lab.labels()[key] == "false"
    lab.label(**{key: None})
    lab.policy(dcgm={"enabled": False, "hostNetwork": False})  # any change of the spec makes it look again
    lab.settle()
    assert lab.labels()[key] == "true"
    assert lab.operand("nvidia-dcgm-exporter")


def test_the_default_layout_is_written_where_the_label_is_missing() -> None:
    lab = GpuCluster()
    lab.layout("all-3g.40gb")
    lab.settle()
    lab.label(mig=None)
    lab.policy(mig={"strategy": "mixed"})
    lab.settle()
    assert lab.labels()["nvidia.com/mig.config"] == "all-disabled"
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_nfd_puts_removed_labels_back() -> None:
    lab = GpuCluster()
    lab.label(**{"nvidia.com/gpu.product": None, "feature.node.kubernetes.io/cpu-model.id": None})
    lab.settle()
    labels = lab.labels()
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    assert labels["feature.node.kubernetes.io/cpu-model.id"] == "143"


def test_without_its_feature_object_and_gfd_a_node_loses_the_gpu_labels() -> None:
    lab = GpuCluster()
    lab.label(**{"nvidia.com/gpu.deploy.gpu-feature-discovery": "false"})
    lab.settle()
    lab.admin.delete("nodefeatures.nfd.k8s-sigs.io", f"nvidia-features-for-{NODE}", "gpu-operator")
    lab.label(**{"nvidia.com/gpu.deploy.mig-manager": None})
    lab.settle()
    labels = lab.labels()
    assert "nvidia.com/mig.capable" not in labels and "nvidia.com/gpu.deploy.mig-manager" not in labels
    lab.layout("all-1g.10gb")
    lab.settle()
    assert lab.offered() == {"nvidia.com/gpu": 8}
    lab.label(**{"nvidia.com/gpu.deploy.mig-manager": "true"})
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})


def test_a_second_policy_is_ignored() -> None:
    lab = GpuCluster()
    first = lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")
    body = {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "another"},
        "spec": first["spec"],
    }
    lab.step()
    lab.admin.create("clusterpolicies.nvidia.com", body)
    lab.settle()
    assert lab.admin.get("clusterpolicies.nvidia.com", "another")["status"]["state"] == "ignored"


@pytest.mark.parametrize("app", ["nvidia-operator-validator", "nvidia-container-toolkit-daemonset", "gpu-operator"])
def test_pods_that_are_deleted_come_back_and_all_is_ready(app: str) -> None:
    lab = GpuCluster()
    for pod in lab.inside.by_index("pods", "label", f"app={app}", "gpu-operator"):
        lab.admin.delete("pods", pod["metadata"]["name"], "gpu-operator")
    lab.step(2)
    lab.settle()
    assert lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")["status"]["state"] == "ready"
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_driver_pod_deleted_with_the_same_version_keeps_the_layout() -> None:
    lab = GpuCluster()
    lab.layout("all-3g.40gb")
    lab.settle()
    lab.admin.delete("pods", lab.operand("nvidia-driver-daemonset")["metadata"]["name"], "gpu-operator")
    lab.settle()
    log = lab.log("nvidia-driver-daemonset", "k8s-driver-manager")
    assert any(
        "already loaded with the desired version and configuration, skipping the uninstallation" in t for t in log
    )
    assert lab.geometry() == [[9, 9]] * 8
    assert lab.offered() == {"nvidia.com/gpu": 16}
