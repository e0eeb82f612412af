"""The ten stock layouts: applying and exporting agree, the same layout gives the same devices, totals are those of the
table in gpu.md 1.5, and labels and resources say the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labsim.hardware import enumerate, features
from labsim.hardware.machine import Machine, gpus, new_machine
from labsim.hardware.mig import mig_devices
from labsim.operators.gpu.migparted import apply, config, export, layouts

SPEC = layouts.generated()
# layout -> (resources under single, or None where the plugin crashes; resources under mixed)
TOTALS: dict[str, tuple[dict[str, int] | None, dict[str, int]]] = {
    "all-disabled": ({"nvidia.com/gpu": 8}, {"nvidia.com/gpu": 8}),
    "all-enabled": (None, {}),
    "all-1g.10gb": ({"nvidia.com/gpu": 56}, {"nvidia.com/mig-1g.10gb": 56}),
    "all-1g.10gb.me": ({"nvidia.com/gpu": 8}, {"nvidia.com/mig-1g.10gb.me": 8}),
    "all-1g.20gb": ({"nvidia.com/gpu": 32}, {"nvidia.com/mig-1g.20gb": 32}),
    "all-2g.20gb": ({"nvidia.com/gpu": 24}, {"nvidia.com/mig-2g.20gb": 24}),
    "all-3g.40gb": ({"nvidia.com/gpu": 16}, {"nvidia.com/mig-3g.40gb": 16}),
    "all-4g.40gb": ({"nvidia.com/gpu": 8}, {"nvidia.com/mig-4g.40gb": 8}),
    "all-7g.80gb": ({"nvidia.com/gpu": 8}, {"nvidia.com/mig-7g.80gb": 8}),
    "all-balanced": (
        None,
        {"nvidia.com/mig-1g.10gb": 16, "nvidia.com/mig-2g.20gb": 8, "nvidia.com/mig-3g.40gb": 8},
    ),
}


def applied(machine: Machine, name: str) -> Machine:
    for step in apply.plan(machine, SPEC[name], {}):
        machine = apply.after(machine, step)
        assert step["code"] in (None, 0)
    return machine


def counts(machine: Machine, strategy: str) -> dict[str, int]:
    return {name: len(devices) for name, devices in enumerate.resources(machine, strategy).items()}


def uuids(machine: Machine) -> list[str]:
    return [device.uuid for gpu in gpus(machine) for device in mig_devices(gpu)]


@pytest.mark.parametrize("name", list(SPEC))
def test_export_gives_back_what_was_applied(name: str) -> None:
    machine = applied(new_machine("gpu-node1", 3), name)
    exported = export.text({"current": export.layout(machine)}, "yaml")
    assert config.parse(exported)["current"] == SPEC[name]
    assert config.parse(export.text({"current": export.layout(machine)}, "json")) == config.parse(exported)


@pytest.mark.parametrize("name", list(TOTALS))
def test_totals(name: str) -> None:
    machine = applied(new_machine("gpu-node1", 3), name)
    single, mixed = TOTALS[name]
    assert counts(machine, "mixed") == mixed
    assert counts(machine, "none") == {"nvidia.com/gpu": 8}
    labels = features.labels(machine, "single")
    if single is None:
        with pytest.raises(enumerate.PluginError):
            enumerate.resources(machine, "single")
        assert labels["nvidia.com/gpu.product"].endswith("-MIG-INVALID")
    else:
        assert counts(machine, "single") == single
        assert int(labels["nvidia.com/gpu.count"]) == single["nvidia.com/gpu"]
    for resource, count in mixed.items():
        assert features.labels(machine, "mixed")[resource + ".count"] == str(count)


def test_the_table_is_complete() -> None:
    assert set(TOTALS) == set(SPEC)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(sorted(SPEC)), min_size=1, max_size=3))
def test_the_way_to_a_layout_does_not_matter(path: list[str]) -> None:
    machine = new_machine("gpu-node1", 3)
    straight = applied(machine, path[-1])
    for name in path:
        machine = applied(machine, name)
    assert uuids(machine) == uuids(straight)
    assert len(set(uuids(machine))) == len(uuids(machine))
