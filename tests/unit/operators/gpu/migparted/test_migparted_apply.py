from __future__ import annotations

from typing import Any

import pytest

from labsim.hardware import mig
from labsim.hardware.machine import Machine, gpus, new_machine, with_driver, with_xid
from labsim.operators.gpu.migparted import apply, geometry, layouts, program

FILE = "/etc/nvidia-mig-manager/generated-config.yaml"
NO_USERS: dict[int, list[dict[str, Any]]] = {}


def run(
    machine: Machine, name: str, users: Any = NO_USERS, text: str | None = layouts.generated_text(), **flags: bool
) -> tuple[Machine, list[tuple[str, str]], int]:
    lines: list[tuple[str, str]] = []
    code = -1
    for step in program.run_apply(machine, FILE, text, name, users, **flags):
        lines += [(level, message) for level, message in step["lines"]]
        machine = apply.after(machine, step)
        code = step["code"]
    assert code in (0, 1)
    return machine, lines, code


def custom(body: str) -> str:
    return "version: v1\nmig-configs:\n  mine:\n" + body


def hold(machine: Machine, index: int, device: int | None = None) -> dict[int, list[dict[str, Any]]]:
    gpu = gpus(machine)[index]
    uuid = gpu["uuid"] if device is None else mig.mig_devices(gpu)[device].uuid
    return {index: [{"pid": 4242, "name": "python", "uuid": uuid}]}


def test_lines_of_a_whole_run() -> None:
    machine, lines, code = run(new_machine("n", 1), "all-1g.10gb")
    assert code == 0
    per_gpu = [text for level, text in lines if text.startswith("  GPU ")]
    assert per_gpu == (
        ["  GPU 0: 0x233010DE"]  # the mode assertion stops at the first difference
        + [f"  GPU {i}: 0x233010DE" for i in range(8)] * 3
    )
    shown = [text for level, text in lines if not text.startswith("  ")]
    assert shown == [
        "Parsing config file...",
        "Selecting specific MIG config...",
        "Running apply-start hook",
        "Checking current MIG mode...",
        "Walking MigConfig for (devices=all)",
        "Running pre-apply-mode hook",
        "Applying MIG mode change...",
        "Walking MigConfig for (devices=all)",
        "Checking current MIG device configuration...",
        "Walking MigConfig for (devices=all)",
        "Running pre-apply-config hook",
        "Applying MIG device configuration...",
        "Walking MigConfig for (devices=all)",
        "Running apply-exit hook",
        "MIG configuration applied successfully",
    ]
    assert {level for level, _ in lines[:-1]} == {"debug"} and lines[-1][0] == "stdout"
    assert ("debug", "    Updating MIG config: map[1g.10gb:7]") in lines
    assert [gi["giId"] for gi in gpus(machine)[0]["instances"]] == [13, 11, 12, 7, 8, 9, 10]
    again, lines, code = run(machine, "all-1g.10gb")
    assert again == machine and code == 0
    assert not [text for _, text in lines if "Applying" in text]


def test_a_run_keeps_its_input() -> None:
    machine = new_machine("n", 1)
    before = repr(machine)
    run(machine, "all-balanced")
    assert repr(machine) == before


