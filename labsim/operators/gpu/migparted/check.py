"""Is a layout applied? The two assertions of mig-parted (cmd/nvidia-mig-parted/assert), with their debug lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from labsim.hardware import h100, mig
from labsim.hardware.machine import Machine, driver_loaded, gpus
from labsim.operators.gpu.migparted import geometry
from labsim.operators.gpu.migparted.config import Item, Layout
from labsim.operators.gpu.migparted.log import DEBUG, Line

NO_NVML = "error initializing NVML: ERROR_LIBRARY_NOT_FOUND"
_LOST = "error checking MIG capable: error getting device handle: GPU is lost"


class CheckError(Exception):
    """The layout is not applied, or the GPUs cannot be asked."""


def go_map(counts: dict[str, int]) -> str:
    """A map as Go's %v prints it."""
    return "map[" + " ".join(f"{key}:{counts[key]}" for key in sorted(counts)) + "]"


def walk(machine: Machine, layout: Layout, lines: list[Line]) -> Iterator[tuple[Item, dict[str, Any]]]:
    """Each (entry, GPU) the layout speaks of, with the lines that announce them. Raises CheckError."""
    for item in layout:
        devices = item.devices if isinstance(item.devices, str) else _go_list(item.devices)
        if item.device_filter:
            shown = item.device_filter if isinstance(item.device_filter, str) else _go_list(item.device_filter)
            lines.append((DEBUG, f"Walking MigConfig for (device-filter={shown}, devices={devices})"))
        else:
            lines.append((DEBUG, f"Walking MigConfig for (devices={devices})"))
        for gpu in gpus(machine):
            if item.matches(gpu["index"]):
                lines.append((DEBUG, f"  GPU {gpu['index']}: {h100.device_filter()}"))
                if gpu["lost"]:
                    raise CheckError(_LOST)
                yield item, gpu


def assert_mode(machine: Machine, layout: Layout, lines: list[Line]) -> None:
    """Raises CheckError at the first GPU whose MIG mode differs."""
    need_nvml(machine)
    for item, gpu in walk(machine, layout, lines):
        lines.append((DEBUG, f"    Asserting MIG mode: {mig.ENABLED if item.enabled else mig.DISABLED}"))
        lines.append((DEBUG, "    MIG capable: true\n"))
        lines.append((DEBUG, f"    Current MIG mode: {gpu['mig']['current']}"))
        if item.enabled != mig.enabled(gpu):
            raise CheckError("current mode different than mode being asserted")


def assert_config(machine: Machine, layout: Layout, lines: list[Line]) -> None:
    """Raises CheckError unless every GPU of the node is named by the layout and has its devices, wherever placed."""
    need_nvml(machine)
    matched: set[int] = set()
    for item, gpu in walk(machine, layout, lines):
        if not item.enabled and not mig.enabled(gpu):
            matched.add(gpu["index"])
            continue
        try:
            current = geometry.current(gpu)
        except geometry.GeometryError as error:
            raise CheckError(f"error getting MIGConfig: {error}") from None
        lines.append((DEBUG, f"    Asserting MIG config: {go_map(dict(item.mig_devices))}"))
        if current == dict(item.mig_devices):
            matched.add(gpu["index"])
        else:
            matched.discard(gpu["index"])
    if len(matched) != len(gpus(machine)):
        raise CheckError("not all GPUs match the specified config")


def need_nvml(machine: Machine) -> None:
    if not driver_loaded(machine):
        raise CheckError(NO_NVML)


def _go_list(values: tuple[Any, ...]) -> str:
    return "[" + " ".join(str(value) for value in values) + "]"
