from __future__ import annotations

import pytest

from labsim.hardware import enumerate, features, h100, mig
from labsim.hardware.machine import Machine, gpus, new_machine, with_driver, with_gpu, with_xid

CHAIN = (
    "error starting plugins: error getting plugins: unable to create plugins: failed to construct resource managers: "
)
MAP = CHAIN + "error building device map: error building device map from config.resources: "


def node(*layouts: tuple[str, ...] | None) -> Machine:
    """A machine whose first GPUs have these profiles (None: MIG off); the rest like the last one."""
    machine = new_machine("gpu-node1", 1)
    for gpu in gpus(machine):
        layout = layouts[min(gpu["index"], len(layouts) - 1)]
        if layout is None:
            continue
        changed = mig.set_mode(gpu, True, busy=False)
        for name in layout:
            changed, made = mig.create_gi(changed, h100.BY_NAME[name])
            changed = mig.create_ci(changed, made["giId"])[0]
        machine = with_gpu(machine, changed)
    return machine


SINGLE_FAILURES = [
    (
        ((), ("1g.10gb", "3g.40gb"), None),
        "invalid MIG configuration: at least one device with migEnabled=true was not configured correctly: "
        "error visiting device: device 0 has no MIG devices configured",
        "at least one MIG device is enabled but empty",
    ),
    (
        (("1g.10gb", "3g.40gb"),),
        "invalid MIG configuration: error visiting devices: error visiting device: error visiting device: "
        "error visiting MIG device: error visiting MIG device: more than one MIG device type present on node",
        "more than one MIG device type present on node",
    ),
    (
        (("1g.10gb", "1g.10gb+me"),),
        "invalid MIG configuration: error visiting devices: error visiting device: error visiting device: "
        "error visiting MIG device: error visiting MIG device: more than one MIG device type present on node",
        "more than one MIG device type present on node",
    ),
    (
        (("3g.40gb",), None),
        "all devices on the node must be configured with the same migEnabled value",
        "devices with MIG enabled and disable detected",
    ),
]


@pytest.mark.parametrize(("layouts", "text", "reason"), SINGLE_FAILURES)
def test_single_strategy_failures(layouts: tuple[tuple[str, ...] | None, ...], text: str, reason: str) -> None:
    machine = node(*layouts)
    with pytest.raises(enumerate.PluginError) as caught:
        enumerate.resources(machine, "single")
    assert str(caught.value) == MAP + text
    assert features.warning(machine, "single") == f"Invalid configuration detected for mig-strategy=single: {reason}"
    assert features.warning(machine, "mixed") is None
    labels = features.labels(machine, "single")
    shown = {k.removeprefix("nvidia.com/gpu."): v for k, v in labels.items() if k.startswith("nvidia.com/gpu.")}
    assert shown == {
        "machine": "DGXH100",
        "mode": "compute",
        "product": "NVIDIA-H100-80GB-HBM3-MIG-INVALID",
        "count": "0",
        "replicas": "0",
        "sharing-strategy": "",
        "memory": "0",
        "family": "hopper",
        "compute.major": "9",
        "compute.minor": "0",
    }


def test_mixed_node_under_mixed() -> None:
    machine = node((), ("3g.40gb", "1g.10gb+me"), None)
    found = enumerate.resources(machine, "mixed")
    assert {name: len(devices) for name, devices in found.items()} == {
        "nvidia.com/gpu": 6,
        "nvidia.com/mig-1g.10gb.me": 1,
        "nvidia.com/mig-3g.40gb": 1,
    }
    assert found["nvidia.com/gpu"][0]["id"] == gpus(machine)[2]["uuid"]
    assert found["nvidia.com/mig-3g.40gb"][0] == {
        "id": mig.mig_devices(gpus(machine)[1])[0].uuid,
        "index": "1:0",
        "gpu": 1,
        "giId": 2,
        "ciId": 0,
    }
    assert enumerate.warnings(machine, "mixed") == ["device 0 has no MIG devices configured"]
    labels = features.labels(machine, "mixed")
    assert (labels["nvidia.com/gpu.count"], labels["nvidia.com/gpu.replicas"]) == ("8", "1")
    assert labels["nvidia.com/mig-1g.10gb.me.product"] == "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me"
    assert labels["nvidia.com/mig-1g.10gb.me.engines.ofa"] == "1"


def test_strategy_none_ignores_mig() -> None:
    machine = node(("1g.10gb",))
    assert len(enumerate.resources(machine, "none")["nvidia.com/gpu"]) == 8
    labels = features.labels(machine, "none")
    assert "nvidia.com/mig.strategy" not in labels
    assert (labels["nvidia.com/gpu.count"], labels["nvidia.com/gpu.replicas"]) == ("8", "0")


