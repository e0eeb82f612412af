"""The table of `nvidia-smi` without options, and `-L`. Layout: real captures of driver 580 (gpu.md 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Sequence

from labsim.commands.nvidia_smi import readings
from labsim.commands.nvidia_smi.layout import RULE, boxed, c_time
from labsim.commands.nvidia_smi.view import View, VisibleGpu
from labsim.hardware import h100
from labsim.hardware.machine import cuda_version, driver_version
from labsim.hardware.mig import MigDevice, enabled, mode_pending

_GPU_RULE = "+-----------------------------------------+------------------------+----------------------+"
_GPU_HEAD = (
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    "|=========================================+========================+======================|",
)
_MIG_RULE = "+------------------+----------------------------------+-----------+-----------------------+"
_MIG_HEAD = (
    "| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |",
    "|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |",
    "|                  |                                  |        ECC|                       |",
    "|==================+==================================+===========+=======================|",
)
_PROCESS_HEAD = (
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |",
    "|        ID   ID                                                               Usage      |",
    "|=========================================================================================|",
)
_NAME_WIDTH = 34


def render_default(view: View, gpus: Sequence[VisibleGpu] | None = None) -> str:
    shown = view.gpus if gpus is None else gpus
    version = driver_version(view.machine)
    head = f" NVIDIA-SMI {version:<23}Driver Version: {version:<15}CUDA Version: {cuda_version(view.machine):<9}"
    # The time stamp is printed with seven blanks behind it.
    lines = [c_time(view.now) + " " * 7, RULE, boxed(head), _GPU_RULE, *_GPU_HEAD]
    for gpu in shown:
        lines += [*_gpu_rows(view, gpu), _GPU_RULE]
    if any(enabled(gpu.gpu) for gpu in shown):
        lines += ["", *_mig_table(view, shown)]
    lines += ["", *_process_table(view, shown), ""]
    return "\n".join(lines)


def render_list(view: View, gpus: Sequence[VisibleGpu] | None = None) -> str:
    lines: list[str] = []
    for gpu in view.gpus if gpus is None else gpus:
        lines.append(f"GPU {gpu.index}: {h100.PRODUCT} (UUID: {gpu.uuid})")
        lines += [f"  MIG {d.listed_name:<11} Device {d.index:>2}: (UUID: {d.uuid})" for d in gpu.devices]
    return "".join(line + "\n" for line in lines)


def _gpu_rows(view: View, gpu: VisibleGpu) -> list[str]:
    on = enabled(gpu.gpu)
    mode = gpu.gpu["mig"]["pending"] + "*" if mode_pending(gpu.gpu) else gpu.gpu["mig"]["current"]
    use = readings.utilization(view, gpu)
    util = "N/A" if use is None else f"{use}%"
    memory = f"{readings.used_mib(view, gpu):>7}MiB / {h100.MEMORY_MIB:>6}MiB"
    persistence = "On" if gpu.gpu["persistence"] else "Off"
    power = f"{int(readings.power_w(view, gpu))}W / {int(readings.POWER_LIMIT_W):>4}W"
    return [
        f"| {gpu.index:>3}  {h100.PRODUCT:<26}{persistence:>7}  |   {gpu.bus_id} Off | {'On' if on else '0':>20} |",
        f"| N/A {readings.temperature(view, gpu):>4}C    P0    {power:>20} | {memory:>22} | {util:>7}      Default |",
        f"|                                         |                        | {mode:>20} |",
    ]


def _mig_table(view: View, gpus: Sequence[VisibleGpu]) -> list[str]:
    lines = [RULE, boxed(" MIG devices:"), _MIG_RULE, *_MIG_HEAD]
    rows = [(gpu, device) for gpu in gpus for device in gpu.devices]
    for gpu, device in rows:
        lines += [*_mig_rows(view, gpu, device), _MIG_RULE]
    if not rows:
        lines += [boxed("  No MIG devices found"), RULE]
    return lines


def _mig_rows(view: View, gpu: VisibleGpu, device: MigDevice) -> list[str]:
    p = device.profile
    total = h100.memory_mib(p, driver_version(view.machine))
    used = readings.device_used_mib(view, device)
    bar1 = h100.BAR1_MIB_PER_SLICE * p.size
    return [
        f"| {gpu.index:>2} {device.gi_id:>4} {device.ci_id:>3} {device.index:>3}  |{used:>16}MiB / {total:>5}MiB    |"
        f"{device.multiprocessors:>3}      0 |"
        f"{p.copy_engines:>3}{p.encoders:>4}{p.decoders:>5}{p.ofa:>5}{p.jpeg:>5} |",
        f"|                  |{0:>16}MiB / {bar1:>5}MiB    |           |                       |",
    ]


def _process_table(view: View, gpus: Sequence[VisibleGpu]) -> list[str]:
    lines = [RULE, boxed(" Processes:"), *_PROCESS_HEAD]
    rows: list[str] = []
    for gpu in gpus:
        place = {device.uuid: (str(device.gi_id), str(device.ci_id)) for device in gpu.devices}
        for process in readings.processes_on(view, gpu):
            gi, ci = place.get(process["uuid"], ("N/A", "N/A"))
            name = _shortened(process["name"])
            used = f"{process['usedMiB']}MiB"
            if gi == "N/A":
                where = f"{gpu.index:>5}   N/A  N/A"
            else:
                where = f"{gpu.index:>5} {gi:>4} {ci:>4}  "
            rows.append(boxed(f"{where:<17}{process['pid']:>15}      C   {name:<{_NAME_WIDTH}}{used:>12} "))
    return [*lines, *(rows or [boxed("  No running processes found")]), RULE]


def _shortened(name: str) -> str:
    """Long names keep their end."""
    return name if len(name) <= _NAME_WIDTH else "..." + name[-(_NAME_WIDTH - 3) :]