@pytest.mark.parametrize(("target", "errors"), [("all-3g.40gb", 1), ("all-balanced", 12)])
def test_a_busy_instance_stops_a_change_of_geometry(target: str, errors: int) -> None:
    machine, _, _ = run(new_machine("n", 1), "all-1g.10gb")
    held = mig.mig_devices(gpus(machine)[2])[3]
    after, lines, code = run(machine, target, hold(machine, 2, 3))
    text = (
        "Error clearing MigConfig: error walking gpu instances for '2': error walking compute instances for '0': "
        "error destroying Compute instance for profile '(0, 0)': In use by another client"
    )
    assert code == 1
    assert lines.count(("error", text)) == errors
    assert [line for line in lines if line[0] in ("error", "fatal")][-2:] == [
        ("error", "Error clearing MIG config on GPU 2, erroneous devices may persist"),
        (
            "fatal",
            "Error applying MIG configuration with hooks: error setting MIGConfig: "
            "error attempting multiple config orderings: all orderings failed",
        ),
    ]
    assert lines[-2] == ("debug", "Running apply-exit hook")
    # GPUs before it have the new layout, those behind it the old one; of its own instances those before are gone.
    wanted = {"all-3g.40gb": {"3g.40gb": 2}, "all-balanced": {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}}[target]
    assert [geometry.current(gpus(after)[i]) for i in (0, 1)] == [wanted] * 2
    assert [geometry.current(gpus(after)[i]) for i in range(3, 8)] == [{"1g.10gb": 7}] * 5
    left = mig.mig_devices(gpus(after)[2])
    assert held.uuid == left[0].uuid and len(left) == 4


def test_a_busy_3g_names_enum_indexes() -> None:
    machine, _, _ = run(new_machine("n", 1), "all-3g.40gb")
    _, lines, code = run(machine, "all-1g.10gb", hold(machine, 0, 0))
    assert code == 1
    assert any("compute instances for '2'" in text and "profile '(2, 0)'" in text for _, text in lines)


def test_disabling_mig_on_a_busy_gpu() -> None:
    machine, _, _ = run(new_machine("n", 1), "all-1g.10gb")
    after, lines, code = run(machine, "all-disabled", hold(machine, 0, 6))
    assert code == 1
    assert lines[-1] == (
        "fatal",
        "Error applying MIG configuration with hooks: error clearing existing MIG configurations: error walking gpu "
        "instances for '0': error walking compute instances for '0': error destroying Compute instance for profile "
        "'(0, 0)': In use by another client",
    )
    assert mig.enabled(gpus(after)[0]) and len(gpus(after)[0]["instances"]) == 1
    assert after["status"]["gpus"][1:] == machine["status"]["gpus"][1:]


def test_enabling_mig_on_a_busy_gpu_tries_a_reset() -> None:
    machine = new_machine("n", 1)
    after, lines, code = run(machine, "all-1g.10gb", hold(machine, 0))
    assert code == 1
    assert lines[-1] == (
        "fatal",
        "Error applying MIG configuration with hooks: error resetting all GPUs: exit status 255",
    )
    report = next(text for level, text in lines if level == "error")
    assert report.startswith(
        "\nThe following GPUs could not be reset:\n  GPU 00000000:1B:00.0: In use by another client\n\n1 device is "
        "currently being used by one or more other processes ("
    )
    assert gpus(after)[0]["mig"] == {"current": "Disabled", "pending": "Enabled"}
    assert all(mig.enabled(gpu) for gpu in gpus(after)[1:])
    # Without the reset the geometry step sees that the mode did not take.
    _, lines, code = run(machine, "all-1g.10gb", hold(machine, 0), skip_reset=True)
    assert code == 1 and lines[-1][1].endswith("with hooks: unable to apply MIG config with MIG mode disabled")


def test_too_many_instances() -> None:
    machine, _, _ = run(new_machine("n", 1), "all-7g.80gb")
    body = "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 8}}\n"
    after, lines, code = run(machine, "mine", text=custom(body))
    assert code == 1
    assert ("error", "Error creating GPU instance for '1g.10gb': Insufficient Resources") in lines
    assert gpus(after)[0]["instances"] == [] and geometry.current(gpus(after)[1]) == {"7g.80gb": 1}


def test_a_profile_of_another_gpu() -> None:
    body = "  - {devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}\n"
    _, lines, code = run(new_machine("n", 1), "mine", text=custom(body))
    assert code == 1 and ("error", 'MIG profile "1g.5gb" not found on this GPU') in lines


