"""Fixed figures of the board in `nvidia-smi -q`, from a real H100 80GB HBM3 under 580.105.08 (gpu.md 6.5)."""

from __future__ import annotations

from typing import Any

BRAND, ARCHITECTURE = "NVIDIA", "Hopper"
ADDRESSING_MODE = "HMM"
VBIOS = "96.00.99.00.01"
BOARD_PART, GPU_PART = "692-2G520-0200-000", "2330-885-A1"
INFOROM_IMAGE, INFOROM_OEM, INFOROM_ECC = "G520.0200.00.05", "2.1", "7.16"
PCIE_GENERATION, PCIE_WIDTH = "5", "16"
REMAP_BANKS = 2560
FABRIC_STATE, FABRIC_STATUS = "Completed", "Success"

# Xids after which the driver asks for a reset: memory errors it could not contain, NVLink and GSP faults [U].
_RESET_XIDS = frozenset({48, 74, 95, 119, 120, 140})


def recovery_action(gpu: dict[str, Any]) -> str:
    """The field `GPU Recovery Action`, from the Xids since the last reset or boot."""
    return "Reset" if any(xid["code"] in _RESET_XIDS for xid in gpu["xids"]) else "None"
