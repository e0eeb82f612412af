"""The Machine object: the hardware truth of one node.

Stored as `machines.hardware.labsim` (cluster-scoped, name = node).

```
{"apiVersion": "hardware.labsim/v1", "kind": "Machine", "metadata": {"name": "gpu-node2"},
 "spec": {"product": "DGXH100", "cpus": 224, "memoryMi": 2113302, "serial": "...", "bootID": "..."},
 "status": {"driver": {"loaded": true, "version": "580.126.20", "loadedAt": ms}, "toolkit": {"configured": true},
            "kubelet": {"running": true},
            "gpus": [{"index", "uuid", "busId", "serial", "pdi", "lost": false, "persistence": true,
                      "xids": [{"code", "time"}], "mig": {"current", "pending"}, "instances": [...]}, ... x 8]}}
```
`status.bootedAt` (ms) is there after a reboot; before the first one a machine is up since its creation. `loadedAt` is
left out where nobody saw the modules being loaded. Nothing else stores GPU state. Identities are hashes of
(seed, node, index); every function returns new dicts.
"""

from __future__ import annotations

from typing import Any

from labsim.hardware import dgx
from labsim.hardware.mig import DISABLED, Gpu
from labsim.sim import names
from labsim.sim.clock import parse_time

Machine = dict[str, Any]

RESOURCE = "machines.hardware.labsim"
API_VERSION, KIND = "hardware.labsim/v1", "Machine"
DRIVER_VERSION = "580.126.20"  # what GPU Operator 26.3.x installs (gpu.md 5.5)
CUDA_VERSION = {"550": "12.4", "570": "12.8", "580": "13.0", "595": "13.2"}  # by driver branch (gpu.md 5.5)
DGX_H100 = "DGXH100"


def new_machine(name: str, seed: int, product: str = DGX_H100, driver_version: str = DRIVER_VERSION) -> Machine:
    """A DGX H100 as it stands after installation: driver and toolkit in place, MIG off, nothing broken.

    Any other `product` is a machine without GPUs (a control-plane host): no driver, no toolkit.
    """
    dgx_node = product == DGX_H100
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name},
        "spec": {
            "product": product,
            "cpus": dgx.CPUS if dgx_node else _HOST_CPUS,
            "memoryMi": dgx.MEMORY_MI if dgx_node else _HOST_MEMORY_MI,
            "serial": str(names.number(seed, 1_660_000_000_000, 1_669_999_999_999, "machine-serial", name)),
            "bootID": names.uid(seed, "boot-id", name, 0),
        },
        "status": {
            "driver": {"loaded": dgx_node, "version": driver_version if dgx_node else ""},
            "toolkit": {"configured": dgx_node},
            "kubelet": {"running": True},
            "gpus": [new_gpu(name, seed, index) for index in range(dgx.GPU_COUNT)] if dgx_node else [],
        },
    }


# A modest x86 server for the control plane.
_HOST_CPUS, _HOST_MEMORY_MI = 32, 128 * 1024


def new_gpu(node: str, seed: int, index: int) -> Gpu:
    return {
        "index": index,
        "uuid": "GPU-" + names.uid(seed, "gpu-uuid", node, index),
        "busId": dgx.BUS_IDS[index],
        "serial": str(names.number(seed, 1_650_000_000_000, 1_659_999_999_999, "gpu-serial", node, index)),
        "pdi": f"0x{names.number(seed, 1 << 60, (1 << 64) - 1, 'gpu-pdi', node, index):016x}",
        "lost": False,
        "persistence": True,
        "xids": [],
        "mig": {"current": DISABLED, "pending": DISABLED},
        "instances": [],
    }


def gpus(machine: Machine) -> list[Gpu]:
    found: list[Gpu] = machine["status"]["gpus"]
    return found


def with_gpu(machine: Machine, gpu: Gpu) -> Machine:
    """A copy of `machine` in which `gpu` replaces the one of its index."""
    return with_status(machine, gpus=[gpu if g["index"] == gpu["index"] else g for g in gpus(machine)])


def with_status(machine: Machine, **parts: Any) -> Machine:
    return {**machine, "status": {**machine["status"], **parts}}


def with_driver(machine: Machine, loaded: bool, version: str = "", now: int | None = None) -> Machine:
    """The kernel modules loaded (at `now`, ms) or removed. Removing them loses MIG mode and instances (Hopper keeps
    neither)."""
    driver: dict[str, Any] = {"loaded": loaded, "version": version or machine["status"]["driver"]["version"]}
    if loaded and now is not None:
        driver["loadedAt"] = now
    changed = with_status(machine, driver=driver)
    return changed if loaded else with_status(changed, gpus=[_fresh(gpu) for gpu in gpus(machine)])


def driver_loaded(machine: Machine) -> bool:
    return bool(machine["status"]["driver"]["loaded"])


def driver_version(machine: Machine) -> str:
    return str(machine["status"]["driver"]["version"])


def cuda_version(machine: Machine) -> str:
    """The CUDA version a driver supports. KeyError for a branch that is not in the table."""
    return CUDA_VERSION[driver_version(machine).partition(".")[0]]


def with_xid(machine: Machine, index: int, code: int, now: int, lost: bool = False) -> Machine:
    """GPU `index` reported Xid `code` at `now` (ms); `lost`: it also fell off the bus (Xid 79)."""
    gpu = gpus(machine)[index]
    xids = [*gpu["xids"], {"code": code, "time": now}]
    return with_gpu(machine, {**gpu, "xids": xids, "lost": gpu["lost"] or lost})


def booted_at(machine: Machine) -> int:
    """Since when (ms) the machine is up."""
    at = machine["status"].get("bootedAt")
    return int(at) if at is not None else parse_time(machine["metadata"]["creationTimestamp"])


def rebooted(machine: Machine, boot_id: str, now: int) -> Machine:
    """Up again at `now` (ms): a new boot id, GPUs back on the bus, on Hopper MIG off and empty (gpu.md 2.7 f), nothing
    left under /run. The driver container loads the modules again later."""
    fresh = with_status(
        machine,
        driver={"loaded": False, "version": machine["status"]["driver"]["version"]},
        kubelet={"running": True},
        bootedAt=now,
        validations=[],
        gpus=[{**_fresh(gpu), "lost": False, "xids": []} for gpu in gpus(machine)],
    )
    return {**fresh, "spec": {**machine["spec"], "bootID": boot_id}}


def _fresh(gpu: Gpu) -> Gpu:
    return {**gpu, "mig": {"current": DISABLED, "pending": DISABLED}, "instances": []}
