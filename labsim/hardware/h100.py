"""The NVIDIA H100 80GB HBM3 (SXM5): fixed figures and the MIG profile tables.

Source: gpu.md 1.1-1.4 (captures of drivers 570 to 580) unless a line says otherwise. Entries marked [U] are inferred.
"""

from __future__ import annotations

from dataclasses import dataclass

PRODUCT = "NVIDIA H100 80GB HBM3"
PCI_DEVICE_ID = 0x233010DE
PCI_SUBSYSTEM_ID = 0x16C110DE
MULTIPROCESSORS = 132
MEMORY_MIB = 81559
MEMORY_SLICES = 8
COMPUTE_SLICES = 7
COMPUTE_CAPABILITY = (9, 0)
FAMILY = "hopper"
# One BAR1 window a memory slice: captures show 6185 MiB for one and 24740 MiB for four; other sizes by that rule [U].
BAR1_MIB_PER_SLICE = 6185


@dataclass(frozen=True)
class GpuInstanceProfile:
    """One row of `nvidia-smi mig -lgip`. `enum` is NVML's index of the profile, shown in mig-parted's error texts."""

    name: str
    id: int
    enum: int
    max_instances: int
    gib: str
    mib: int
    g: int  # compute slices
    size: int  # memory slices, the second figure of a placement
    sm: int
    decoders: int
    encoders: int
    copy_engines: int
    jpeg: int
    ofa: int
    starts: tuple[int, ...]  # allowed placements, ascending
    preference: tuple[int, ...]  # the order in which the driver tries them
    media_extensions: bool = False

    @property
    def plain_name(self) -> str:
        """The name in `nvidia-smi -L`, where driver 580 leaves the `+me` out."""
        return self.name.partition("+")[0]


@dataclass(frozen=True)
class ComputeInstanceProfile:
    """`cores` compute slices of a GPU instance. NVML's enum and the ID are the same for these (gpu.md 1.4)."""

    id: int
    cores: int


_EACH = (0, 1, 2, 3, 4, 5, 6)
_ONE = (6, 4, 5, 0, 1, 2, 3)

# In the order of `-lgip`.
PROFILES: tuple[GpuInstanceProfile, ...] = (
    GpuInstanceProfile("1g.10gb", 19, 0, 7, "9.75", 9984, 1, 1, 16, 1, 0, 1, 1, 0, _EACH, _ONE),
    GpuInstanceProfile("1g.10gb+me", 20, 7, 1, "9.75", 9984, 1, 1, 16, 1, 0, 1, 1, 1, _EACH, _ONE, True),
    # The driver's order for 1g.20gb is not known beyond its first choice [U].
    GpuInstanceProfile("1g.20gb", 15, 9, 4, "19.62", 20096, 1, 2, 26, 1, 0, 1, 1, 0, (0, 2, 4, 6), (4, 6, 0, 2)),
    GpuInstanceProfile("2g.20gb", 14, 1, 3, "19.62", 20096, 2, 2, 32, 2, 0, 2, 2, 0, (0, 2, 4), (4, 0, 2)),
    GpuInstanceProfile("3g.40gb", 9, 2, 2, "39.50", 40448, 3, 4, 60, 3, 0, 3, 3, 0, (0, 4), (4, 0)),
    GpuInstanceProfile("4g.40gb", 5, 3, 1, "39.50", 40448, 4, 4, 64, 4, 0, 4, 4, 0, (0,), (0,)),
    GpuInstanceProfile("7g.80gb", 0, 4, 1, "79.25", 81152, 7, 8, 132, 7, 0, 8, 7, 1, (0,), (0,)),
)
BY_ID = {profile.id: profile for profile in PROFILES}
BY_NAME = {profile.name: profile for profile in PROFILES}
# NVML walks its profiles by enum: the order of `-lgi`, of exports and of clearing.
BY_ENUM = tuple(sorted(PROFILES, key=lambda profile: profile.enum))

CI_PROFILES = (
    ComputeInstanceProfile(0, 1),
    ComputeInstanceProfile(1, 2),
    ComputeInstanceProfile(2, 3),
    ComputeInstanceProfile(3, 4),
    ComputeInstanceProfile(4, 7),
)
CI_BY_ID = {profile.id: profile for profile in CI_PROFILES}
# compute slices of the GPU instance -> {CI profile id: how many at most}
CI_MAX: dict[int, dict[int, int]] = {
    1: {0: 1},
    2: {0: 2, 1: 1},
    3: {0: 3, 1: 1, 2: 1},
    4: {0: 4, 1: 2, 3: 1},
    7: {0: 7, 1: 3, 2: 2, 3: 1, 4: 1},
}
# Starts of a compute instance by its size. A 1c inside a 3g was captured at 2:1, hence "highest first" [U].
CI_STARTS = {1: (6, 5, 4, 3, 2, 1, 0), 2: (4, 2, 0), 3: (4, 0), 4: (0,), 7: (0,)}
_SM_PER_CORE = 16  # a 1c inside a 3g has 16; larger partial ones by multiplication [U]

# Drivers of the 550 branch and older give the two half-GPU profiles a little less memory.
_HALF_GPU_MIB_BEFORE_570 = 40320


def memory_mib(profile: GpuInstanceProfile, driver: str) -> int:
    """MiB of a MIG device of this profile under the driver version `driver` ("580.126.20")."""
    branch = int(driver.partition(".")[0])
    if profile.size == 4 and branch < 570:
        return _HALF_GPU_MIB_BEFORE_570
    return profile.mib


def default_ci(profile: GpuInstanceProfile) -> ComputeInstanceProfile:
    """The compute instance that fills the whole GPU instance (shown with `*` by `-lcip`)."""
    return next(ci for ci in CI_PROFILES if ci.cores == profile.g)


def ci_name(profile: GpuInstanceProfile, ci: ComputeInstanceProfile, plain: bool = False) -> str:
    """`3g.40gb` when the compute instance fills the GPU instance, else `1c.3g.40gb`."""
    base = profile.plain_name if plain else profile.name
    return base if ci.cores == profile.g else f"{ci.cores}c.{base}"


def ci_multiprocessors(profile: GpuInstanceProfile, ci: ComputeInstanceProfile) -> int:
    return profile.sm if ci.cores == profile.g else ci.cores * _SM_PER_CORE


def gi_id(start: int, size: int) -> int:
    """The GPU instance id the H100 gives to a placement (driver 580); other parts and old captures number otherwise."""
    return _GI_ID_BASE[size] + start // size


_GI_ID_BASE = {8: 0, 4: 1, 2: 3, 1: 7}


def device_filter() -> str:
    """The device id as mig-parted's device-filter writes it."""
    return f"0x{PCI_DEVICE_ID:08X}"
