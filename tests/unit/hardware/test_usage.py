from __future__ import annotations

from typing import Any

import pytest

from labsim.hardware import mig, usage
from labsim.hardware.machine import gpus, new_machine, with_gpu

COMMANDS: list[tuple[list[str], list[str], str]] = [
    ([], [], "python3"),
    (["sleep", "infinity"], [], ""),
    (["/bin/sleep"], ["3600"], ""),
    (["python", "-c", "import torch"], [], "python"),
    (["/usr/bin/python3"], ["train.py"], "/usr/bin/python3"),
    (["bash"], [], ""),
    (["sh", "-c", "sleep 3600"], [], ""),
    (["bash", "-lc", "while true; do sleep 5; done"], [], ""),
    (["sh", "-c"], ["echo start; NCCL_DEBUG=INFO exec torchrun train.py"], "exec"),
    (["sh", "-c"], ["nvidia-smi && python train.py"], "python"),
    (["nvidia-smi", "-L"], [], ""),
]


@pytest.mark.parametrize(("command", "args", "program"), COMMANDS)
def test_program(command: list[str], args: list[str], program: str) -> None:
    wanted = "torchrun" if program == "exec" else program
    assert usage.program({"command": command, "args": args}) == wanted


def container(name: str, devices: list[str], pid: int, state: str = "running", **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": f"{name}.main", "namespace": "default"},
        "spec": {"pod": name, "container": "main", "pid": pid, "devices": {"nvidia.com/gpu": devices}, **spec},
        "status": {"state": state},
    }


def test_users_by_gpu() -> None:
    machine = new_machine("gpu-node1", 1)
    gpu = mig.set_mode(gpus(machine)[5], True, busy=False)
    gpu, made = mig.create_gi(gpu, mig.h100.BY_ID[19])
    machine = with_gpu(machine, mig.create_ci(gpu, made["giId"])[0])
    device = mig.mig_devices(gpus(machine)[5])[0].uuid
    ids = [g["uuid"] for g in gpus(machine)]
    found = usage.users_of(
        machine,
        [
            container("train", ids[0:2], 900, command=["python"]),
            container("shared", [ids[1] + "::3"], 800, command=["python"]),
            container("slice", [device], 700),
            container("asleep", [ids[2]], 600, command=["sleep", "1"]),
            container("over", [ids[3]], 500, state="exited"),
            container("stated", [ids[4]], 400, command=["sleep", "1"], gpuProcess={"name": "server", "usedMiB": 70000}),
            container("told-none", [ids[6]], 300, gpuProcess=None),
            container("gone", ["GPU-unknown"], 200),
        ],
    )
    assert {i: [(p["pod"], p["pid"], p["name"], p["usedMiB"]) for p in ps] for i, ps in found.items()} == {
        0: [("train", 900, "python", 4618)],
        1: [("shared", 800, "python", 4618), ("train", 900, "python", 4618)],
        4: [("stated", 400, "server", 70000)],
        5: [("slice", 700, "python3", 4188)],
    }
