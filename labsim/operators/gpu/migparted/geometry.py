"""Reading and setting the MIG geometry of one GPU, with NVML's errors in mig-parted's words.

Source: pkg/mig/config/config.go. One deviation: upstream drops a layout whole when one of its names is no profile of
the GPU and then reports success; here it fails with the text for such a profile (gpu.md 2.6).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from labsim.hardware import h100, mig
from labsim.operators.gpu.migparted import profile
from labsim.operators.gpu.migparted.log import ERROR, Line, capitalize

Gpu = dict[str, Any]

# A layout that cannot fit is tried in every distinct order. Seven instances have at most 5040; a file that asks for
# more would keep the real program busy for hours, here it ends with the same message.
MAX_ORDERINGS = 5040


class GeometryError(Exception):
    """A geometry call failed. `gpu` is the GPU as it stands now: what was done before the error stays done. `lines`
    are errors logged on the way."""

    def __init__(self, text: str, gpu: Gpu, lines: list[Line] | None = None) -> None:
        super().__init__(text)
        self.gpu = gpu
        self.lines = lines or []


def current(gpu: Gpu) -> dict[str, int]:
    """Profile -> count of the compute instances there are, in NVML's order. Raises GeometryError with MIG off."""
    if not mig.enabled(gpu):
        raise GeometryError("error asserting MIG enabled: MIG mode disabled", gpu)
    counts: dict[str, int] = {}
    for instance in mig.walk(gpu):
        for compute in instance["compute"]:
            name = h100.ci_name(mig.profile_of(instance), h100.CI_BY_ID[compute["profileId"]])
            counts[name] = counts.get(name, 0) + 1
    return counts


def clear(gpu: Gpu, users: Collection[int]) -> Gpu:
    """Destroys all instances in NVML's order. Raises GeometryError at the first in use; those before it are gone."""
    if not mig.enabled(gpu):
        raise GeometryError("error asserting MIG enabled: MIG mode disabled", gpu)
    for instance in mig.walk(gpu):
        enum = mig.profile_of(instance).enum
        for compute in sorted(instance["compute"], key=lambda ci: (ci["profileId"], ci["ciId"])):
            try:
                gpu = mig.destroy_ci(gpu, instance["giId"], compute["ciId"], users)
            except mig.NvmlError as error:
                raise GeometryError(
                    f"error walking gpu instances for '{gpu['index']}': error walking compute instances for '{enum}': "
                    f"error destroying Compute instance for profile '({compute['profileId']}, 0)': {error}",
                    gpu,
                ) from None
        try:
            gpu = mig.destroy_gi(gpu, instance["giId"], users)
        except mig.NvmlError as error:
            raise GeometryError(
                f"error walking gpu instances for '{gpu['index']}': "
                f"error destroying GPU instance for profile '{enum}': {error}",
                gpu,
            ) from None
    return gpu


def set_geometry(gpu: Gpu, wanted: Mapping[str, int], users: Collection[int]) -> tuple[Gpu, list[Line]]:
    """Brings the GPU to `wanted`: each distinct order of the profiles is tried, largest first, after clearing.

    The lines are the errors of the orders that failed. Raises GeometryError when none works.
    """
    lines: list[Line] = []
    for tried, order in enumerate(orderings(wanted)):
        if tried == MAX_ORDERINGS:
            break
        try:
            return _attempt(gpu, order, users), lines
        except GeometryError as error:
            gpu = error.gpu
            lines.append((ERROR, capitalize(str(error))))
    try:
        gpu = clear(gpu, users)
    except GeometryError as error:
        gpu = error.gpu
        lines.append((ERROR, f"Error clearing MIG config on GPU {gpu['index']}, erroneous devices may persist"))
    raise GeometryError("error attempting multiple config orderings: all orderings failed", gpu, lines)


def orderings(wanted: Mapping[str, int]) -> Iterator[list[str]]:
    """The distinct orders of a layout's profiles, in the order the upstream recursion makes them."""
    flat = [name for name in sorted(wanted, key=profile.sort_key) for _ in range(wanted[name])]

    def recurse(items: list[str], at: int) -> Iterator[list[str]]:
        if at >= len(items):
            yield list(items)
            return
        for j in range(at, len(items)):
            if items[j] in items[at:j]:
                continue
            items[at], items[j] = items[j], items[at]
            yield from recurse(items, at + 1)
            items[at], items[j] = items[j], items[at]

    return recurse(flat, 0)


def _attempt(gpu: Gpu, order: list[str], users: Collection[int]) -> Gpu:
    if current(gpu):
        try:
            gpu = clear(gpu, users)
        except GeometryError as error:
            raise GeometryError(f"error clearing MigConfig: {error}", error.gpu) from None
    last: int | None = None
    gi_id = -1
    for name in order:
        found = profile.resolve(name)
        if found is None:
            raise GeometryError(f'MIG profile "{name}" not found on this GPU', gpu)
        kind, ci = found
        # A second compute instance of the same kind first tries the GPU instance just made.
        if last == kind.id:
            try:
                gpu = mig.create_ci(gpu, gi_id, ci)[0]
                continue
            except mig.NvmlError:
                pass
        last = kind.id
        try:
            gpu, instance = mig.create_gi(gpu, kind)
        except mig.NvmlError as error:
            raise GeometryError(f"error creating GPU instance for '{name}': {error}", gpu) from None
        gi_id = instance["giId"]
        try:
            gpu = mig.create_ci(gpu, gi_id, ci)[0]
        except mig.NvmlError as error:
            raise GeometryError(f"error creating Compute instance for '{name}': {error}", gpu) from None
    return gpu
