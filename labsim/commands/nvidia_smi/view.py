"""What one call of nvidia-smi can see, and the one place where that is found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labsim.hardware import usage
from labsim.hardware.machine import RESOURCE, Machine, gpus
from labsim.hardware.mig import Gpu, MigDevice, is_busy, mig_devices
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.kube.client import Client

Process = dict[str, Any]


@dataclass(frozen=True)
class VisibleGpu:
    """A GPU as the caller counts it: `devices` are the MIG devices it sees (from 0), `all_devices` all of them."""

    index: int
    gpu: Gpu
    devices: tuple[MigDevice, ...]
    all_devices: tuple[MigDevice, ...]

    @property
    def uuid(self) -> str:
        return str(self.gpu["uuid"])

    @property
    def bus_id(self) -> str:
        return str(self.gpu["busId"])


@dataclass(frozen=True)
class View:
    """machine: the node's hardware. visible: device ids (GPU or MIG UUIDs), None for all. processes: `{pid, name,
    uuid, usedMiB}`, `listed: False` for one that only holds the GPU open. now: ms. admin: may change the GPU (driver
    container, root on the host)."""

    machine: Machine
    visible: frozenset[str] | None = None
    processes: tuple[Process, ...] = ()
    now: int = 0
    admin: bool = True

    @cached_property
    def gpus(self) -> tuple[VisibleGpu, ...]:
        found: list[VisibleGpu] = []
        for gpu in gpus(self.machine):
            devices = mig_devices(gpu)
            if self.visible is None or gpu["uuid"] in self.visible:
                seen = devices
            else:
                seen = [device for device in devices if device.uuid in self.visible]
                if not seen:
                    continue
                seen = [replace(device, index=n) for n, device in enumerate(seen)]
            found.append(VisibleGpu(len(found), gpu, tuple(seen), tuple(devices)))
        return tuple(found)

    def select(self, wanted: str) -> tuple[VisibleGpu, ...] | None:
        """The GPUs of `-i`: indexes, UUIDs, bus ids or serials, by commas. None when one of them does not exist."""
        chosen: list[VisibleGpu] = []
        for text in wanted.split(","):
            match = next((gpu for gpu in self.gpus if _is(gpu, text.strip())), None)
            if match is None:
                return None
            if match not in chosen:
                chosen.append(match)
        return tuple(sorted(chosen, key=lambda gpu: gpu.index))

    def busy(self, gpu: VisibleGpu) -> bool:
        return is_busy(gpu.gpu, self.processes)

    def with_machine(self, machine: Machine) -> View:
        return replace(self, machine=machine)


def _is(gpu: VisibleGpu, text: str) -> bool:
    if text.isdigit() and int(text) == gpu.index:
        return True
    if text in (gpu.uuid, gpu.gpu["serial"]):
        return True
    # Bus ids are accepted with a domain of 8, 4 or no digits.
    bus = gpu.bus_id.lower()
    return text.lower() in (bus, bus[4:], bus[9:])


def users_by_gpu(view: View) -> Mapping[int, list[Process]]:
    """The processes by GPU index of the machine, as `mig` and mig-parted want them."""
    found: dict[int, list[Process]] = {}
    for gpu in gpus(view.machine):
        uuids = {gpu["uuid"], *(device.uuid for device in mig_devices(gpu))}
        held = [process for process in view.processes if process["uuid"] in uuids]
        if held:
            found[gpu["index"]] = held
    return found


# Containers whose pods mount the driver's tools and every device, by the pod's `app` label (gpu.md 5.1).
_ADMIN_APPS = frozenset({"nvidia-driver-daemonset", "nvidia-mig-manager"})
_WHOLE_NODE_APPS = frozenset({
    "nvidia-device-plugin-daemonset", "gpu-feature-discovery", "nvidia-dcgm-exporter", "nvidia-dcgm",
    "nvidia-operator-validator", "nvidia-container-toolkit-daemonset", "nvidia-node-status-exporter",
})  # fmt: skip


def load(client: Client, node: str, container: Object | None = None) -> View | None:
    """The view from a container (its runtime object), or from a shell on the node itself.

    None where there is no nvidia-smi: a host without GPUs, or a container that was given none of them.
    """
    machine = client.find(RESOURCE, node)
    if machine is None or not gpus(machine):
        return None
    visible: frozenset[str] | None = None
    admin = True
    if container is not None:
        app = (container["metadata"].get("labels") or {}).get("app", "")
        admin = app in _ADMIN_APPS
        if not admin and app not in _WHOLE_NODE_APPS:
            visible = frozenset(usage.device_ids(container))
            if not visible:
                return None
    processes = [process for held in usage.users(client, node).values() for process in held]
    return View(machine, visible, tuple(processes), client.now, admin)
