"""MIG on one GPU: what fits, what is created where, what may be destroyed.

A GPU is the plain dict stored in the Machine object: `{"index", "uuid", "mig": {"current", "pending"},
"instances": [GI...]}`, a GI `{"profileId", "giId", "start", "size", "compute": [{"profileId", "ciId", "start"}...]}`.
Every function returns new dicts.

The rule (gpu.md 1.2): allowed placement, no overlap over 8 memory slices, at most 7 compute slices, at most one +me.
`users` is the set of GI ids that a process holds open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import sha1
from typing import Any

from labsim.hardware import h100
from labsim.hardware.h100 import ComputeInstanceProfile, GpuInstanceProfile

Gpu = dict[str, Any]
Instance = dict[str, Any]
Process = dict[str, Any]

ENABLED, DISABLED = "Enabled", "Disabled"


class NvmlError(Exception):
    """A call of the driver library failed; `str()` is NVML's own text for the code."""

    text = "Unknown Error"

    def __init__(self) -> None:
        super().__init__(self.text)


class InsufficientResources(NvmlError):
    text = "Insufficient Resources"


class InvalidArgument(NvmlError):
    text = "Invalid Argument"


class InUse(NvmlError):
    text = "In use by another client"


class NotFound(NvmlError):
    text = "Not Found"


class NotSupported(NvmlError):
    text = "Not Supported"


@dataclass(frozen=True)
class MigDevice:
    """What NVML hands out as a MIG device: a compute instance in its GPU instance."""

    gpu: int
    index: int
    gi_id: int
    ci_id: int
    uuid: str
    profile: GpuInstanceProfile
    ci: ComputeInstanceProfile

    @property
    def name(self) -> str:
        """`1g.10gb+me`, `1c.3g.40gb`: the profile's full name, as resources and labels use it."""
        return h100.ci_name(self.profile, self.ci)

    @property
    def listed_name(self) -> str:
        """The name in `nvidia-smi -L`."""
        return h100.ci_name(self.profile, self.ci, plain=True)

    @property
    def multiprocessors(self) -> int:
        return h100.ci_multiprocessors(self.profile, self.ci)


def enabled(gpu: Gpu) -> bool:
    return bool(gpu["mig"]["current"] == ENABLED)


def profile_of(instance: Instance) -> GpuInstanceProfile:
    return h100.BY_ID[instance["profileId"]]


def walk(gpu: Gpu) -> list[Instance]:
    """The GPU instances in NVML's order: by profile enum, then by id (the order of `-lgi`, captured as 19, 9, 20)."""
    return sorted(gpu["instances"], key=lambda gi: (profile_of(gi).enum, gi["giId"]))


def find_gi(gpu: Gpu, gi_id: int) -> Instance:
    """Raises NotFound."""
    for instance in gpu["instances"]:
        if instance["giId"] == gi_id:
            found: Instance = instance
            return found
    raise NotFound


# --- what fits ------------------------------------------------------------------------------------------------


def fits(instances: Iterable[Instance], profile: GpuInstanceProfile, start: int) -> bool:
    """Whether a GI of `profile` can be put at `start` next to `instances`."""
    if start not in profile.starts:
        return False
    compute = profile.g
    for other in instances:
        kind = profile_of(other)
        if other["start"] < start + profile.size and start < other["start"] + other["size"]:
            return False
        if profile.media_extensions and kind.media_extensions:
            return False
        compute += kind.g
    return compute <= h100.COMPUTE_SLICES


def can_create(gpu: Gpu, profile: GpuInstanceProfile) -> int | None:
    """The start the driver would choose, or None when no room is left."""
    return next((start for start in profile.preference if fits(gpu["instances"], profile, start)), None)


def free(gpu: Gpu, profile: GpuInstanceProfile) -> int:
    """`Free` of `-lgip`: how many more GIs of this profile fit beside the existing ones."""
    instances = gpu["instances"]
    starts = [start for start in profile.starts if fits(instances, profile, start)]
    # Placements of one profile are either equal or disjoint, so only slices and the +me rule limit their number.
    left = h100.COMPUTE_SLICES - sum(profile_of(gi).g for gi in instances)
    most = 1 if profile.media_extensions else left // profile.g
    return min(len(starts), most)


