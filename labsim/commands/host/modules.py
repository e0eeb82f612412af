"""lsmod and modinfo (kmod): the modules of driver and network. Which are loaded follows the state of the driver.

The operator's driver lies in its container, so a host whose driver came that way has no module file: its modinfo finds
nothing, that of the driver container does.
"""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.site import Site
from labsim.commands.host.words import Usage, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.hardware.machine import driver_loaded, driver_version, gpus
from labsim.hardware.usage import users_of

_DRIVER_CONTAINER = "nvidia-driver-ctr"
# Name -> (size in memory, holders), latest first. Sizes [U]: taken from public listings of near versions.
_NVIDIA = {
    "nvidia_uvm": (2162688, ()),
    "nvidia_modeset": (1830912, ()),
    "nvidia": (14381056, ("nvidia_uvm", "nvidia_modeset")),
}
_NETWORK = {
    "mlx5_ib": (466944, ()),
    "ib_uverbs": (163840, ("mlx5_ib",)),
    "ib_core": (430080, ("ib_uverbs", "mlx5_ib")),
    "mlx5_core": (2121728, ("mlx5_ib",)),
    "mlxfw": (32768, ("mlx5_core",)),
    "psample": (20480, ("mlx5_core",)),
    "tls": (114688, ("mlx5_core",)),
}


def lsmod(ctx: Context) -> int:
    if ctx.args:
        ctx.err("Usage: lsmod\n")
        return 1
    where = sites.find(ctx)
    if where.machine is None:
        return not_simulated(ctx, f"lsmod on {ctx.host}")
    ctx.out("Module                  Size  Used by\n")
    uses = _uses(where)
    for name, (size, holders) in loaded(where).items():
        count = len(holders) + uses.get(name, 0)
        ctx.out(f"{name:<19} {size:>8}  {count} {','.join(holders)}".rstrip() + "\n")
    ctx.err("labsim: lsmod shows only the modules of driver and network here\n")
    return 0


def loaded(where: Site) -> dict[str, tuple[int, tuple[str, ...]]]:
    """The modules the lab knows of; a host has many more."""
    if where.machine is None or not gpus(where.machine):
        return {}
    return {**(_NVIDIA if driver_loaded(where.machine) else {}), **_NETWORK}


def _uses(where: Site) -> dict[str, int]:
    """Open files beside other modules: one of nvidia for each GPU the persistence daemon holds, one of each module for
    each CUDA process. [U] The real numbers are larger."""
    assert where.machine is not None
    held = sum(1 for gpu in gpus(where.machine) if gpu["persistence"] and not gpu["lost"])
    found = users_of(where.machine, where.containers())
    processes = len({process["pid"] for group in found.values() for process in group})
    return {"nvidia": held + processes, "nvidia_uvm": processes}


def modinfo(ctx: Context) -> int:
    long = {
        "field=": "F", "author": "a", "description": "d", "license": "l", "parameters": "p", "filename": "n",
        "null": "0", "set-version=": "k", "basedir=": "b", "version": "V", "help": "h",
    }  # fmt: skip
    try:
        found = parse(ctx.name, ctx.args, "F:adlpn0k:b:Vh", long)
    except Usage as error:
        ctx.err(str(error))
        return error.code
    refused = unplayed(found, ("F", "d", "l", "n"))
    if refused:
        return not_simulated(ctx, f"modinfo {refused}")
    if not found.rest:
        ctx.err("modinfo: ERROR: missing module or filename.\n")
        return 1
    where = sites.find(ctx)
    if where.machine is None:
        return not_simulated(ctx, f"modinfo on {ctx.host}")
    short = next(
        (field for key, field in (("d", "description"), ("l", "license"), ("n", "filename")) if key in found), ""
    )
    field = found.options.get("F", short)
    code = 0
    for name in found.rest:
        fields = _fields(where, name.replace("-", "_"))
        if fields is None:
            if name.replace("-", "_") in _NETWORK:
                return not_simulated(ctx, f"modinfo {name}")
            ctx.err(f"modinfo: ERROR: Module {name} not found.\n")
            code = 1
            continue
        for key, value in fields:
            if not field:
                ctx.out(f"{key + ':':<16}{value}\n")
            elif key == field:
                ctx.out(value + "\n")
    return code


def _fields(where: Site, name: str) -> list[tuple[str, str]] | None:
    """What is known of a module's file; None where there is no file."""
    machine = where.machine
    if machine is None or name not in _NVIDIA or not driver_version(machine):
        return None
    inside = where.container is not None and where.container["spec"]["container"] == _DRIVER_CONTAINER
    by_operator = any(c["spec"]["container"] == _DRIVER_CONTAINER for c in where.containers())
    if not inside and (where.container is not None or by_operator or not driver_loaded(machine)):
        return None
    version, kernel = driver_version(machine), where.kernel
    path = f"/lib/modules/{kernel}/kernel/drivers/video/{name.replace('_', '-')}.ko"
    found = [("filename", path)]
    if name == "nvidia":
        found += [("alias", "char-major-195-*")]
    found += [("version", version), ("supported", "external"), ("license", "Dual MIT/GPL")]
    if name == "nvidia":
        found += [("firmware", f"nvidia/{version}/gsp_{chip}.bin") for chip in ("tu10x", "ga10x")]
    depends = "" if name == "nvidia" else "nvidia"
    return [*found, ("depends", depends), ("name", name), ("vermagic", f"{kernel} SMP mod_unload modversions ")]
