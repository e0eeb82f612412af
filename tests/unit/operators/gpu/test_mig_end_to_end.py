"""The GPU path from label to Allocatable, on the shipped world, with every part in place."""

from __future__ import annotations

import pytest

from tests.support.gpu_cluster import NODE, STATE, GpuCluster

# layout -> (single: nvidia.com/gpu or None for a crash, mixed: what is offered, product under single)
H100 = "NVIDIA-H100-80GB-HBM3"
LAYOUTS: dict[str, tuple[int | None, dict[str, int], str]] = {
    "all-1g.10gb": (56, {"nvidia.com/mig-1g.10gb": 56}, f"{H100}-MIG-1g.10gb"),
    "all-1g.10gb.me": (8, {"nvidia.com/mig-1g.10gb.me": 8}, f"{H100}-MIG-1g.10gb.me"),
    "all-1g.20gb": (32, {"nvidia.com/mig-1g.20gb": 32}, f"{H100}-MIG-1g.20gb"),
    "all-2g.20gb": (24, {"nvidia.com/mig-2g.20gb": 24}, f"{H100}-MIG-2g.20gb"),
    "all-3g.40gb": (16, {"nvidia.com/mig-3g.40gb": 16}, f"{H100}-MIG-3g.40gb"),
    "all-4g.40gb": (8, {"nvidia.com/mig-4g.40gb": 8}, f"{H100}-MIG-4g.40gb"),
    "all-7g.80gb": (8, {"nvidia.com/mig-7g.80gb": 8}, f"{H100}-MIG-7g.80gb"),
    "all-balanced": (
        None,
        {"nvidia.com/mig-1g.10gb": 16, "nvidia.com/mig-2g.20gb": 8, "nvidia.com/mig-3g.40gb": 8},
        f"{H100}-MIG-INVALID",
    ),
    "all-enabled": (None, {}, f"{H100}-MIG-INVALID"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_under_single(layout: str) -> None:
    single, _, product = LAYOUTS[layout]
    lab = GpuCluster()
    assert lab.offered() == {"nvidia.com/gpu": 8}
    lab.layout(layout)
    lab.until(lambda: lab.state() == "pending")
    assert lab.offered() == {}
    lab.until(lambda: lab.state() == "success")
    assert lab.settle() < 60
    assert lab.offered() == ({"nvidia.com/gpu": single} if single is not None else {})
    labels = lab.labels()
    assert labels["nvidia.com/gpu.product"] == product
    assert labels["nvidia.com/gpu.count"] == str(single or 0)
    assert labels["nvidia.com/gpu.deploy.device-plugin"] == "true"
    for other in ("gpu-node1", "gpu-node3"):
        assert lab.offered(other) == {"nvidia.com/gpu": 8}
    policy = lab.admin.get("clusterpolicies.nvidia.com", "cluster-policy")
    assert policy["status"]["state"] == ("ready" if single is not None else "notReady")
    lab.audit()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_under_mixed(layout: str) -> None:
    lab = GpuCluster()
    lab.policy(mig={"strategy": "mixed"})
    lab.settle()
    assert lab.labels()["nvidia.com/mig.strategy"] == "mixed"
    lab.layout(layout)
    lab.until(lambda: lab.state() == "success")
    assert lab.settle() < 60
    wanted = LAYOUTS[layout][1]
    assert lab.offered() == wanted
    assert lab.allocatable()["nvidia.com/gpu"] == 0  # the kubelet keeps the key
    labels = lab.labels()
    for resource, count in wanted.items():
        assert labels[f"{resource}.count"] == str(count)
    assert labels["nvidia.com/gpu.product"] == H100
    lab.audit()


def test_back_to_whole_gpus() -> None:
    lab = GpuCluster()
    lab.layout("all-3g.40gb")
    lab.settle()
    lab.layout("all-disabled")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 8})
    assert lab.geometry() == [[]] * 8
    assert lab.labels()["nvidia.com/gpu.product"] == H100
    lab.audit()