def possible_placements(gpu: Gpu, profile: GpuInstanceProfile) -> list[int]:
    return [start for start in profile.starts if fits(gpu["instances"], profile, start)]


# --- create and destroy ---------------------------------------------------------------------------------------


def create_gi(gpu: Gpu, profile: GpuInstanceProfile, placement: int | None = None) -> tuple[Gpu, Instance]:
    """A GPU instance of `profile`, at `placement` or where the driver prefers.

    Raises NotSupported (MIG off), InvalidArgument (no such placement), InsufficientResources (no room).
    """
    if not enabled(gpu):
        raise NotSupported
    if placement is None:
        start = can_create(gpu, profile)
        if start is None:
            raise InsufficientResources
    elif placement not in profile.starts:
        raise InvalidArgument
    elif not fits(gpu["instances"], profile, placement):
        raise InsufficientResources
    else:
        start = placement
    instance = {
        "profileId": profile.id,
        "giId": h100.gi_id(start, profile.size),
        "start": start,
        "size": profile.size,
        "compute": [],
    }
    return {**gpu, "instances": [*gpu["instances"], instance]}, instance


def ci_free(instance: Instance, ci: ComputeInstanceProfile) -> int:
    """`Free` of `-lcip`."""
    profile = profile_of(instance)
    most = h100.CI_MAX[profile.g].get(ci.id, 0)
    taken: list[tuple[int, int]] = [(c["start"], h100.CI_BY_ID[c["profileId"]].cores) for c in instance["compute"]]
    count = 0
    while count < most:
        start = _ci_start(taken, profile.g, ci)
        if start is None:
            break
        taken.append((start, ci.cores))
        count += 1
    return count


def create_ci(gpu: Gpu, gi_id: int, ci: ComputeInstanceProfile | None = None) -> tuple[Gpu, dict[str, Any]]:
    """A compute instance in GPU instance `gi_id`; without `ci` the one that fills it.

    Raises NotFound (no such GI), InvalidArgument (the GI has no such profile), InsufficientResources.
    """
    instance = find_gi(gpu, gi_id)
    profile = profile_of(instance)
    wanted = ci or h100.default_ci(profile)
    if wanted.id not in h100.CI_MAX[profile.g]:
        raise InvalidArgument
    taken = [(c["start"], h100.CI_BY_ID[c["profileId"]].cores) for c in instance["compute"]]
    start = _ci_start(taken, profile.g, wanted)
    if start is None:
        raise InsufficientResources
    used = {c["ciId"] for c in instance["compute"]}
    compute = {"profileId": wanted.id, "ciId": next(i for i in range(profile.g) if i not in used), "start": start}
    return _replace(gpu, {**instance, "compute": [*instance["compute"], compute]}), compute


def destroy_ci(gpu: Gpu, gi_id: int, ci_id: int, users: Collection[int] = ()) -> Gpu:
    """Raises NotFound, InUse."""
    instance = find_gi(gpu, gi_id)
    if all(c["ciId"] != ci_id for c in instance["compute"]):
        raise NotFound
    if gi_id in users:
        raise InUse
    return _replace(gpu, {**instance, "compute": [c for c in instance["compute"] if c["ciId"] != ci_id]})


def destroy_gi(gpu: Gpu, gi_id: int, users: Collection[int] = ()) -> Gpu:
    """Raises NotFound, and InUse while a compute instance or a process is left in it."""
    instance = find_gi(gpu, gi_id)
    if instance["compute"] or gi_id in users:
        raise InUse
    return {**gpu, "instances": [gi for gi in gpu["instances"] if gi["giId"] != gi_id]}


def _ci_start(taken: list[tuple[int, int]], g: int, ci: ComputeInstanceProfile) -> int | None:
    for start in h100.CI_STARTS[ci.cores]:
        if start + ci.cores > g:
            continue
        if all(start >= s + cores or s >= start + ci.cores for s, cores in taken):
            return start
    return None


