"""What NVML shows to the device plugin: resource names and their devices, per MIG strategy, or the plugin's failure.

Sources: gpu.md 3.1, 3.2; k8s-device-plugin internal/rm/device_map.go and go-nvlib device.go (error chains, order of
checks), 0.19. A device is `{"id": uuid, "index": "0" or "0:1", "gpu": int, "giId": int | None, "ciId": int | None}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.hardware.machine import Machine, driver_loaded, gpus
from labsim.hardware.mig import Gpu, MigDevice, enabled, mig_devices

NONE, SINGLE, MIXED = "none", "single", "mixed"
STRATEGIES = (NONE, SINGLE, MIXED)
GPU_RESOURCE = "nvidia.com/gpu"
# Xids that only tell of a broken application: the plugin keeps the device healthy (gpu.md 3.6).
APPLICATION_XIDS = frozenset({13, 31, 43, 45, 68, 109})

Device = dict[str, Any]
# {"strategy": "time-slicing" | "mps", "resources": {resource: {"replicas": int, "rename": str}}}; rename "" keeps the
# name.
Sharing = Mapping[str, Any]

_CHAIN = (
    "error starting plugins: error getting plugins: unable to create plugins: failed to construct resource managers: "
)
_MAP = _CHAIN + "error building device map: error building device map from config.resources: "
_VISIT = "error visiting devices: error visiting device: error visiting device: "
_VISIT_MIG = _VISIT + "error visiting MIG device: error visiting MIG device: "


class PluginError(Exception):
    """The device plugin logs `str()` at error level and exits 1."""


def lost_gpu(machine: Machine) -> str | None:
    """NVML's failure text when a GPU has fallen off the bus, else None."""
    for gpu in gpus(machine):
        if gpu["lost"]:
            return f"error getting device handle for index '{gpu['index']}': GPU is lost"
    return None


def gpu_device(gpu: Gpu) -> Device:
    return {"id": gpu["uuid"], "index": str(gpu["index"]), "gpu": gpu["index"], "giId": None, "ciId": None}


def mig_device(device: MigDevice) -> Device:
    return {
        "id": device.uuid,
        "index": f"{device.gpu}:{device.index}",
        "gpu": device.gpu,
        "giId": device.gi_id,
        "ciId": device.ci_id,
    }


def resource_of(device: MigDevice) -> str:
    """The resource of a MIG device under strategy mixed: `nvidia.com/mig-1g.10gb.me`."""
    return "nvidia.com/mig-" + device.name.replace("+", ".")


def attributes(device: MigDevice) -> tuple[int, ...]:
    """The NVML attributes by which the single strategy decides whether all devices are of one type."""
    p = device.profile
    return (
        p.mib,
        device.multiprocessors,
        p.g,
        device.ci.cores,
        p.copy_engines,
        p.decoders,
        p.encoders,
        p.jpeg,
        p.ofa,
    )


def resources(machine: Machine, strategy: str, sharing: Sharing | None = None) -> dict[str, list[Device]]:
    """Resource name -> devices, in GPU then device order. Raises PluginError where the plugin crashes."""
    if not driver_loaded(machine):
        # No NVML and no Tegra: the operator runs the plugin with failOnInitError.
        raise PluginError(_CHAIN + "invalid device discovery strategy")
    lost = lost_gpu(machine)
    if lost:
        raise PluginError(_MAP + "error building GPU device map: " + lost)
    found: dict[str, list[Device]] = {}
    whole = [gpu for gpu in gpus(machine) if strategy == NONE or not enabled(gpu)]
    if whole:
        found[GPU_RESOURCE] = [gpu_device(gpu) for gpu in whole]
    if strategy == NONE:
        return _shared(found, sharing)
    devices = [device for gpu in gpus(machine) for device in mig_devices(gpu)]
    if strategy == SINGLE:
        _check_single(machine, devices, bool(whole))
        if devices:
            found[GPU_RESOURCE] = [mig_device(device) for device in devices]
        return _shared(found, sharing)
    for device in devices:
        if device.ci.cores != device.profile.g:
            # Only profiles whose compute instance fills the GPU instance get a resource pattern.
            raise PluginError(
                f"{_MAP}error building MIG device map: {_VISIT_MIG}"
                f"MIG profile '{device.name}' does not match any resource patterns"
            )
        found.setdefault(resource_of(device), []).append(mig_device(device))
    return _shared(found, sharing)


def warnings(machine: Machine, strategy: str) -> list[str]:
    """What the plugin warns of while it goes on (strategy mixed)."""
    if strategy != MIXED:
        return []
    return [f"device {gpu['index']} has no MIG devices configured" for gpu in _empty(machine)]


def unhealthy(machine: Machine, since: int) -> dict[int, int]:
    """{GPU index: Xid} of the GPUs that a plugin started at `since` (ms) has marked unhealthy. None ever comes back."""
    found: dict[int, int] = {}
    for gpu in gpus(machine):
        for xid in gpu["xids"]:
            if xid["time"] >= since and xid["code"] not in APPLICATION_XIDS:
                found.setdefault(gpu["index"], xid["code"])
    return found


def _empty(machine: Machine) -> list[Gpu]:
    return [gpu for gpu in gpus(machine) if enabled(gpu) and not mig_devices(gpu)]


def _check_single(machine: Machine, devices: list[MigDevice], whole: bool) -> None:
    """The order of the checks decides which text is seen: empty GPU, then types, then on/off."""
    invalid = _MAP + "invalid MIG configuration: "
    for gpu in _empty(machine):
        raise PluginError(
            f"{invalid}at least one device with migEnabled=true was not configured correctly: "
            f"error visiting device: device {gpu['index']} has no MIG devices configured"
        )
    if len({attributes(device) for device in devices}) > 1:
        raise PluginError(f"{invalid}{_VISIT_MIG}more than one MIG device type present on node")
    if devices and whole:
        raise PluginError(_MAP + "all devices on the node must be configured with the same migEnabled value")


def _shared(found: dict[str, list[Device]], sharing: Sharing | None) -> dict[str, list[Device]]:
    """Each shared device is offered `replicas` times, under `<uuid>::<n>`."""
    if not sharing:
        return found
    rules: Mapping[str, Any] = sharing["resources"]
    result = {name: devices for name, devices in found.items() if name not in rules}
    for name, rule in rules.items():
        for device in found.get(name, ()):
            target = result.setdefault(rule.get("rename") or name, [])
            target += [{**device, "id": f"{device['id']}::{n}"} for n in range(rule["replicas"])]
    return result
