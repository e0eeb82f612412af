"""`nvidia-smi topo -m` and `nvlink -s` on a DGX H100 (gpu.md 6.6)."""

from __future__ import annotations

from collections.abc import Sequence

from labsim.commands.nvidia_smi.view import VisibleGpu
from labsim.hardware import dgx, h100

_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""


def matrix(gpus: Sequence[VisibleGpu]) -> str:
    """The matrix over the visible GPUs and the host's adapters, tab separated."""
    nics = range(dgx.NIC_COUNT)
    head = [f"GPU{gpu.index}" for gpu in gpus] + [f"NIC{nic}" for nic in nics]
    rows = ["\t".join(["", *head, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])]
    for gpu in gpus:
        place = gpu.gpu["index"]
        cells = [" X " if other is gpu else f"NV{dgx.NVLINKS}" for other in gpus]
        cells += [dgx.gpu_nic_link(place, nic) for nic in nics]
        cells += [dgx.cpu_affinity(place), str(dgx.gpu_socket(place)), "", "N/A"]
        rows.append("\t".join([f"GPU{gpu.index}", *cells]))
    for nic in nics:
        cells = [dgx.gpu_nic_link(gpu.gpu["index"], nic) for gpu in gpus]
        cells += [" X " if other == nic else dgx.nic_nic_link(nic, other) for other in nics]
        rows.append("\t".join([f"NIC{nic}", *cells, "", "", "", ""]))
    names = "".join(f"  NIC{nic}: {dgx.NIC_NAMES[nic]}\n" for nic in nics)
    return "\n".join(rows) + "\n" + _LEGEND + names + "\n"


def nvlink_status(gpus: Sequence[VisibleGpu]) -> str:
    lines = []
    for gpu in gpus:
        lines.append(f"GPU {gpu.index}: {h100.PRODUCT} (UUID: {gpu.uuid})\n")
        lines += [f"\t Link {link}: {dgx.NVLINK_GBS} GB/s\n" for link in range(dgx.NVLINKS)]
    return "".join(lines)