def test_run_takes_several_steps_and_says_what_it_does() -> None:
    lab = GpuCluster()
    lab.layout("all-1g.10gb")
    seen = []
    for _ in range(12):
        lab.step()
        seen.append((lab.state(), lab.offered().get("nvidia.com/gpu", 0)))
    assert seen.count(("pending", 0)) >= 4
    assert seen[-1] == ("success", 56)
    assert (
        lab.manager_log()[-32:]
        == [
            "Waiting for change to 'nvidia.com/mig.config' label",
            "Updating to MIG config: all-1g.10gb",
            *[
                f"Current value of 'nvidia.com/gpu.deploy.{name}=true'\\n"
                for name in ("device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "nvsm")
            ],
            "Current value of 'nvidia.com/mig.config.state=success'\\n",
            "Asserting that the requested configuration is present in the configuration file",
            "Selected MIG configuration is valid",
            "Checking if the selected MIG config is currently applied or not",
            "Assertion failure: selected configuration not currently applied",
            "Checking if the MIG mode setting in the selected config is currently applied or not",
            "If the state is 'rebooting', we expect this to always return true",
            "Assertion failure: selected configuration not currently applied",
            "Shutting down all GPU clients in Kubernetes by disabling their component-specific nodeSelector labels",
            "Waiting for the device-plugin to shutdown",
            "Waiting for gpu-feature-discovery to shutdown",
            "Waiting for dcgm-exporter to shutdown",
            "Waiting for dcgm to shutdown",
            "Removing the cuda-validator pod",
            "Removing the plugin-validator pod",
            "Applying the MIG mode change from the selected config to the node (and double checking it took effect)",
            "If the -r option was passed, the node will be automatically rebooted if this is not successful",
            "MIG configuration applied successfully",
            "Selected MIG mode settings from configuration currently applied",
            "Applying the selected MIG config to the node",
            "MIG configuration applied successfully",
            "Running nvidia-smi",
            "Creating NVIDIA control device nodes",
            "Creating management CDI spec",
            "Creating management CDI spec (simplified implementation)",
            "Restarting validator pod to re-run all validations",
            "Restarting all GPU clients previously shutdown in Kubernetes by reenabling their component-specific "
            "nodeSelector labels",
            "Changing the 'nvidia.com/mig.config.state' node label to 'success'\\n",
            "Successfully updated to MIG config: all-1g.10gb",
            "Waiting for change to 'nvidia.com/mig.config' label",
        ][-32:]
    )


def test_while_paused_three_operands_are_gone_from_that_node_only() -> None:
    lab = GpuCluster()
    lab.layout("all-1g.10gb")
    lab.until(lambda: lab.state() == "pending")
    lab.step()
    counts = {
        ds["metadata"]["name"]: ds["status"]["desiredNumberScheduled"]
        for ds in lab.admin.list("daemonsets.apps", "gpu-operator")
    }
    for name in ("nvidia-device-plugin-daemonset", "gpu-feature-discovery", "nvidia-dcgm-exporter"):
        assert counts[name] == 2
    for name in ("nvidia-driver-daemonset", "nvidia-container-toolkit-daemonset", "nvidia-mig-manager"):
        assert counts[name] == 3


def test_busy_gpu_fails_and_says_so_then_a_manager_restart_succeeds() -> None:
    lab = GpuCluster()
    lab.layout("all-3g.40gb")
    lab.settle()
    # Quirk 2.7 b belongs to a process that has finished a run; this one is new.
    lab.admin.delete("pods", lab.operand("nvidia-mig-manager")["metadata"]["name"], "gpu-operator")
    lab.settle()
    lab.gpu_pod("train", 1)
    lab.settle()
    lab.layout("all-1g.10gb")
    lab.until(lambda: lab.state() == "failed")
    text = "\n".join(lab.manager_log())
    assert "error destroying Compute instance for profile '(2, 0)': In use by another client" in text
    assert "Error: failed to apply MIG configuration: exit status 1" in text
    lab.settle()
    assert lab.labels()["nvidia.com/gpu.deploy.device-plugin"] == "true"
    assert lab.offered() != {"nvidia.com/gpu": 56}

    lab.layout("all-1g.10gb")  # the same value again
    assert lab.settle() == 0 and lab.state() == "failed"

    lab.admin.delete("pods", "train", "default")
    lab.settle()
    lab.admin.delete("pods", lab.operand("nvidia-mig-manager")["metadata"]["name"], "gpu-operator")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})
    lab.audit()