def test_a_partial_layout_applies_but_never_counts_as_applied() -> None:
    text = custom("  - {devices: [1], mig-enabled: true, mig-devices: {3g.40gb: 2}}\n")
    machine, lines, code = run(new_machine("n", 1), "mine", text=text)
    assert code == 0 and ("debug", "Walking MigConfig for (devices=[1])") in lines
    assert [mig.enabled(gpu) for gpu in gpus(machine)] == [False, True] + [False] * 6
    lines, code = program.run_assert(machine, FILE, text, "mine")
    assert code == 1
    assert ("debug", "Not all GPUs match the specified config") in lines
    assert lines[-1] == ("fatal", "Assertion failure: selected configuration not currently applied")


def test_partial_compute_instances() -> None:
    text = custom("  - {devices: all, mig-enabled: true, mig-devices: {1c.3g.40gb: 4, 1g.10gb+me: 0}}\n")
    machine, _, code = run(new_machine("n", 1), "mine", text=text)
    assert code == 0
    assert [(gi["giId"], len(gi["compute"])) for gi in gpus(machine)[0]["instances"]] == [(2, 3), (1, 1)]


def test_assert_answers() -> None:
    machine = new_machine("n", 1)
    text = layouts.generated_text()

    def said(name: str, **flags: bool) -> tuple[tuple[str, str], int]:
        lines, code = program.run_assert(machine, FILE, text, name, **flags)
        return lines[-1], code

    assert said("all-1g.10gb", valid_config=True) == (("stdout", "Selected MIG configuration is valid"), 0)
    assert said("nope", valid_config=True) == (
        ("fatal", "Error selecting MIG config: selected mig-config not present: nope"),
        1,
    )
    assert said("all-disabled") == (("stdout", "Selected MIG configuration currently applied"), 0)
    assert said("all-disabled", mode_only=True) == (
        ("stdout", "Selected MIG mode settings from configuration currently applied"),
        0,
    )
    assert said("all-enabled")[1] == 1
    lines, code = program.run_assert(machine, "/mig-parted-config/config.yaml", None, "x")
    assert (lines[-1], code) == (
        (
            "fatal",
            "Error parsing config file: read error: open /mig-parted-config/config.yaml: no such file or directory",
        ),
        1,
    )


def test_no_driver_and_a_lost_gpu() -> None:
    _, lines, code = run(with_driver(new_machine("n", 1), False), "all-1g.10gb")
    assert code == 1 and lines[-1][1].endswith("with hooks: error initializing NVML: ERROR_LIBRARY_NOT_FOUND")
    broken = with_xid(new_machine("n", 1), 3, 79, 0, lost=True)
    after, lines, code = run(broken, "all-1g.10gb")
    assert code == 1 and lines[-1][1].endswith("error getting device handle: GPU is lost")
    assert [mig.enabled(gpu) for gpu in gpus(after)] == [True] * 3 + [False] * 5


def test_an_absurd_layout_ends() -> None:
    gpu = mig.set_mode(gpus(new_machine("n", 1))[0], True, busy=False)
    with pytest.raises(geometry.GeometryError) as caught:
        geometry.set_geometry(gpu, {"1g.10gb": 30, "2g.20gb": 30}, set())
    assert len(caught.value.lines) == geometry.MAX_ORDERINGS


def test_export_of_a_mixed_node() -> None:
    text = custom(
        "  - {devices: [0, 1, 2, 3], mig-enabled: false}\n"
        "  - {devices: [4, 5, 6, 7], mig-enabled: true, mig-devices: {3g.40gb: 2}}\n"
    )
    machine, _, code = run(new_machine("n", 1), "mine", text=text)
    assert code == 0
    assert program.run_export(machine, "yaml", "current") == (
        [],
        "version: v1\nmig-configs:\n  current:\n"
        "  - devices: [0, 1, 2, 3]\n    mig-enabled: false\n    mig-devices: {}\n"
        "  - devices: [4, 5, 6, 7]\n    mig-enabled: true\n    mig-devices:\n      3g.40gb: 2\n",
        0,
    )
    assert program.run_export(machine, "xml", "current") == ([("fatal", "Unrecognized 'output-format': xml")], "", 1)
    assert program.run_assert(machine, FILE, text, "mine")[1] == 0
