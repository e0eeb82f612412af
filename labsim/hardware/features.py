"""The node labels GPU Feature Discovery makes. Sources: gpu.md 4; k8s-device-plugin internal/lm (0.19)."""

from __future__ import annotations

import re

from labsim.hardware import h100
from labsim.hardware.enumerate import GPU_RESOURCE, NONE, SINGLE, Sharing, lost_gpu, resource_of
from labsim.hardware.machine import Machine, cuda_version, driver_loaded, driver_version, gpus
from labsim.hardware.mig import MigDevice, enabled, mig_devices

PREFIX = "nvidia.com/"
# What gpu.product shows for a layout the single strategy cannot express.
INVALID = "INVALID"


class FeatureError(Exception):
    """GFD cannot read the GPUs; it logs the text and exits."""


def labels(machine: Machine, strategy: str, sharing: Sharing | None = None, timestamp: int = 0) -> dict[str, str]:
    """The full label set; `timestamp` in seconds. Empty where no GPU is visible. Raises FeatureError."""
    if not driver_loaded(machine) or not gpus(machine):
        return {}
    lost = lost_gpu(machine)
    if lost:
        raise FeatureError(f"error getting devices: {lost}")
    found = {PREFIX + "gfd.timestamp": str(timestamp), PREFIX + "gpu.machine": sanitise(machine["spec"]["product"])}
    found |= _versions(machine)
    found |= {
        PREFIX + "mig.capable": "true",
        PREFIX + "mps.capable": "true" if sharing and sharing["strategy"] == "mps" else "false",
        PREFIX + "gpu.mode": "compute",
    }
    found |= _whole(machine, sharing)
    if strategy == NONE:
        return found
    found[PREFIX + "mig.strategy"] = strategy
    return found | (_single(machine, sharing) if strategy == SINGLE else _mixed(machine, sharing))


def warning(machine: Machine, strategy: str) -> str | None:
    """The line GFD logs when the layout cannot be expressed; it keeps running."""
    reason = invalid_reason(machine) if strategy == SINGLE else None
    return f"Invalid configuration detected for mig-strategy=single: {reason}" if reason else None


def invalid_reason(machine: Machine) -> str | None:
    """Why the single strategy cannot label this machine, in the order GFD checks."""
    on = [gpu for gpu in gpus(machine) if enabled(gpu)]
    if not on:
        return None
    if any(not mig_devices(gpu) for gpu in on):
        return "at least one MIG device is enabled but empty"
    if len(on) < len(gpus(machine)):
        return "devices with MIG enabled and disable detected"
    if len({device.name for device in _devices(machine)}) > 1:
        return "more than one MIG device type present on node"
    return None


def sanitise(text: str) -> str:
    """A label value from a free text: foreign characters go, blanks become one dash."""
    return "-".join(re.sub(r"[^A-Za-z0-9\-_. ]", "", text).split())


def _devices(machine: Machine) -> list[MigDevice]:
    return [device for gpu in gpus(machine) for device in mig_devices(gpu)]


def _versions(machine: Machine) -> dict[str, str]:
    full = driver_version(machine)
    major, minor, *rest = full.split(".")
    revision = rest[0] if rest else ""
    cuda = cuda_version(machine)
    cuda_major, cuda_minor = cuda.split(".")
    values = {
        "cuda.driver.major": major,
        "cuda.driver.minor": minor,
        "cuda.driver.rev": revision,
        "cuda.driver-version.major": major,
        "cuda.driver-version.minor": minor,
        "cuda.driver-version.revision": revision,
        "cuda.driver-version.full": full,
        "cuda.runtime.major": cuda_major,
        "cuda.runtime.minor": cuda_minor,
        "cuda.runtime-version.major": cuda_major,
        "cuda.runtime-version.minor": cuda_minor,
        "cuda.runtime-version.full": cuda,
    }
    return {PREFIX + key: value for key, value in values.items()}


def _whole(machine: Machine, sharing: Sharing | None) -> dict[str, str]:
    """The labels of the physical GPUs. As soon as every GPU has MIG on, they cannot be shared: replicas is 0."""
    shareable = any(not enabled(gpu) for gpu in gpus(machine))
    major, minor = h100.COMPUTE_CAPABILITY
    return _base(GPU_RESOURCE, len(gpus(machine)), h100.PRODUCT, sharing, shareable) | {
        GPU_RESOURCE + ".memory": str(h100.MEMORY_MIB),
        GPU_RESOURCE + ".family": h100.FAMILY,
        GPU_RESOURCE + ".compute.major": str(major),
        GPU_RESOURCE + ".compute.minor": str(minor),
    }


def _single(machine: Machine, sharing: Sharing | None) -> dict[str, str]:
    if invalid_reason(machine):
        return {
            GPU_RESOURCE + ".product": f"{sanitise(h100.PRODUCT)}-MIG-{INVALID}",
            GPU_RESOURCE + ".count": "0",
            GPU_RESOURCE + ".replicas": "0",
            GPU_RESOURCE + ".sharing-strategy": "",
            GPU_RESOURCE + ".memory": "0",
        }
    devices = _devices(machine)
    return _mig(GPU_RESOURCE, devices, machine, sharing) if devices else {}


def _mixed(machine: Machine, sharing: Sharing | None) -> dict[str, str]:
    by_resource: dict[str, list[MigDevice]] = {}
    for device in _devices(machine):
        by_resource.setdefault(resource_of(device), []).append(device)
    found: dict[str, str] = {}
    for resource, devices in by_resource.items():
        found |= _mig(resource, devices, machine, sharing)
    return found


def _mig(resource: str, devices: list[MigDevice], machine: Machine, sharing: Sharing | None) -> dict[str, str]:
    device = devices[0]
    profile = device.profile
    product = f"{h100.PRODUCT} MIG {device.name.replace('+', '.')}"
    values = {
        "memory": h100.memory_mib(profile, driver_version(machine)),
        "multiprocessors": device.multiprocessors,
        "slices.gi": profile.g,
        "slices.ci": device.ci.cores,
        "engines.copy": profile.copy_engines,
        "engines.decoder": profile.decoders,
        "engines.encoder": profile.encoders,
        "engines.jpeg": profile.jpeg,
        "engines.ofa": profile.ofa,
    }
    found = _base(resource, len(devices), product, sharing, True)
    return found | {f"{resource}.{key}": str(value) for key, value in values.items()}


def _base(resource: str, count: int, product: str, sharing: Sharing | None, shareable: bool) -> dict[str, str]:
    rule = sharing["resources"].get(resource) if sharing and shareable else None
    replicas = (rule["replicas"] if rule else 1) if shareable else 0
    shared = bool(sharing) and replicas > 1
    name = sanitise(product)
    if shared and rule and not rule.get("rename"):
        name += "-SHARED"
    return {
        resource + ".product": name,
        resource + ".count": str(count),
        resource + ".replicas": str(replicas),
        resource + ".sharing-strategy": sharing["strategy"] if sharing and shared else "none",
    }
