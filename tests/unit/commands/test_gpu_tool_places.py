"""The two GPU programs in a Context: where they exist, and what they store."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.commands import nvidia_mig_parted, place
from labsim.commands.base import Context, WaitEnd
from labsim.commands.nvidia_smi import main as nvidia_smi
from labsim.hardware import mig
from labsim.hardware.machine import gpus, new_machine
from labsim.operators.gpu.migparted import layouts


class Hardware:
    now = 1785351170000

    def __init__(self) -> None:
        self.machine = new_machine("gpu-node1", 1)
        self.containers = [
            self.container("mig-manager-abc", "nvidia-mig-manager"),
            self.container("web-0", "web"),
        ]

    def container(self, pod: str, app: str) -> dict[str, Any]:
        return {
            "metadata": {"name": f"{pod}.main", "namespace": "x", "labels": {"app": app}},
            "spec": {"nodeName": "gpu-node1", "pod": pod, "container": "main", "pid": 9, "devices": {}},
            "status": {"state": "running"},
        }

    def find(self, resource: str, name: str) -> Any:
        return self.machine if name == "gpu-node1" else None

    def list(self, resource: str) -> Any:
        return self.containers

    def by_index(self, resource: str, index: str, value: str) -> Any:
        return self.containers

    def update(self, resource: str, machine: Any) -> None:
        self.machine = machine


class Files:
    def read_text(self, path: str) -> str:
        return layouts.generated_text()

    def exists(self, path: str) -> bool:
        return path == layouts.GENERATED_FILE

    def write_text(self, path: str, text: str) -> None:
        raise AssertionError(path)


class Services:
    def __init__(self) -> None:
        self.waited = 0

    def now(self) -> int:
        return Hardware.now

    def emit(self, text: str, stream: str) -> None:
        pass

    def advance(self, until: Any, timeout_ms: int) -> WaitEnd:
        self.waited += timeout_ms
        return WaitEnd.TIMEOUT


@pytest.fixture
def hardware(monkeypatch: pytest.MonkeyPatch) -> Hardware:
    made = Hardware()
    monkeypatch.setattr(place, "hardware_client", lambda ctx: made)
    return made


def context(host: str, line: str) -> Context:
    fake: Any = Files()
    services: Any = Services()
    return Context(tuple(line.split()), fake, None, services, host=host)


def test_nvidia_smi_by_place(hardware: Hardware) -> None:
    on_node = context("gpu-node1", "nvidia-smi -L")
    assert nvidia_smi.main(on_node) == 0
    assert len(on_node.result(0).stdout.splitlines()) == 8
    for host in ("web-0", "kadmin"):
        ctx = context(host, "nvidia-smi")
        assert nvidia_smi.main(ctx) == 127
        assert ctx.result(127).stderr == "bash: nvidia-smi: command not found\n"
    refused = context("gpu-node1", "nvidia-smi dmon")
    assert nvidia_smi.main(refused) == 1
    assert refused.result(1).stderr == "labsim: nvidia-smi dmon is not simulated here\n"


def test_mig_parted_in_the_mig_manager_pod(hardware: Hardware) -> None:
    line = f"nvidia-mig-parted apply -f {layouts.GENERATED_FILE} -c all-1g.10gb"
    assert nvidia_mig_parted.main(context("gpu-node1", line)) == 127
    ctx = context("mig-manager-abc", line)
    assert nvidia_mig_parted.main(ctx) == 0
    assert ctx.result(0).stdout == "MIG configuration applied successfully\n"
    assert all(len(mig.mig_devices(gpu)) == 7 for gpu in gpus(hardware.machine))
    services: Any = ctx.services
    assert services.waited > 10_000
