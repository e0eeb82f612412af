"""`--query-gpu` and `--query-compute-apps`: the fields, their units and where each value comes from (gpu.md 6.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from labsim.commands.nvidia_smi import board, readings
from labsim.commands.nvidia_smi.view import View, VisibleGpu
from labsim.hardware import h100
from labsim.hardware.machine import driver_version

NA = "[N/A]"
T = TypeVar("T")
Value = Callable[[View, VisibleGpu], str]


class QueryError(Exception):
    """A field or format that does not exist; `str()` is what is printed."""


def _fixed(text: str) -> Value:
    return lambda view, gpu: text


def _clock(name: str) -> Value:
    return lambda view, gpu: str(readings.clocks(view, gpu)[name])


def _percent(value: int | None) -> str:
    return NA if value is None else str(value)


def _engine(view: View, gpu: VisibleGpu) -> str:
    """Media engines and memory bus: nothing in the lab uses them; under MIG they are not counted."""
    return NA if readings.utilization(view, gpu) is None else "0"


def _stamp(view: View, gpu: VisibleGpu) -> str:
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(view.now // 1000, UTC)
    return f"{moment:%Y/%m/%d %H:%M:%S}.{view.now % 1000:03d}"


# name -> (unit or "", value). The first name of a group is what the header shows.
_GROUPS: tuple[tuple[tuple[str, ...], str, Value], ...] = (
    (("timestamp",), "", _stamp),
    (("driver_version",), "", lambda v, g: driver_version(v.machine)),
    (("count",), "", lambda v, g: str(len(v.gpus))),
    (("name", "gpu_name"), "", _fixed(h100.PRODUCT)),
    (("serial", "gpu_serial"), "", lambda v, g: str(g.gpu["serial"])),
    (("uuid", "gpu_uuid"), "", lambda v, g: g.uuid),
    (("pci.bus_id", "gpu_bus_id"), "", lambda v, g: g.bus_id),
    (("pci.domain",), "", _fixed("0x0000")),
    (("pci.bus",), "", lambda v, g: f"0x{g.bus_id[9:11]}"),
    (("pci.device",), "", _fixed("0x00")),
    (("pci.device_id",), "", _fixed(f"0x{h100.PCI_DEVICE_ID:08X}")),
    (("pci.sub_device_id",), "", _fixed(f"0x{h100.PCI_SUBSYSTEM_ID:08X}")),
    (("pcie.link.gen.current", "pcie.link.gen.gpucurrent"), "", _fixed(board.PCIE_GENERATION)),
    (("pcie.link.gen.max", "pcie.link.gen.gpumax"), "", _fixed(board.PCIE_GENERATION)),
    (("pcie.link.width.current",), "", _fixed(board.PCIE_WIDTH)),
    (("pcie.link.width.max",), "", _fixed(board.PCIE_WIDTH)),
    (("index",), "", lambda v, g: str(g.index)),
    (("display_mode",), "", _fixed("[Requested functionality has been deprecated]")),
    (("display_attached",), "", _fixed("No")),
    (("display_active",), "", _fixed("Disabled")),
    (("persistence_mode",), "", lambda v, g: "Enabled" if g.gpu["persistence"] else "Disabled"),
    (("addressing_mode",), "", _fixed(board.ADDRESSING_MODE)),
    (("accounting.mode",), "", _fixed("Disabled")),
    (("accounting.buffer_size",), "", _fixed("4000")),
    (("driver_model.current",), "", _fixed(NA)),
    (("driver_model.pending",), "", _fixed(NA)),
    (("vbios_version",), "", _fixed(board.VBIOS)),
    (("inforom.img", "inforom.image"), "", _fixed(board.INFOROM_IMAGE)),
    (("inforom.oem",), "", _fixed(board.INFOROM_OEM)),
    (("inforom.ecc",), "", _fixed(board.INFOROM_ECC)),
    (("inforom.pwr", "inforom.power"), "", _fixed(NA)),
    (("gpu_recovery_action",), "", lambda v, g: board.recovery_action(g.gpu)),
    (("fan.speed",), "%", _fixed(NA)),
    (("pstate",), "", _fixed("P0")),
    (
        ("clocks_event_reasons.gpu_idle", "clocks_throttle_reasons.gpu_idle"),
        "",
        lambda v, g: "Not Active" if readings.running(v, g) else "Active",
    ),
    (("clocks_event_reasons.sw_power_cap", "clocks_throttle_reasons.sw_power_cap"), "", _fixed("Not Active")),
    (("clocks_event_reasons.hw_slowdown", "clocks_throttle_reasons.hw_slowdown"), "", _fixed("Not Active")),
    (
        ("clocks_event_reasons.hw_thermal_slowdown", "clocks_throttle_reasons.hw_thermal_slowdown"),
        "",
        _fixed("Not Active"),
    ),
    (
        ("clocks_event_reasons.sw_thermal_slowdown", "clocks_throttle_reasons.sw_thermal_slowdown"),
        "",
        _fixed("Not Active"),
    ),
    (("memory.total",), "MiB", _fixed(str(h100.MEMORY_MIB))),
    (("memory.reserved",), "MiB", _fixed(str(readings.RESERVED_MIB))),
    (("memory.used",), "MiB", lambda v, g: str(readings.used_mib(v, g))),
    (("memory.free",), "MiB", lambda v, g: str(readings.free_mib(v, g))),
    (("compute_mode",), "", _fixed("Default")),
    (("compute_cap",), "", _fixed(".".join(str(part) for part in h100.COMPUTE_CAPABILITY))),
    (("utilization.gpu",), "%", lambda v, g: _percent(readings.utilization(v, g))),
    (("utilization.memory",), "%", _engine),
    (("utilization.encoder",), "%", _engine),
    (("utilization.decoder",), "%", _engine),
    (("utilization.jpeg",), "%", _engine),
    (("utilization.ofa",), "%", _engine),
    (("encoder.stats.sessionCount",), "", _fixed("0")),
    (("ecc.mode.current",), "", _fixed("Enabled")),
    (("ecc.mode.pending",), "", _fixed("Enabled")),
    (("ecc.errors.corrected.volatile.total",), "", _fixed("0")),
    (("ecc.errors.corrected.aggregate.total",), "", _fixed("0")),
    (("ecc.errors.uncorrected.volatile.total",), "", _fixed("0")),
    (("ecc.errors.uncorrected.aggregate.total",), "", _fixed("0")),
    (("retired_pages.single_bit_ecc.count", "retired_pages.sbe"), "", _fixed(NA)),
    (("retired_pages.double_bit.count", "retired_pages.dbe"), "", _fixed(NA)),
    (("retired_pages.pending",), "", _fixed(NA)),
    (("temperature.gpu",), "", lambda v, g: str(readings.temperature(v, g))),
    (("temperature.gpu.tlimit",), "", lambda v, g: str(readings.t_limit(v, g))),
    (("temperature.memory",), "", lambda v, g: str(readings.memory_temperature(v, g))),
    (("power.management",), "", _fixed("Enabled")),
    (("power.draw",), "W", lambda v, g: f"{readings.power_w(v, g):.2f}"),
    (("power.draw.average",), "W", lambda v, g: f"{readings.power_w(v, g):.2f}"),
    (("power.draw.instant",), "W", lambda v, g: f"{readings.power_w(v, g):.2f}"),
    (("power.limit",), "W", _fixed(f"{readings.POWER_LIMIT_W:.2f}")),
    (("enforced.power.limit",), "W", _fixed(f"{readings.POWER_LIMIT_W:.2f}")),
    (("power.default_limit",), "W", _fixed(f"{readings.POWER_LIMIT_W:.2f}")),
    (("power.min_limit",), "W", _fixed(f"{readings.POWER_MIN_W:.2f}")),
    (("power.max_limit",), "W", _fixed(f"{readings.POWER_LIMIT_W:.2f}")),
    (("clocks.current.graphics", "clocks.gr"), "MHz", _clock("graphics")),
    (("clocks.current.sm", "clocks.sm"), "MHz", _clock("sm")),
    (("clocks.current.memory", "clocks.mem"), "MHz", _clock("mem")),
    (("clocks.current.video", "clocks.video"), "MHz", _clock("video")),
    (("clocks.applications.graphics", "clocks.applications.gr"), "MHz", _fixed(str(readings.MAX_CLOCKS["graphics"]))),
    (("clocks.applications.memory", "clocks.applications.mem"), "MHz", _fixed(str(readings.MAX_CLOCKS["mem"]))),
    (("clocks.max.graphics", "clocks.max.gr"), "MHz", _fixed(str(readings.MAX_CLOCKS["graphics"]))),
    (("clocks.max.sm",), "MHz", _fixed(str(readings.MAX_CLOCKS["sm"]))),
    (("clocks.max.memory", "clocks.max.mem"), "MHz", _fixed(str(readings.MAX_CLOCKS["mem"]))),
    (("mig.mode.current",), "", lambda v, g: str(g.gpu["mig"]["current"])),
    (("mig.mode.pending",), "", lambda v, g: str(g.gpu["mig"]["pending"])),
    (("fabric.state",), "", _fixed(board.FABRIC_STATE)),
    (("fabric.status",), "", _fixed(board.FABRIC_STATUS)),
)
FIELDS: dict[str, tuple[str, str, Value]] = {
    name: (group[0], unit, value) for group, unit, value in _GROUPS for name in group
}
APP_FIELDS = {
    "timestamp": ("timestamp", ""),
    "gpu_name": ("gpu_name", ""),
    "gpu_bus_id": ("gpu_bus_id", ""),
    "gpu_serial": ("gpu_serial", ""),
    "gpu_uuid": ("gpu_uuid", ""),
    "pid": ("pid", ""),
    "process_name": ("process_name", ""),
    "name": ("process_name", ""),
    "used_gpu_memory": ("used_gpu_memory", "MiB"),
    "used_memory": ("used_gpu_memory", "MiB"),
}


def render_query_gpu(view: View, gpus: Sequence[VisibleGpu], fields: str, form: str) -> str:
    """One line a GPU. `fields` and `form` as typed ("index,name", "csv,noheader,nounits"). Raises QueryError."""
    options = _options(form)
    chosen = [_known(FIELDS, name.strip()) for name in fields.split(",")]
    rows = [[(value(view, gpu), unit) for _, unit, value in chosen] for gpu in gpus]
    return _csv([(name, unit) for name, unit, _ in chosen], rows, options)


def render_query_apps(view: View, gpus: Sequence[VisibleGpu], fields: str, form: str) -> str:
    """One line a process; a process on a MIG device shows the UUID of the GPU. Raises QueryError."""
    options = _options(form)
    chosen = [_known(APP_FIELDS, name.strip()) for name in fields.split(",")]
    rows = []
    for gpu in gpus:
        for process in readings.processes_on(view, gpu):
            values = {
                "timestamp": _stamp(view, gpu),
                "gpu_name": h100.PRODUCT,
                "gpu_bus_id": gpu.bus_id,
                "gpu_serial": str(gpu.gpu["serial"]),
                "gpu_uuid": gpu.uuid,
                "pid": str(process["pid"]),
                "process_name": str(process["name"]),
                "used_gpu_memory": str(process["usedMiB"]),
            }
            rows.append([(values[name], unit) for name, unit in chosen])
    return _csv(list(chosen), rows, options)


def _known(table: dict[str, T], name: str) -> T:
    if name not in table:
        raise QueryError(f'Field "{name}" is not a valid field to query.\n')
    return table[name]


def _options(form: str) -> set[str]:
    options = {part.strip() for part in form.split(",") if part.strip()}
    if "csv" not in options or options - {"csv", "noheader", "nounits"}:
        raise QueryError("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n")
    return options


def _csv(head: list[tuple[str, str]], rows: list[list[tuple[str, str]]], options: set[str]) -> str:
    lines = []
    if "noheader" not in options:
        lines.append(", ".join(f"{name} [{unit}]" if unit else name for name, unit in head))
    for row in rows:
        units = "nounits" not in options
        lines.append(", ".join(f"{text} {unit}" if unit and units and text != NA else text for text, unit in row))
    return "".join(line + "\n" for line in lines)
