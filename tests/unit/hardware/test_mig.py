"""The captured sequences of gpu.md 1.3 and 1.4, mode changes and what a process holds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from labsim.hardware import h100, mig
from labsim.hardware.machine import new_gpu

Gpu = dict[str, Any]


def empty(index: int = 0) -> Gpu:
    return mig.set_mode(new_gpu("gpu-node1", 1, index), True, busy=False)


def create(gpu: Gpu, *ids: int) -> tuple[Gpu, list[tuple[int, str]]]:
    made = []
    for profile_id in ids:
        gpu, gi = mig.create_gi(gpu, h100.BY_ID[profile_id])
        gpu = mig.create_ci(gpu, gi["giId"])[0]
        made.append((gi["giId"], f"{gi['start']}:{gi['size']}"))
    return gpu, made


CAPTURED = [
    ((19,) * 7, [13, 11, 12, 7, 8, 9, 10]),
    ((19, 14, 5), [13, 5, 1]),
    ((9, 19, 14, 19), [2, 7, 4, 8]),
    ((9, 14, 19, 19), [2, 3, 9, 10]),
    ((9, 9), [2, 1]),
    ((0,), [0]),
]


@pytest.mark.parametrize(("profiles", "ids"), CAPTURED)
def test_captured_placements(profiles: tuple[int, ...], ids: list[int]) -> None:
    assert [gi for gi, _ in create(empty(), *profiles)[1]] == ids


def test_a_failed_creation_leaves_the_first_ones() -> None:
    gpu, made = create(empty(), 19, 19, 14)
    assert made == [(13, "6:1"), (11, "4:1"), (3, "0:2")]
    with pytest.raises(mig.InsufficientResources, match="Insufficient Resources"):
        mig.create_gi(gpu, h100.BY_ID[9])
    assert len(gpu["instances"]) == 3


def test_free_after_two_small_instances() -> None:
    gpu, _ = create(empty(), 19, 19)
    counts = {p.name: (mig.free(gpu, p), p.max_instances) for p in h100.PROFILES}
    assert counts == {
        "1g.10gb": (5, 7),
        "1g.10gb+me": (1, 1),
        "1g.20gb": (2, 4),
        "2g.20gb": (2, 3),
        "3g.40gb": (1, 2),
        "4g.40gb": (1, 1),
        "7g.80gb": (0, 1),
    }


def captured_mix() -> Gpu:
    """3g at 0:4 with a 1c inside, 1g+me at 4:1, 1g at 6:1: the capture of 2026-07-29 (gpu.md 1.3)."""
    gpu, _ = mig.create_gi(empty(), h100.BY_ID[19])
    gpu, _ = mig.create_gi(gpu, h100.BY_ID[9], 0)
    gpu, _ = mig.create_gi(gpu, h100.BY_ID[20])
    gpu, _ = mig.create_ci(gpu, 1, h100.CI_BY_ID[0])
    for gi in (11, 13):
        gpu, _ = mig.create_ci(gpu, gi)
    return gpu


def test_device_order_and_walk_order() -> None:
    gpu = captured_mix()
    devices = mig.mig_devices(gpu)
    assert [(d.index, d.gi_id, d.ci_id, d.name, d.listed_name, d.multiprocessors) for d in devices] == [
        (0, 1, 0, "1c.3g.40gb", "1c.3g.40gb", 16),
        (1, 11, 0, "1g.10gb+me", "1g.10gb", 16),
        (2, 13, 0, "1g.10gb", "1g.10gb", 16),
    ]
    assert [gi["giId"] for gi in mig.walk(gpu)] == [13, 1, 11]
    assert mig.find_gi(gpu, 1)["compute"] == [{"profileId": 0, "ciId": 0, "start": 2}]
    assert {p.name: mig.free(gpu, p) for p in h100.PROFILES} == {
        "1g.10gb": 1, "1g.10gb+me": 0, "1g.20gb": 0, "2g.20gb": 0, "3g.40gb": 0, "4g.40gb": 0, "7g.80gb": 0,
    }  # fmt: skip


def test_uuids_are_version_5_and_come_back() -> None:
    gpu, _ = create(empty(), 9, 14, 19, 19)
    first = [d.uuid for d in mig.mig_devices(gpu)]
    for device in mig.mig_devices(gpu):
        gpu = mig.destroy_gi(mig.destroy_ci(gpu, device.gi_id, device.ci_id), device.gi_id)
    assert gpu["instances"] == []
    again, _ = create(gpu, 9, 14, 19, 19)
    assert [d.uuid for d in mig.mig_devices(again)] == first
    version_5 = re.compile(r"MIG-[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(version_5.fullmatch(uuid) for uuid in first)
    other, _ = create(empty(1), 9, 14, 19, 19)
    assert not set(first) & {d.uuid for d in mig.mig_devices(other)}


def test_compute_instance_counts() -> None:
    table = {}
    for name in ("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"):
        _, gi = mig.create_gi(empty(), h100.BY_NAME[name])
        table[name] = {ci.cores: mig.ci_free(gi, ci) for ci in h100.CI_PROFILES if mig.ci_free(gi, ci)}
    assert table == {
        "1g.10gb": {1: 1},
        "2g.20gb": {1: 2, 2: 1},
        "3g.40gb": {1: 3, 2: 1, 3: 1},
        "4g.40gb": {1: 4, 2: 2, 4: 1},
        "7g.80gb": {1: 7, 2: 3, 3: 2, 4: 1, 7: 1},
    }


def test_what_is_in_use_stays() -> None:
    gpu, _ = create(empty(), 19, 19)
    device = mig.mig_devices(gpu)[0]
    users = mig.busy_instances(gpu, [{"uuid": device.uuid, "pid": 1}])
    assert users == {11}
    with pytest.raises(mig.InUse, match="In use by another client"):
        mig.destroy_ci(gpu, 11, 0, users)
    with pytest.raises(mig.InUse):
        mig.destroy_gi(gpu, 13)  # its compute instance is still there
    assert mig.destroy_ci(gpu, 13, 0, users)["instances"][0]["compute"] == []
    assert mig.busy_instances(gpu, [{"uuid": gpu["uuid"], "pid": 1}]) == {11, 13}
    assert mig.busy_instances(gpu, [{"uuid": "GPU-elsewhere", "pid": 1}]) == set()
    with pytest.raises(mig.NotFound):
        mig.destroy_gi(gpu, 7)
    with pytest.raises(mig.NotFound):
        mig.destroy_ci(gpu, 13, 3)


def test_mode_changes() -> None:
    plain = new_gpu("gpu-node1", 1, 0)
    with pytest.raises(mig.NotSupported):
        mig.create_gi(plain, h100.BY_ID[19])
    busy = mig.set_mode(plain, True, busy=True)
    assert busy["mig"] == {"current": "Disabled", "pending": "Enabled"}
    assert mig.mode_pending(busy)
    assert mig.set_mode(busy, False, busy=True)["mig"] == {"current": "Disabled", "pending": "Disabled"}
    assert mig.reset(busy)["mig"] == {"current": "Enabled", "pending": "Enabled"}
    with pytest.raises(mig.InUse):
        mig.reset(busy, busy=True)
    gpu, _ = create(empty(), 19)
    off = mig.set_mode(gpu, False, busy=False)
    assert off["mig"]["current"] == "Disabled"
    assert off["instances"] == []
    assert plain["mig"] == {"current": "Disabled", "pending": "Disabled"}


def test_memory_by_driver() -> None:
    assert h100.memory_mib(h100.BY_NAME["3g.40gb"], "550.163.01") == 40320
    assert h100.memory_mib(h100.BY_NAME["3g.40gb"], "580.126.20") == 40448
    assert h100.memory_mib(h100.BY_NAME["1g.10gb"], "550.163.01") == 9984
