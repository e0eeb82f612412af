"""lspci (pciutils 3.7) of a DGX: GPUs, NVSwitches, network adapters. Other devices are not kept, which it says."""

from __future__ import annotations

import re
from typing import NamedTuple

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.words import Usage, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.hardware import dgx
from labsim.hardware.machine import gpus
from labsim.kube.objects import Object

_NVIDIA, _MELLANOX = "10de", "15b3"
# Ids and names as pci.ids has them. The adapters of the rails run InfiniBand, the second ports Ethernet (rails.md 4).
_GPU = ("0302", "3D controller", _NVIDIA, "2330", "NVIDIA Corporation GH100 [H100 SXM5 80GB]", "a1")
_SWITCH = ("0680", "Bridge", _NVIDIA, "22a3", "NVIDIA Corporation GH100 [H100 NVSwitch]", "a1")
_IB = ("0207", "Infiniband controller", _MELLANOX, "1021", "Mellanox Technologies MT2910 Family [ConnectX-7]", "")
_ETHERNET = ("0200", "Ethernet controller", *_IB[2:])


class Device(NamedTuple):
    address: str  # 1b:00.0
    code: str
    kind: str
    vendor: str
    device: str
    name: str
    revision: str


def devices(machine: Object) -> list[Device]:
    """By address. A GPU that fell off the bus answers every read of its registers with ones: revision ff."""
    found = []
    for gpu in gpus(machine):
        device = Device(str(gpu["busId"]).lower()[9:], *_GPU)
        found.append(device._replace(revision="ff") if gpu["lost"] else device)
    if found:
        found += [Device(address, *_SWITCH) for address in dgx.SWITCH_ADDRESSES]
        found += [Device(a, *(_ETHERNET if a.endswith(".1") else _IB)) for a in dgx.NIC_ADDRESSES]
    return sorted(found)


def main(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "vnqkxbDtms:d:i:p:PA:O:H:F:G")
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n\nUsage: lspci [<switches>]\n")
        return error.code
    refused = unplayed(found, ("n", "D", "s", "d"))
    if refused:
        return not_simulated(ctx, f"lspci {refused}")
    if found.rest:
        ctx.err("Usage: lspci [<switches>]\n")
        return 1
    machine = sites.find(ctx).machine
    if machine is None or not gpus(machine):
        return not_simulated(ctx, f"lspci on {ctx.host}")
    slot = found.options.get("s", "").lower()
    slot = slot.removeprefix("0000:")
    if slot and not re.fullmatch(r"([0-9a-f]{1,2}:)?([0-9a-f]{1,2})?(\.[0-7])?", slot):
        ctx.err("lspci: -s: Invalid bus number\n")
        return 1
    wanted = found.options.get("d", "").lower()
    if wanted and not re.fullmatch(r"([0-9a-f]{1,4})?(:([0-9a-f]{1,4})?)?", wanted):
        ctx.err("lspci: -d: Invalid vendor ID\n")
        return 1
    names = sum(word.count("n") for word in ctx.args if re.fullmatch(r"-[nDvk]+", word))
    for device in devices(machine):
        if _matches(device, slot, wanted):
            ctx.out(("0000:" if "D" in found else "") + _line(device, names) + "\n")
    if not slot and not wanted:
        ctx.err("labsim: lspci shows only GPUs, NVSwitches and network adapters here\n")
    return 0


def _matches(device: Device, slot: str, wanted: str) -> bool:
    vendor, _, number = wanted.partition(":")
    if (vendor and vendor.zfill(4) != device.vendor) or (number and number.zfill(4) != device.device):
        return False
    if not slot:
        return True
    bus, _, rest = slot.rpartition(":")
    place, _, function = rest.partition(".")
    own_bus, _, own_rest = device.address.partition(":")
    own_place, _, own_function = own_rest.partition(".")
    pairs = ((bus, own_bus), (place, own_place), (function, own_function))
    return all(not want or int(want, 16) == int(own, 16) for want, own in pairs)


def _line(device: Device, names: int) -> str:
    revision = f" (rev {device.revision})" if device.revision else ""
    if names == 1:
        return f"{device.address} {device.code}: {device.vendor}:{device.device}{revision}"
    if names > 1:
        ids = f"[{device.vendor}:{device.device}]"
        return f"{device.address} {device.kind} [{device.code}]: {device.name} {ids}{revision}"
    return f"{device.address} {device.kind}: {device.name}{revision}"
