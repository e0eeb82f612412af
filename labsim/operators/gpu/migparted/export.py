"""`nvidia-mig-parted export`: the node's MIG state as a layout (cmd/nvidia-mig-parted/export/config.go)."""

from __future__ import annotations

import json

from labsim.hardware import mig
from labsim.hardware.machine import Machine, driver_loaded, gpus
from labsim.operators.gpu.migparted import check, geometry, layouts
from labsim.operators.gpu.migparted.config import Item, Layout, Spec

DEFAULT_LABEL = "current"


def layout(machine: Machine) -> Layout:
    """Entries with equal mode and devices are merged; one that covers every GPU reads `all`. Raises CheckError."""
    if not driver_loaded(machine):
        raise check.CheckError(check.NO_NVML)
    merged: list[tuple[bool, dict[str, int], list[int]]] = []
    for gpu in gpus(machine):
        if gpu["lost"]:
            raise check.CheckError("error checking MIG capable: error getting device handle: GPU is lost")
        enabled = mig.enabled(gpu)
        devices = geometry.current(gpu) if enabled else {}
        for known in merged:
            if (known[0], known[1]) == (enabled, devices):
                known[2].append(gpu["index"])
                break
        else:
            merged.append((enabled, devices, [gpu["index"]]))
    count = len(gpus(machine))
    return tuple(
        Item("all" if len(indexes) == count else tuple(indexes), enabled, devices)
        for enabled, devices, indexes in merged
    )


def text(spec: Spec, form: str) -> str:
    """`form` is yaml or json (two spaces, no newline at the end)."""
    if form == "yaml":
        return layouts.to_yaml(spec)
    document = {
        "version": "v1",
        "mig-configs": {
            name: [
                {
                    "devices": item.devices if isinstance(item.devices, str) else list(item.devices),
                    "mig-enabled": item.enabled,
                    "mig-devices": dict(sorted(item.mig_devices.items())),
                }
                for item in items
            ]
            for name, items in sorted(spec.items())
        },
    }
    return json.dumps(document, indent=2)
