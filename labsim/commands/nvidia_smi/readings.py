"""What the sensors show, derived from the state: never at random, never invented where it is printed.

Idle figures and limits: a real `nvidia-smi -q` of eight H100 80GB HBM3 (gpu.md 6.5). Busy figures: three captures of
one H100 under a load generator (gpu.md 1.7, h100-*-20260729). Figures between those points are interpolated [U].
"""

from __future__ import annotations

from typing import Any

from labsim.commands.nvidia_smi.view import View, VisibleGpu
from labsim.hardware import h100
from labsim.hardware.mig import MigDevice, enabled
from labsim.sim import names

Process = dict[str, Any]

POWER_LIMIT_W, POWER_MIN_W = 700.0, 200.0
RESERVED_MIB = 480
MEMORY_POWER_W = 32.98
BAR1_MIB = 131072
MAX_CLOCKS = {"graphics": 1980, "sm": 1980, "mem": 2619, "video": 1545}
_IDLE_CLOCKS = {"graphics": 345, "sm": 345, "mem": 2619, "video": 765}
_IDLE_POWER_CW = (6700, 7300)  # centiwatts; the boards of one node differ by a few watts
_IDLE_TEMP = (28, 33)
_MEMORY_TEMP_ABOVE_GPU = 8
_BUSY_POWER_W, _BUSY_TEMP = 355.57, 66  # one process on the whole GPU
# One process under MIG, and what each further one adds (captures with one and with three).
_MIG_POWER_W, _MIG_POWER_STEP_W = 171.29, 33.275
_MIG_TEMP, _MIG_TEMP_STEP = 58, 2
_T_LIMIT_AT = 87  # GPU temperature at which the T.Limit margin is 0: 29 C was shown as 58 C below it
# Memory beside the processes' own figures: the context on a whole GPU, and what an idle or used MIG device takes.
_CONTEXT_MIB = 9
_MIG_IDLE_MIB = {1: 15, 2: 29, 3: 44, 4: 59, 7: 103}  # 1 and 3 slices captured, the others by 14.67 a slice [U]
_MIG_CONTEXT_MIB, _MIG_CONTEXT_EACH_MIB = 1, 6


def processes_on(view: View, gpu: VisibleGpu) -> list[Process]:
    """The processes nvidia-smi lists for a GPU, MIG devices included, by GI, CI and pid."""
    order = {device.uuid: n for n, device in enumerate(gpu.devices)}
    order[gpu.uuid] = -1
    found = [p for p in view.processes if p["uuid"] in order and p.get("listed", True)]
    return sorted(found, key=lambda p: (order[p["uuid"]], p["pid"]))


def device_used_mib(view: View, device: MigDevice) -> int:
    own = [int(p["usedMiB"]) for p in view.processes if p["uuid"] == device.uuid and p.get("listed", True)]
    context = _MIG_CONTEXT_MIB + _MIG_CONTEXT_EACH_MIB * len(own) if own else 0
    return _MIG_IDLE_MIB[device.profile.g] + sum(own) + context


def used_mib(view: View, gpu: VisibleGpu) -> int:
    if enabled(gpu.gpu):
        return sum(device_used_mib(view, device) for device in gpu.all_devices)
    own = [int(p["usedMiB"]) for p in processes_on(view, gpu)]
    return sum(own) + (_CONTEXT_MIB if own else 0)


def free_mib(view: View, gpu: VisibleGpu) -> int:
    """The three parts are rounded each for itself: they add up to one more than the total."""
    return max(0, h100.MEMORY_MIB - RESERVED_MIB - used_mib(view, gpu) + 1)


def running(view: View, gpu: VisibleGpu) -> int:
    """How many processes compute on the GPU, whoever sees them."""
    wanted = {gpu.uuid, *(device.uuid for device in gpu.all_devices)}
    return sum(1 for p in view.processes if p["uuid"] in wanted and p.get("listed", True))


def power_w(view: View, gpu: VisibleGpu) -> float:
    busy = running(view, gpu)
    if not busy:
        return names.number(0, *_IDLE_POWER_CW, "power", gpu.uuid) / 100
    if enabled(gpu.gpu):
        return min(_BUSY_POWER_W, _MIG_POWER_W + _MIG_POWER_STEP_W * (busy - 1))
    return _BUSY_POWER_W


def temperature(view: View, gpu: VisibleGpu) -> int:
    busy = running(view, gpu)
    if not busy:
        return names.number(0, *_IDLE_TEMP, "temperature", gpu.uuid)
    if enabled(gpu.gpu):
        return min(_BUSY_TEMP, _MIG_TEMP + _MIG_TEMP_STEP * (busy - 1))
    return _BUSY_TEMP


def memory_temperature(view: View, gpu: VisibleGpu) -> int:
    return temperature(view, gpu) + _MEMORY_TEMP_ABOVE_GPU


def t_limit(view: View, gpu: VisibleGpu) -> int:
    return _T_LIMIT_AT - temperature(view, gpu)


def utilization(view: View, gpu: VisibleGpu) -> int | None:
    """Per cent; None under MIG, where it is not counted."""
    if enabled(gpu.gpu):
        return None
    return 100 if running(view, gpu) else 0


def clocks(view: View, gpu: VisibleGpu) -> dict[str, int]:
    return MAX_CLOCKS if running(view, gpu) else _IDLE_CLOCKS
