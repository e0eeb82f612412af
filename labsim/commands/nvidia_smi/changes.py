"""What changes the GPUs: `mig -cgi -cci -dgi -dci`, `-mig`, `--gpu-reset`, `-pm`. Texts: gpu.md 6.4.

Each returns (view after it, text, exit code); nothing is rolled back when a later part fails. Exit codes are NVML's own
numbers, as everywhere in nvidia-smi.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.commands.nvidia_smi.view import View, VisibleGpu, users_by_gpu
from labsim.hardware import h100, mig
from labsim.hardware.h100 import ComputeInstanceProfile, GpuInstanceProfile
from labsim.hardware.machine import gpus, with_gpu
from labsim.hardware.reset import reset_report

Answer = tuple[View, str, int]
Gpu = dict[str, Any]

EXIT = {
    "Invalid Argument": 2,
    "Not Supported": 3,
    "Insufficient Permissions": 4,
    "Not Found": 6,
    "In use by another client": 19,
    "Insufficient Resources": 23,
}
EXIT_RESET_REFUSED = 255  # what mig-parted reports of a refused reset
_BUSY_HINT = (
    "is currently being used by one or more other processes (e.g. CUDA application or a monitoring application such as "
    "another instance of nvidia-smi). Please first kill all processes using the device and retry the command or reboot "
    "the system to make MIG mode effective."
)


def create_gpu_instances(view: View, targets: Sequence[VisibleGpu], wanted: str, with_compute: bool) -> Answer:
    """`-cgi 19,1g.10gb:4 [-C]` on each target, in order."""
    said: list[str] = []
    for target in targets:
        for part in wanted.split(","):
            gpu = gpus(view.machine)[target.gpu["index"]]
            try:
                profile, start = _gi_profile(part.strip())
                gpu, made = mig.create_gi(gpu, profile, start)
            except mig.NvmlError as error:
                said.append(
                    f"Unable to create a GPU instance on GPU {target.index:>2} using profile {part.strip()}: {error}"
                )
                said.append(f"Failed to create GPU instances: {error}")
                return view, _text(said), EXIT[str(error)]
            view = view.with_machine(with_gpu(view.machine, gpu))
            said.append(
                f"Successfully created GPU instance ID {made['giId']:>2} on GPU {target.index:>2} "
                f"using profile MIG {profile.name} (ID {profile.id:>2})"
            )
            if with_compute:
                gpu, compute = mig.create_ci(gpu, made["giId"])
                view = view.with_machine(with_gpu(view.machine, gpu))
                said.append(_created_ci(target, made, compute))
    return view, _text(said), 0


def create_compute_instances(
    view: View, targets: Sequence[VisibleGpu], wanted: str, only: frozenset[int] | None
) -> Answer:
    """`-cci [0,1c.3g.40gb] [-gi 1,2]`; without a profile the one that fills the GPU instance."""
    said: list[str] = []
    found = False
    for target in targets:
        for instance in mig.walk(gpus(view.machine)[target.gpu["index"]]):
            if only is not None and instance["giId"] not in only:
                continue
            found = True
            for part in wanted.split(",") if wanted else [""]:
                gpu = gpus(view.machine)[target.gpu["index"]]
                try:
                    gpu, compute = mig.create_ci(gpu, instance["giId"], _ci_profile(instance, part.strip()))
                except mig.NvmlError as error:
                    shown = part.strip() or str(h100.default_ci(mig.profile_of(instance)).id)
                    said.append(
                        f"Unable to create a compute instance on GPU {target.index:>2} GPU instance ID "
                        f"{instance['giId']:>2} using profile {shown}: {error}"
                    )
                    said.append(f"Failed to create compute instances: {error}")
                    return view, _text(said), EXIT[str(error)]
                view = view.with_machine(with_gpu(view.machine, gpu))
                said.append(_created_ci(target, instance, compute))
    if not found:
        return view, "No GPU instances found: Not Found\n", EXIT["Not Found"]
    return view, _text(said), 0


def destroy_compute_instances(
    view: View, targets: Sequence[VisibleGpu], only: frozenset[int] | None, ids: frozenset[int] | None
) -> Answer:
    """`-dci [-ci 0] [-gi 1]`."""
    return _destroy(view, targets, only, ids, compute=True)


def destroy_gpu_instances(view: View, targets: Sequence[VisibleGpu], only: frozenset[int] | None) -> Answer:
    """`-dgi [-gi 1]`."""
    return _destroy(view, targets, only, None, compute=False)


def _destroy(
    view: View,
    targets: Sequence[VisibleGpu],
    only: frozenset[int] | None,
    ids: frozenset[int] | None,
    compute: bool,
) -> Answer:
    kind = "compute" if compute else "GPU"
    said: list[str] = []
    for target in targets:
        held = mig.busy_instances(target.gpu, users_by_gpu(view).get(target.gpu["index"], []))
        for gi, ci in _targets(target.gpu, only, ids, compute):
            gpu = gpus(view.machine)[target.gpu["index"]]
            place = f"from GPU {target.index:>2}" + (f" GPU instance ID {gi:>2}" if compute else "")
            number = ci if compute else gi
            try:
                gpu = mig.destroy_ci(gpu, gi, ci, held) if compute else mig.destroy_gi(gpu, gi, held)
            except mig.NvmlError as error:
                said.append(f"Unable to destroy {kind} instance ID {number:>2} {place}: {error}")
                said.append(f"Failed to destroy {kind} instances: {error}")
                return view, _text(said), EXIT[str(error)]
            view = view.with_machine(with_gpu(view.machine, gpu))
            said.append(f"Successfully destroyed {kind} instance ID {number:>2} {place}")
    if not said:
        return view, f"No {kind} instances found: Not Found\n", EXIT["Not Found"]
    return view, _text(said), 0


def _targets(gpu: Gpu, only: frozenset[int] | None, ids: frozenset[int] | None, compute: bool) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for instance in mig.walk(gpu):
        if only is not None and instance["giId"] not in only:
            continue
        if not compute:
            found.append((instance["giId"], 0))
            continue
        found += [(instance["giId"], c["ciId"]) for c in instance["compute"] if ids is None or c["ciId"] in ids]
    return found


def set_mig_mode(view: View, targets: Sequence[VisibleGpu], on: bool) -> Answer:
    """`-mig 0|1`. A busy GPU only gets the new mode as pending, which is a warning, not a failure."""
    said: list[str] = []
    word, wish = ("Enabled", "enable") if on else ("Disabled", "disable")
    for target in targets:
        gpu = mig.set_mode(gpus(view.machine)[target.gpu["index"]], on, view.busy(target))
        view = view.with_machine(with_gpu(view.machine, gpu))
        if mig.mode_pending(gpu):
            said.append(
                f"Warning: MIG mode is in pending {wish} state for GPU {target.bus_id}:In use by another client"
            )
            said.append(f"{target.bus_id} {_BUSY_HINT}")
        else:
            said.append(f"{word} MIG Mode for GPU {target.bus_id}")
    return view, _text([*said, "All done."]), 0


def reset(view: View, targets: Sequence[VisibleGpu]) -> Answer:
    """`--gpu-reset`: all of the targets or none."""
    busy = [target.bus_id for target in targets if view.busy(target)]
    report = reset_report([target.bus_id for target in targets], busy)
    if busy:
        return view, report, EXIT_RESET_REFUSED
    for target in targets:
        gpu = mig.reset(gpus(view.machine)[target.gpu["index"]])
        view = view.with_machine(with_gpu(view.machine, gpu))
    return view, report, 0


def set_persistence(view: View, targets: Sequence[VisibleGpu], on: bool) -> Answer:
    """`-pm 0|1`."""
    said: list[str] = []
    word = "Enabled" if on else "Disabled"
    for target in targets:
        gpu = gpus(view.machine)[target.gpu["index"]]
        if gpu["persistence"] == on:
            said.append(f"Persistence mode is already {word} for GPU {target.bus_id}.")
            continue
        view = view.with_machine(with_gpu(view.machine, {**gpu, "persistence": on}))
        said.append(f"{word} persistence mode for GPU {target.bus_id}.")
    return view, _text([*said, "All done."]), 0


def _gi_profile(text: str) -> tuple[GpuInstanceProfile, int | None]:
    """`19`, `1g.10gb`, `MIG 1g.10gb`, each perhaps with `:start`. Raises InvalidArgument."""
    name, _, start = text.removeprefix("MIG ").partition(":")
    profile = h100.BY_ID.get(int(name)) if name.isdigit() else h100.BY_NAME.get(name)
    if profile is None or (start and not start.isdigit()):
        raise mig.InvalidArgument
    return profile, int(start) if start else None


def _ci_profile(instance: dict[str, Any], text: str) -> ComputeInstanceProfile | None:
    if not text:
        return None
    name = text.removeprefix("MIG ")
    profile = mig.profile_of(instance)
    for ci in h100.CI_PROFILES:
        if name in (str(ci.id), h100.ci_name(profile, ci)):
            return ci
    raise mig.InvalidArgument


def _created_ci(target: VisibleGpu, instance: dict[str, Any], compute: dict[str, Any]) -> str:
    ci = h100.CI_BY_ID[compute["profileId"]]
    return (
        f"Successfully created compute instance ID {compute['ciId']:>2} on GPU {target.index:>2} GPU instance ID "
        f"{instance['giId']:>2} using profile MIG {h100.ci_name(mig.profile_of(instance), ci)} (ID {ci.id:>2})"
    )


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)
