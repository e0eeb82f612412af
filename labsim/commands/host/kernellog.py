"""The kernel's ring buffer of a machine, worked out from its state: boot, driver, Xids. For dmesg and journalctl -k.

It holds what the lab knows of and nothing else: a real one has thousands of lines more. The driver's lines are those of
its last loading. Lines of an Xid as in public reports of open-gpu-kernel-modules, gpu-operator and gpud; that driver
580 writes them so is [U] where no report shows it.
"""

from __future__ import annotations

from typing import NamedTuple

from labsim.commands.host.site import Site
from labsim.commands.host.system import kernel_version
from labsim.hardware.machine import driver_loaded, driver_version, gpus
from labsim.kube.objects import Object
from labsim.sim import names


class Entry(NamedTuple):
    """`at`: microseconds since the epoch."""

    at: int
    level: str
    text: str


LEVELS = ("emerg", "alert", "crit", "err", "warn", "notice", "info", "debug")

# Who built kernel and module, and when [U].
_COMPILER = "gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38"
_BUILDER = "buildd@lcy02-amd64-080"
MODULE_BUILD = "Release Build  (dvs-builder@U22-I3-AM02-24-3)"

# Xid -> what follows `pid='<unknown>', name=<unknown>, `. Channels, addresses and links are those of the reports; the
# Xid of the state does not say more. {gpu}: the GPU's index.
XIDS = {
    13: "Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address",
    31: "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f92_9a53d000. "
    "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    43: "channel 0x00000008",
    45: "channel 0x00000008",
    48: "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x18f31d80 "
    "partition 16, subpartition 3.",
    63: "Row Remapper: New row (0x0000000018f31d80) marked for remapping, reset gpu to activate.",
    64: "Row Remapper Error: (0x0000000018f31d80) - All reserved rows for bank are remapped",
    74: "NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)",
    79: "GPU has fallen off the bus.",
    92: "High single-bit ECC error rate",
    94: "Contained: SM (0x1). RST: No, D-RST: No",
    95: "Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No",
    109: "Ch 00000008, errorString CTX SWITCH TIMEOUT, Info 0x58005",
    119: "Timeout after 6s of waiting for RPC response from GPU{gpu} GSP! Expected function 76 (GSP_RM_CONTROL) "
    "(0x20802a02 0x8).",
}
_CRASH_DUMP = (
    "NVRM: A GPU crash dump has been created. If possible, please run",
    "NVRM: nvidia-bug-report.sh as root to collect this data before",
    "NVRM: the NVIDIA kernel module is unloaded.",
)


def ring(site: Site) -> list[Entry]:
    """Oldest first. Empty where no machine is known."""
    if site.machine is None or site.booted is None:
        return []
    found = _boot(site, site.booted * 1000) + _driver(site.machine, site.booted) + _xids(site.machine)
    return sorted(found, key=lambda entry: entry.at)


def _boot(site: Site, at: int) -> list[Entry]:
    release = site.kernel
    banner = f"Linux version {release} ({_BUILDER}) ({_COMPILER}) {kernel_version(release)}"
    line = f"Command line: BOOT_IMAGE=/boot/vmlinuz-{release} root=/dev/md0 ro console=tty0"
    return [Entry(at, "notice", banner), Entry(at, "info", line)]


def _driver(machine: Object, booted: int) -> list[Entry]:
    if not driver_loaded(machine):
        return []
    # A machine that came with its driver loaded did so while it booted.
    at = int(machine["status"]["driver"].get("loadedAt", booted + 20_000)) * 1000
    version = driver_version(machine)
    lines = (
        ("warn", "nvidia: loading out-of-tree module taints kernel."),
        ("info", "nvidia-nvlink: Nvlink Core is being initialized, major device number 234"),
        ("warn", f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {version}  {MODULE_BUILD}"),
        ("info", "nvidia-uvm: Loaded the UVM driver, major device number 235."),
    )
    return [Entry(at + _jitter(at, text) + 1000 * n, level, text) for n, (level, text) in enumerate(lines)]


def _xids(machine: Object) -> list[Entry]:
    found = []
    for gpu in gpus(machine):
        bus = str(gpu["busId"]).lower()[4:]  # 0000:1b:00.0
        slot = bus.rpartition(".")[0]
        seen = False
        for xid in gpu["xids"]:
            at = int(xid["time"]) * 1000
            lines = [] if seen else [f"NVRM: GPU at PCI:{slot}: {gpu['uuid']}"]
            lines += [] if seen else [f"NVRM: GPU Board Serial Number: {gpu['serial']}"]
            seen = True
            what = XIDS.get(int(xid["code"]), "").format(gpu=gpu["index"])
            head = f"NVRM: Xid (PCI:{slot}): {xid['code']}, pid='<unknown>', name=<unknown>"
            lines.append(f"{head}, {what}" if what else head)
            if int(xid["code"]) == 79:
                lines += [f"NVRM: GPU {bus}: GPU has fallen off the bus."]
                lines += [f"NVRM: GPU {bus}: GPU serial number is {gpu['serial']}.", *_CRASH_DUMP]
            start = at + _jitter(at, gpu["uuid"])
            found += [Entry(start + 7 * n, "warn", text) for n, text in enumerate(lines)]
    return found


def _jitter(at: int, what: str) -> int:
    """Microseconds within the millisecond, which the state does not hold."""
    return names.number(0, 0, 900, "kernel-log", at, what)
