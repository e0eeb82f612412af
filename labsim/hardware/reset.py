"""What `nvidia-smi --gpu-reset` says (gpu.md 2.6, 6.4); mig-parted puts the same text into its log."""

from __future__ import annotations

from collections.abc import Sequence


def reset_report(bus_ids: Sequence[str], busy: Sequence[str]) -> str:
    """The report on resetting `bus_ids`, of which `busy` are held by a process. One busy GPU stops the whole reset."""
    if not busy:
        return "".join(f"GPU {bus_id} was successfully reset.\n" for bus_id in bus_ids) + "All done.\n"
    rows = "".join(f"  GPU {bus_id}: In use by another client\n" for bus_id in busy)
    subject, these = ("1 device is", "this device") if len(busy) == 1 else (f"{len(busy)} devices are", "these devices")
    return (
        f"The following GPUs could not be reset:\n{rows}\n"
        f"{subject} currently being used by one or more other processes (e.g., Fabric Manager, CUDA application, "
        "graphics application such as an X server, or a monitoring application such as another instance of "
        f"nvidia-smi). Please first kill all processes using {these} and all compute applications running in the "
        "system.\n"
    )