# gpu.md 4, the columns "MIG off", "all-1g.10gb" and "all-3g.40gb" under single.
COLUMNS = [
    (None, {"product": "", "count": "8", "replicas": "1", "memory": "81559"}),
    (
        ("1g.10gb",) * 7,
        {
            "product": "-MIG-1g.10gb", "count": "56", "replicas": "1", "memory": "9984", "multiprocessors": "16",
            "slices.gi": "1", "slices.ci": "1", "engines.copy": "1", "engines.decoder": "1", "engines.encoder": "0",
            "engines.jpeg": "1", "engines.ofa": "0",
        },
    ),
    (
        ("3g.40gb",) * 2,
        {
            "product": "-MIG-3g.40gb", "count": "16", "replicas": "1", "memory": "40448", "multiprocessors": "60",
            "slices.gi": "3", "slices.ci": "3", "engines.copy": "3", "engines.decoder": "3", "engines.encoder": "0",
            "engines.jpeg": "3", "engines.ofa": "0",
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(("layout", "wanted"), COLUMNS)
def test_label_columns(layout: tuple[str, ...] | None, wanted: dict[str, str]) -> None:
    labels = features.labels(node(layout), "single", timestamp=1764547200)
    full = {f"nvidia.com/gpu.{key}": value for key, value in wanted.items()}
    full["nvidia.com/gpu.product"] = "NVIDIA-H100-80GB-HBM3" + wanted["product"]
    full |= {
        "nvidia.com/gpu.sharing-strategy": "none",
        "nvidia.com/gpu.family": "hopper",
        "nvidia.com/gpu.compute.major": "9",
        "nvidia.com/gpu.compute.minor": "0",
        "nvidia.com/gpu.machine": "DGXH100",
        "nvidia.com/gpu.mode": "compute",
        "nvidia.com/gfd.timestamp": "1764547200",
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig.strategy": "single",
        "nvidia.com/mps.capable": "false",
        "nvidia.com/cuda.driver.major": "580",
        "nvidia.com/cuda.driver.minor": "126",
        "nvidia.com/cuda.driver.rev": "20",
        "nvidia.com/cuda.driver-version.major": "580",
        "nvidia.com/cuda.driver-version.minor": "126",
        "nvidia.com/cuda.driver-version.revision": "20",
        "nvidia.com/cuda.driver-version.full": "580.126.20",
        "nvidia.com/cuda.runtime.major": "13",
        "nvidia.com/cuda.runtime.minor": "0",
        "nvidia.com/cuda.runtime-version.major": "13",
        "nvidia.com/cuda.runtime-version.minor": "0",
        "nvidia.com/cuda.runtime-version.full": "13.0",
    }
    assert labels == full


def test_thirteen_labels_a_profile() -> None:
    labels = features.labels(node(("3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb")), "mixed")
    for profile in ("1g.10gb", "2g.20gb", "3g.40gb"):
        assert len([key for key in labels if key.startswith(f"nvidia.com/mig-{profile}.")]) == 13


def test_partial_compute_instances_have_no_resource() -> None:
    machine = new_machine("gpu-node1", 1)
    gpu = mig.set_mode(gpus(machine)[0], True, busy=False)
    gpu, made = mig.create_gi(gpu, h100.BY_NAME["3g.40gb"])
    machine = with_gpu(machine, mig.create_ci(gpu, made["giId"], h100.CI_BY_ID[0])[0])
    with pytest.raises(
        enumerate.PluginError, match=r"MIG profile '1c\.3g\.40gb' does not match any resource patterns$"
    ):
        enumerate.resources(machine, "mixed")


def test_sharing() -> None:
    sharing = {"strategy": "time-slicing", "resources": {"nvidia.com/gpu": {"replicas": 4, "rename": ""}}}
    machine = node(None)
    found = enumerate.resources(machine, "single", sharing)
    assert len(found["nvidia.com/gpu"]) == 32
    assert found["nvidia.com/gpu"][3]["id"] == gpus(machine)[0]["uuid"] + "::3"
    labels = features.labels(machine, "single", sharing)
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3-SHARED"
    assert (labels["nvidia.com/gpu.replicas"], labels["nvidia.com/gpu.sharing-strategy"]) == ("4", "time-slicing")
    renamed = {
        "strategy": "time-slicing",
        "resources": {"nvidia.com/gpu": {"replicas": 2, "rename": "nvidia.com/gpu.shared"}},
    }
    assert list(enumerate.resources(machine, "single", renamed)) == ["nvidia.com/gpu.shared"]
    assert features.labels(machine, "single", renamed)["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"


def test_without_driver_or_with_a_lost_gpu() -> None:
    bare = with_driver(node(None), False)
    with pytest.raises(enumerate.PluginError, match=r"invalid device discovery strategy$"):
        enumerate.resources(bare, "single")
    assert features.labels(bare, "single") == {}
    lost = with_xid(node(None), 3, 79, 5000, lost=True)
    with pytest.raises(enumerate.PluginError, match=r"error getting device handle for index '3': GPU is lost$"):
        enumerate.resources(lost, "single")
    with pytest.raises(features.FeatureError, match=r"GPU is lost$"):
        features.labels(lost, "single")


def test_health_by_xid() -> None:
    machine = with_xid(with_xid(node(None), 1, 13, 100), 2, 48, 200)
    assert enumerate.unhealthy(machine, 0) == {2: 48}
    assert enumerate.unhealthy(machine, 201) == {}
