"""`nvidia-smi -q`, whole or by sections (`-d`), in the layout of driver 580.

Order and words of the lines: text captures of 580.119 to 580.173; values of the board: a real eight-GPU H100 node under
580.105.08 (gpu.md 6.5). Left out under `-d` are the sample statistics, which the lab does not collect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labsim.commands.nvidia_smi import board, readings
from labsim.commands.nvidia_smi.layout import c_time
from labsim.commands.nvidia_smi.view import View, VisibleGpu
from labsim.hardware import dgx, h100
from labsim.hardware.machine import cuda_version, driver_version
from labsim.hardware.mig import MigDevice

# A line: (depth, key, value), value None for a heading.
Line = tuple[int, str, str | None]
Section = Callable[[View, VisibleGpu], list[Line]]

_COLUMN, _PROCESS_COLUMN = 55, 42
_SUPPORTED_GRAPHICS = range(1980, 209, -15)  # MHz, at the one memory clock


class UnknownSection(Exception):
    """A word after `-d` that names no section."""


def render_full(view: View, gpus: Sequence[VisibleGpu], sections: str = "") -> str:
    """All lines of each GPU, or only `sections` ("MEMORY,ECC"). Raises UnknownSection."""
    names = [name.strip().upper() for name in sections.split(",")] if sections else []
    for name in names:
        if name not in SECTIONS:
            raise UnknownSection(name)
    parts = [part for name in SECTIONS if name in names for part in SECTIONS[name]] if names else list(ALL)
    text = "\n==============NVSMI LOG==============\n\n"
    text += _line((0, "Timestamp", c_time(view.now)))
    text += _line((0, "Driver Version", driver_version(view.machine)))
    text += _line((0, "CUDA Version", cuda_version(view.machine)))
    text += "\n" + _line((0, "Attached GPUs", str(len(view.gpus))))
    for gpu in gpus:
        text += f"GPU {gpu.bus_id}\n"
        for part in parts:
            text += "".join(_line(line) for line in part(view, gpu))
        text += "\n"
    return text


def _line(line: Line) -> str:
    depth, key, value = line
    if value is None:
        return f"{'    ' * depth}{key}\n"
    column = _PROCESS_COLUMN if key in _PROCESS_KEYS else _COLUMN
    return f"{'    ' * depth + key:<{column}}: {value}\n"


_PROCESS_KEYS = frozenset({"GPU instance ID", "Compute instance ID", "Process ID", "Type", "Name", "Used GPU Memory"})


def _block(depth: int, title: str, *rows: tuple[str, str]) -> list[Line]:
    return [(depth, title, None), *((depth + 1, key, value) for key, value in rows)]


def _on(flag: bool) -> str:
    return "Enabled" if flag else "Disabled"


def _mib(value: int) -> str:
    return f"{value} MiB"


def _product(view: View, gpu: VisibleGpu) -> list[Line]:
    return [
        (1, "Product Name", h100.PRODUCT),
        (1, "Product Brand", board.BRAND),
        (1, "Product Architecture", board.ARCHITECTURE),
        (1, "Display Mode", "Requested functionality has been deprecated"),
        (1, "Display Attached", "No"),
        (1, "Display Active", "Disabled"),
        (1, "Persistence Mode", _on(gpu.gpu["persistence"])),
        (1, "Addressing Mode", board.ADDRESSING_MODE),
    ]


def _mig(view: View, gpu: VisibleGpu) -> list[Line]:
    mode = gpu.gpu["mig"]
    lines = _block(1, "MIG Mode", ("Current", mode["current"]), ("Pending", mode["pending"]))
    for device in gpu.devices:
        lines += _mig_device(view, device)
    return lines


def _mig_device(view: View, device: MigDevice) -> list[Line]:
    p = device.profile
    total, used = h100.memory_mib(p, driver_version(view.machine)), readings.device_used_mib(view, device)
    bar1 = h100.BAR1_MIB_PER_SLICE * p.size
    return [
        (1, "MIG Device", None),
        (2, "Index", str(device.index)),
        (2, "GPU Instance ID", str(device.gi_id)),
        (2, "Compute Instance ID", str(device.ci_id)),
        (2, "Device Attributes", None),
        *_block(
            3,
            "Shared",
            ("Multiprocessor count", str(device.multiprocessors)),
            ("Copy Engine count", str(p.copy_engines)),
            ("Encoder count", str(p.encoders)),
            ("Decoder count", str(p.decoders)),
            ("OFA count", str(p.ofa)),
            ("JPG count", str(p.jpeg)),
        ),
        (2, "ECC Errors", None),
        *_block(3, "Volatile", ("SRAM Uncorrectable", "0")),
        *_block(
            2,
            "Shared FB Memory Usage",
            ("Total", _mib(total)),
            ("Reserved", _mib(0)),
            ("Used", _mib(used)),
            ("Free", _mib(total - used)),
        ),
        *_block(2, "Shared BAR1 Memory", ("Total", _mib(bar1)), ("Used", _mib(0)), ("Free", _mib(bar1))),
    ]


def _accounting(view: View, gpu: VisibleGpu) -> list[Line]:
    return [(1, "Accounting Mode", "Disabled"), (1, "Accounting Mode Buffer Size", "4000")]


def _identity(view: View, gpu: VisibleGpu) -> list[Line]:
    bus = gpu.bus_id[9:11]
    return [
        *_block(1, "Driver Model", ("Current", "N/A"), ("Pending", "N/A")),
        (1, "Serial Number", str(gpu.gpu["serial"])),
        (1, "GPU UUID", gpu.uuid),
        (1, "GPU PDI", str(gpu.gpu["pdi"])),
        (1, "Minor Number", str(gpu.gpu["index"])),
        (1, "VBIOS Version", board.VBIOS),
        (1, "MultiGPU Board", "No"),
        (1, "Board ID", f"0x{int(bus, 16) << 8:x}"),
        (1, "Board Part Number", board.BOARD_PART),
        (1, "GPU Part Number", board.GPU_PART),
        (1, "FRU Part Number", "N/A"),
        *_block(
            1,
            "Platform Info",
            ("Chassis Serial Number", "N/A"),
            ("Slot Number", "N/A"),
            ("Tray Index", "N/A"),
            ("Host ID", "N/A"),
            ("Peer Type", "N/A"),
            ("Module Id", str(dgx.MODULE_IDS[gpu.gpu["index"]])),
            ("GPU Fabric GUID", "N/A"),
        ),
        *_block(
            1,
            "Inforom Version",
            ("Image Version", board.INFOROM_IMAGE),
            ("OEM Object", board.INFOROM_OEM),
            ("ECC Object", board.INFOROM_ECC),
            ("Power Management Object", "N/A"),
        ),
        *_block(1, "Inforom BBX Object Flush", ("Latest Timestamp", "N/A"), ("Latest Duration", "N/A")),
        *_block(1, "GPU Operation Mode", ("Current", "N/A"), ("Pending", "N/A")),
        (1, "GPU C2C Mode", "Disabled"),
        *_block(
            1,
            "GPU Virtualization Mode",
            ("Virtualization Mode", "None"),
            ("Host VGPU Mode", "N/A"),
            ("vGPU Heterogeneous Mode", "N/A"),
        ),
        (1, "GPU Recovery Action", board.recovery_action(gpu.gpu)),
        (1, "GSP Firmware Version", driver_version(view.machine)),
        *_block(1, "IBMNPU", ("Relaxed Ordering Mode", "N/A")),
        *_block(
            1,
            "PCI",
            ("Bus", f"0x{bus}"),
            ("Device", "0x00"),
            ("Domain", "0x0000"),
            ("Base Classcode", "0x3"),
            ("Sub Classcode", "0x2"),
            ("Device Id", f"0x{h100.PCI_DEVICE_ID:08X}"),
            ("Bus Id", gpu.bus_id),
            ("Sub System Id", f"0x{h100.PCI_SUBSYSTEM_ID:08X}"),
        ),
        (2, "GPU Link Info", None),
        *_block(
            3,
            "PCIe Generation",
            ("Max", board.PCIE_GENERATION),
            ("Current", board.PCIE_GENERATION),
            ("Device Current", board.PCIE_GENERATION),
            ("Device Max", board.PCIE_GENERATION),
            ("Host Max", "N/A"),
        ),
        *_block(3, "Link Width", ("Max", board.PCIE_WIDTH + "x"), ("Current", board.PCIE_WIDTH + "x")),
        *_block(2, "Bridge Chip", ("Type", "N/A"), ("Firmware", "N/A")),
        (2, "Replays Since Reset", "0"),
        (2, "Replay Number Rollovers", "0"),
        (2, "Tx Throughput", "0 KB/s"),
        (2, "Rx Throughput", "0 KB/s"),
        (2, "Atomic Caps Outbound", "N/A"),
        (2, "Atomic Caps Inbound", "N/A"),
        (1, "Fan Speed", "N/A"),
    ]


def _performance(view: View, gpu: VisibleGpu) -> list[Line]:
    idle = "Not Active" if readings.running(view, gpu) else "Active"
    off = "Not Active"
    return [
        (1, "Performance State", "P0"),
        (1, "Clocks Event Reasons", None),
        (2, "Idle", idle),
        (2, "Applications Clocks Setting", off),
        (2, "SW Power Cap", off),
        (2, "HW Slowdown", off),
        (3, "HW Thermal Slowdown", off),
        (3, "HW Power Brake Slowdown", off),
        (2, "Sync Boost", off),
        (2, "SW Thermal Slowdown", off),
        (2, "Display Clock Setting", off),
        *_block(
            1,
            "Clocks Event Reasons Counters",
            ("SW Power Capping", "0 us"),
            ("Sync Boost", "0 us"),
            ("SW Thermal Slowdown", "0 us"),
            ("HW Thermal Slowdown", "0 us"),
            ("HW Power Braking", "0 us"),
        ),
        (1, "Sparse Operation Mode", "Disabled"),
    ]


def _memory(view: View, gpu: VisibleGpu) -> list[Line]:
    return [
        *_block(
            1,
            "FB Memory Usage",
            ("Total", _mib(h100.MEMORY_MIB)),
            ("Reserved", _mib(readings.RESERVED_MIB)),
            ("Used", _mib(readings.used_mib(view, gpu))),
            ("Free", _mib(readings.free_mib(view, gpu))),
        ),
        *_block(
            1,
            "BAR1 Memory Usage",
            ("Total", _mib(readings.BAR1_MIB)),
            ("Used", _mib(1)),
            ("Free", _mib(readings.BAR1_MIB - 1)),
        ),
        *_block(1, "Conf Compute Protected Memory Usage", ("Total", _mib(0)), ("Used", _mib(0)), ("Free", _mib(0))),
    ]


def _compute(view: View, gpu: VisibleGpu) -> list[Line]:
    return [(1, "Compute Mode", "Default")]


def _utilization(view: View, gpu: VisibleGpu) -> list[Line]:
    use = readings.utilization(view, gpu)
    own, rest = ("N/A", "N/A") if use is None else (f"{use} %", "0 %")
    rows = [("GPU", own), *((key, rest) for key in ("Memory", "Encoder", "Decoder", "JPEG", "OFA"))]
    return _block(1, "Utilization", *rows)


def _sessions(title: str) -> Section:
    rows = (("Active Sessions", "0"), ("Average FPS", "0"), ("Average Latency", "0"))
    return lambda view, gpu: _block(1, title, *rows)


_encoder, _fbc = _sessions("Encoder Stats"), _sessions("FBC Stats")


def _dram(view: View, gpu: VisibleGpu) -> list[Line]:
    return _block(1, "DRAM Encryption Mode", ("Current", "N/A"), ("Pending", "N/A"))


def _ecc(view: View, gpu: VisibleGpu) -> list[Line]:
    sram = ("SRAM Correctable", "SRAM Uncorrectable Parity", "SRAM Uncorrectable SEC-DED")
    zero = [(key, "0") for key in (*sram, "DRAM Correctable", "DRAM Uncorrectable")]
    sources = [(f"SRAM {key}", "0") for key in ("L2", "SM", "Microcontroller", "PCIE", "Other")]
    return [
        *_block(1, "ECC Mode", ("Current", "Enabled"), ("Pending", "Enabled")),
        (1, "ECC Errors", None),
        *_block(2, "Volatile", *zero),
        *_block(2, "Aggregate", *zero, ("SRAM Threshold Exceeded", "No")),
        *_block(2, "Aggregate Uncorrectable SRAM Sources", *sources),
        (2, "Channel Repair Pending", "No"),
        (2, "TPC Repair Pending", "No"),
    ]


def _retired(view: View, gpu: VisibleGpu) -> list[Line]:
    rows = (("Single Bit ECC", "N/A"), ("Double Bit ECC", "N/A"), ("Pending Page Blacklist", "N/A"))
    return _block(1, "Retired Pages", *rows)


def _remapped(view: View, gpu: VisibleGpu) -> list[Line]:
    banks = [("Max", f"{board.REMAP_BANKS} bank(s)")]
    banks += [(key, "0 bank(s)") for key in ("High", "Partial", "Low", "None")]
    return [
        *_block(
            1,
            "Remapped Rows",
            ("Correctable Error", "0"),
            ("Uncorrectable Error", "0"),
            ("Pending", "No"),
            ("Remapping Failure Occurred", "No"),
        ),
        *_block(2, "Bank Remap Availability Histogram", *banks),
    ]


def _temperature(view: View, gpu: VisibleGpu) -> list[Line]:
    return _block(
        1,
        "Temperature",
        ("GPU Current Temp", f"{readings.temperature(view, gpu)} C"),
        ("GPU T.Limit Temp", f"{readings.t_limit(view, gpu)} C"),
        ("GPU Shutdown T.Limit Temp", "-8 C"),
        ("GPU Slowdown T.Limit Temp", "-2 C"),
        ("GPU Max Operating T.Limit Temp", "0 C"),
        ("GPU Target Temperature", "N/A"),
        ("Memory Current Temp", f"{readings.memory_temperature(view, gpu)} C"),
        ("Memory Max Operating T.Limit Temp", "0 C"),
    )


def _power(view: View, gpu: VisibleGpu) -> list[Line]:
    draw = f"{readings.power_w(view, gpu):.2f} W"
    limits = ("Current", "Requested", "Default", "Min", "Max")
    watts = {key: readings.POWER_MIN_W if key == "Min" else readings.POWER_LIMIT_W for key in limits}
    return [
        *_block(
            1,
            "GPU Power Readings",
            ("Average Power Draw", draw),
            ("Instantaneous Power Draw", draw),
            *((f"{key} Power Limit", f"{watts[key]:.2f} W") for key in limits),
        ),
        *_block(
            1,
            "GPU Memory Power Readings",
            ("Average Power Draw", f"{readings.MEMORY_POWER_W:.2f} W"),
            ("Instantaneous Power Draw", "N/A"),
        ),
        *_block(
            1,
            "Module Power Readings",
            ("Average Power Draw", "N/A"),
            ("Instantaneous Power Draw", "N/A"),
            *((f"{key} Power Limit", "N/A") for key in limits),
        ),
        (1, "Power Smoothing", "N/A"),
        *_block(1, "Workload Power Profiles", ("Requested Profiles", "N/A"), ("Enforced Profiles", "N/A")),
    ]


def _clocks(view: View, gpu: VisibleGpu) -> list[Line]:
    def four(values: dict[str, int]) -> list[tuple[str, str]]:
        names = (("Graphics", "graphics"), ("SM", "sm"), ("Memory", "mem"), ("Video", "video"))
        return [(title, f"{values[key]} MHz") for title, key in names]

    most = readings.MAX_CLOCKS
    set_to = (("Graphics", f"{most['graphics']} MHz"), ("Memory", f"{most['mem']} MHz"))
    return [
        *_block(1, "Clocks", *four(readings.clocks(view, gpu))),
        *_block(1, "Applications Clocks", *set_to),
        *_block(1, "Default Applications Clocks", *set_to),
        *_block(1, "Deferred Clocks", ("Memory", "N/A")),
        *_block(1, "Max Clocks", *four(most)),
        *_block(1, "Max Customer Boost Clocks", ("Graphics", f"{most['graphics']} MHz")),
        *_block(1, "Clock Policy", ("Auto Boost", "N/A"), ("Auto Boost Default", "N/A")),
    ]


def _fabric(view: View, gpu: VisibleGpu) -> list[Line]:
    health = ("Summary", "Bandwidth", "Route Recovery in progress", "Route Unhealthy", "Access Timeout Recovery")
    return [
        *_block(
            1,
            "Fabric",
            ("State", board.FABRIC_STATE),
            ("Status", board.FABRIC_STATUS),
            ("CliqueId", "0"),
            ("ClusterUUID", "00000000-0000-0000-0000-000000000000"),
        ),
        *_block(2, "Health", *((key, "N/A") for key in (*health, "Incorrect Configuration", "Partition Assigned"))),
    ]


def _processes(view: View, gpu: VisibleGpu) -> list[Line]:
    found = readings.processes_on(view, gpu)
    if not found:
        return [(1, "Processes", "None")]
    place = {device.uuid: (str(device.gi_id), str(device.ci_id)) for device in gpu.devices}
    lines: list[Line] = [(1, "Processes", None)]
    for process in found:
        gi, ci = place.get(process["uuid"], ("N/A", "N/A"))
        lines += [
            (2, "GPU instance ID", gi),
            (2, "Compute instance ID", ci),
            (2, "Process ID", str(process["pid"])),
            (3, "Type", "C"),
            (3, "Name", str(process["name"])),
            (3, "Used GPU Memory", _mib(process["usedMiB"])),
        ]
    return lines


def _capabilities(view: View, gpu: VisibleGpu) -> list[Line]:
    return _block(1, "Capabilities", ("EGM", "disabled"))


def _supported(view: View, gpu: VisibleGpu) -> list[Line]:
    memory = f"{readings.MAX_CLOCKS['mem']} MHz"
    lines: list[Line] = [(1, "Supported Clocks", None), (2, "Memory", memory)]
    return lines + [(3, "Graphics", f"{mhz} MHz") for mhz in _SUPPORTED_GRAPHICS]


ALL: tuple[Section, ...] = (
    _product, _mig, _accounting, _identity, _performance, _memory, _compute, _utilization, _encoder, _fbc, _dram,
    _ecc, _retired, _remapped, _temperature, _power, _clocks, _fabric, _processes, _capabilities,
)  # fmt: skip
# The sections `-d` can name, in the order in which they are printed.
SECTIONS: dict[str, tuple[Section, ...]] = {
    "ACCOUNTING": (_accounting,),
    "PERFORMANCE": (_performance,),
    "MEMORY": (_memory,),
    "COMPUTE": (_compute,),
    "UTILIZATION": (_utilization,),
    "ENCODER_STATS": (_encoder,),
    "FBC_STATS": (_fbc,),
    "ECC": (_ecc,),
    "PAGE_RETIREMENT": (_retired,),
    "ROW_REMAPPER": (_remapped,),
    "TEMPERATURE": (_temperature,),
    "POWER": (_power,),
    "CLOCK": (_clocks,),
    "SUPPORTED_CLOCKS": (_supported,),
    "PIDS": (_processes,),
}