def test_failure_after_a_success_leaves_the_operands_paused() -> None:
    """Quirk 2.7 b of the Go port: the flag that the clients were let back is never taken back."""
    lab = GpuCluster()
    lab.layout("all-3g.40gb")
    lab.settle()
    lab.gpu_pod("train", 1)
    lab.settle()
    lab.layout("all-1g.10gb")
    lab.until(lambda: lab.state() == "failed")
    lab.settle()
    assert lab.labels()["nvidia.com/gpu.deploy.device-plugin"] == "paused-for-mig-change"
    assert lab.offered() == {}


def test_same_value_changes_nothing() -> None:
    lab = GpuCluster()
    lab.begin()
    lab.layout("all-disabled")
    before = len(lab.cluster.journal.writes)
    lab.step(12)
    assert (before, len(lab.cluster.journal.writes)) == (0, 0)


def test_a_name_that_is_no_layout_fails_without_touching_the_operands() -> None:
    lab = GpuCluster()
    plugin = lab.operand("nvidia-device-plugin-daemonset")["metadata"]["name"]
    lab.layout("all-1g.5gb")
    lab.settle()
    assert lab.state() == "failed"
    assert "Error selecting MIG config: selected mig-config not present: all-1g.5gb" in lab.manager_log()
    assert lab.operand("nvidia-device-plugin-daemonset")["metadata"]["name"] == plugin
    assert lab.offered() == {"nvidia.com/gpu": 8}


def test_values_set_during_a_run_are_coalesced() -> None:
    lab = GpuCluster()
    lab.layout("all-1g.10gb")
    lab.step(2)
    for value in ("all-3g.40gb", "all-2g.20gb", "all-1g.10gb"):
        lab.layout(value)
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 56})
    assert sum("Updating to MIG config" in line for line in lab.manager_log()) == 2  # the start's and this one
    lab.layout("all-3g.40gb")
    lab.step(2)
    lab.layout("all-disabled")
    lab.settle()
    assert (lab.state(), lab.offered()) == ("success", {"nvidia.com/gpu": 8})
    assert [line for line in lab.manager_log() if "Updating" in line][-2:] == [
        "Updating to MIG config: all-3g.40gb",
        "Updating to MIG config: all-disabled",
    ]


def test_removed_and_set_again_is_a_retry() -> None:
    lab = GpuCluster()
    lab.layout("bad")
    lab.settle()
    lab.policy(migManager={"config": {"default": ""}})
    lab.settle()
    runs = sum("Updating" in line for line in lab.manager_log())
    lab.label(mig=None)
    lab.settle()
    assert sum("Updating" in line for line in lab.manager_log()) == runs
    lab.layout("bad")
    lab.settle()
    assert sum("Updating" in line for line in lab.manager_log()) == runs + 1


def test_plugin_crashes_under_single_with_two_kinds_and_mixed_repairs_it() -> None:
    lab = GpuCluster()
    lab.layout("all-balanced")
    lab.settle()
    log = lab.log("nvidia-device-plugin-daemonset", "nvidia-device-plugin")
    assert any("more than one MIG device type present on node" in line for line in log)
    lab.policy(mig={"strategy": "mixed"})
    lab.settle()
    assert lab.offered() == LAYOUTS["all-balanced"][1]
    assert lab.labels()[STATE] == "success"


def test_plugin_label_off_takes_allocatable_to_zero_though_the_gpus_are_sliced() -> None:
    lab = GpuCluster()
    lab.layout("all-1g.10gb")
    lab.settle()
    lab.label(**{"nvidia.com/gpu.deploy.device-plugin": "false"})
    lab.settle()
    assert lab.offered() == {}
    assert sum(len(gpu) for gpu in lab.geometry()) == 56
    assert lab.labels(NODE)["nvidia.com/gpu.count"] == "56"


def test_with_gfd_down_its_labels_stay_old() -> None:
    lab = GpuCluster()
    lab.label(**{"nvidia.com/gpu.deploy.gpu-feature-discovery": "false"})
    lab.settle()
    lab.layout("all-1g.10gb")
    lab.settle()
    assert lab.offered() == {"nvidia.com/gpu": 56}
    assert lab.labels()["nvidia.com/gpu.count"] == "8"
    assert lab.labels()["nvidia.com/gpu.product"] == H100
