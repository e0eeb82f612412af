"""The DGX H100: where its eight GPUs and twelve network adapters sit.

Source: gpu.md 6.6 (captures of `nvidia-smi topo -m`).
"""

from __future__ import annotations

GPU_COUNT = 8
CPUS = 224
MEMORY_MI = 2113302
_BUSES = (0x1B, 0x43, 0x52, 0x61, 0x9D, 0xC3, 0xD1, 0xDF)
BUS_IDS = tuple(f"00000000:{bus:02X}:00.0" for bus in _BUSES)
# Module id of each GPU on the HGX board. One capture (qx-h100.xml) shows a GPU 0 with 7; the rest is filled up [U].
MODULE_IDS = (7, 5, 6, 8, 3, 1, 2, 4)

# PCI addresses of the four NVSwitches, as in listings of HGX H100 boards [U for the DGX].
SWITCH_ADDRESSES = ("05:00.0", "06:00.0", "07:00.0", "08:00.0")

NVLINKS = 18  # NVLink 4 links a GPU, all to the four NVSwitches
NVLINK_GBS = "26.562"  # GB/s a link and direction

NIC_COUNT = 12
NIC_NAMES = tuple(f"mlx5_{index}" for index in range(NIC_COUNT))
# PCI address of each adapter, mlx5_0 first (rails.md 4; which port of a storage card is which is [U] there).
NIC_ADDRESSES = (
    "18:00.0", "29:00.0", "29:00.1", "40:00.0", "4f:00.0", "5e:00.0",
    "9a:00.0", "aa:00.0", "aa:00.1", "c0:00.0", "ce:00.0", "dc:00.0",
)  # fmt: skip
GPU_NIC = (0, 3, 4, 5, 6, 9, 10, 11)  # the compute adapter behind the same PCIe switch
# The two ports of a storage card share one bridge. The first pair was captured, the second is its twin on socket 1 [U].
_CARD_PAIRS = frozenset({(1, 2), (7, 8)})
_CPU_AFFINITY = ("0-55,112-167", "56-111,168-223")


def gpu_socket(gpu: int) -> int:
    """The NUMA node a GPU hangs on."""
    return 0 if gpu < GPU_COUNT // 2 else 1


def nic_socket(nic: int) -> int:
    return 0 if nic < NIC_COUNT // 2 else 1


def cpu_affinity(gpu: int) -> str:
    return _CPU_AFFINITY[gpu_socket(gpu)]


def gpu_nic_link(gpu: int, nic: int) -> str:
    if GPU_NIC[gpu] == nic:
        return "PXB"
    return "NODE" if gpu_socket(gpu) == nic_socket(nic) else "SYS"


def nic_nic_link(one: int, other: int) -> str:
    if one == other:
        return "X"
    if (min(one, other), max(one, other)) in _CARD_PAIRS:
        return "PIX"
    return "NODE" if nic_socket(one) == nic_socket(other) else "SYS"