def _replace(gpu: Gpu, instance: Instance) -> Gpu:
    return {**gpu, "instances": [instance if gi["giId"] == instance["giId"] else gi for gi in gpu["instances"]]}


# --- mode -----------------------------------------------------------------------------------------------------


def set_mode(gpu: Gpu, on: bool, busy: bool) -> Gpu:
    """Switches MIG mode. Hopper needs no reset (gpu.md 2.7 f): an idle GPU takes it at once and loses its instances,
    a busy one keeps its mode and shows the wish as pending. The caller sees which by comparing current and pending."""
    mode = ENABLED if on else DISABLED
    if gpu["mig"]["current"] == mode:
        return {**gpu, "mig": {"current": mode, "pending": mode}}
    if busy:
        return {**gpu, "mig": {**gpu["mig"], "pending": mode}}
    return {**gpu, "mig": {"current": mode, "pending": mode}, "instances": []}


def mode_pending(gpu: Gpu) -> bool:
    return bool(gpu["mig"]["current"] != gpu["mig"]["pending"])


def reset(gpu: Gpu, busy: bool = False) -> Gpu:
    """A GPU reset: a pending mode becomes current, instances are lost. Raises InUse."""
    if busy:
        raise InUse
    return {**gpu, "mig": {"current": gpu["mig"]["pending"], "pending": gpu["mig"]["pending"]}, "instances": []}


# --- devices --------------------------------------------------------------------------------------------------

# Stands in for the driver's own name space: version-5 UUIDs over (GPU UUID, GI, CI), so that the same layout gives the
# same UUIDs again (gpu.md 1.3).
_MIG_NAMESPACE = b"labsim.mig-device"


def mig_uuid(gpu_uuid: str, gi_id: int, ci_id: int) -> str:
    raw = bytearray(sha1(_MIG_NAMESPACE + f"/{gpu_uuid}/{gi_id}/{ci_id}".encode()).digest()[:16])
    raw[6] = (raw[6] & 0x0F) | 0x50
    raw[8] = (raw[8] & 0x3F) | 0x80
    h = raw.hex()
    return f"MIG-{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def mig_devices(gpu: Gpu) -> list[MigDevice]:
    """The MIG devices in device-index order: ascending GI id, then CI id. Empty when MIG is off."""
    found: list[MigDevice] = []
    if not enabled(gpu):
        return found
    for instance in sorted(gpu["instances"], key=lambda gi: int(gi["giId"])):
        for compute in sorted(instance["compute"], key=lambda ci: int(ci["ciId"])):
            found.append(
                MigDevice(
                    gpu=gpu["index"],
                    index=len(found),
                    gi_id=instance["giId"],
                    ci_id=compute["ciId"],
                    uuid=mig_uuid(gpu["uuid"], instance["giId"], compute["ciId"]),
                    profile=profile_of(instance),
                    ci=h100.CI_BY_ID[compute["profileId"]],
                )
            )
    return found


def busy_instances(gpu: Gpu, processes: Iterable[Process]) -> set[int]:
    """The GI ids that processes hold. A process is on a device by its `uuid`; one that holds the GPU itself (a
    monitoring agent, gpu.md 7 no. 11) holds all of them."""
    by_uuid = {device.uuid: device.gi_id for device in mig_devices(gpu)}
    held: set[int] = set()
    for process in processes:
        if process["uuid"] == gpu["uuid"]:
            held.update(gi["giId"] for gi in gpu["instances"])
        elif process["uuid"] in by_uuid:
            held.add(by_uuid[process["uuid"]])
    return held


def is_busy(gpu: Gpu, processes: Iterable[Process]) -> bool:
    """Whether any process holds the GPU or one of its MIG devices."""
    uuids = {gpu["uuid"], *(device.uuid for device in mig_devices(gpu))}
    return any(process["uuid"] in uuids for process in processes)
