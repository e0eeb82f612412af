"""One call of nvidia-smi: options -> text, exit code and perhaps a changed machine. Failure texts: gpu.md 6.4, 6.7."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from labsim.commands.nvidia_smi import changes, full, help, mig_tables, options, query, summary, topology
from labsim.commands.nvidia_smi.options import Options, Refused, UsageError
from labsim.commands.nvidia_smi.view import View, VisibleGpu
from labsim.hardware.machine import Machine, cuda_version, driver_loaded, driver_version
from labsim.hardware.mig import enabled

NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA "
    "driver is installed and running.\n\n"
)
NO_DEVICES = "No devices were found\n"
NO_MIG = "No MIG-enabled devices found.\n"
_ENABLE, _DISABLE = ("1", "ENABLED"), ("0", "DISABLED")

Gpus = Sequence[VisibleGpu]


@dataclass(frozen=True)
class Result:
    text: str
    code: int = 0
    machine: Machine | None = None  # set when something was changed
    every: int = 0  # ms between repetitions (-l, -lms); 0 for once
    filename: str = ""  # where the text goes instead of standard output (-f)


def run(view: View, argv: Sequence[str]) -> Result:
    """`argv` without the program's name. Raises Refused for what the lab does not play."""
    words = list(argv)
    subcommand = words[0] if words and not words[0].startswith("-") else ""
    try:
        if subcommand in options.REFUSED_PROGRAMS:
            raise Refused(f"nvidia-smi {subcommand}")
        programs: dict[str, Callable[[View, list[str]], Result]] = {
            "": _main,
            "mig": _mig,
            "topo": _topo,
            "nvlink": _nvlink,
        }
        if subcommand not in programs:
            raise UsageError
        return programs[subcommand](view, words[1:] if subcommand else words)
    except UsageError:
        return Result(options.INVALID, 2)


def failure(view: View) -> Result | None:
    """Why nothing can be asked at all."""
    if not driver_loaded(view.machine):
        return Result(NO_DRIVER, 9)
    library = view.machine["status"]["driver"].get("library")
    if library and library != driver_version(view.machine):
        branch = ".".join(library.split(".")[:2])
        text = f"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: {branch}\n"
        return Result(text, 18)
    if not view.gpus:
        return Result(NO_DEVICES, 6)
    return None


def _main(view: View, argv: list[str]) -> Result:
    given = options.parse_main(argv)
    return replace(_answer(view, given), every=_every(given), filename=given.get("filename"))


def _every(given: Options) -> int:
    for name, unit in (("loop", 1000), ("loop-ms", 1)):
        if name in given:
            text = given.get(name) or "5"  # seconds, where -l has no value
            if not text.isdigit() or int(text) == 0:
                raise UsageError
            return int(text) * unit
    return 0


def _answer(view: View, given: Options) -> Result:
    version = driver_version(view.machine)
    if "help" in given:
        return Result(help.MAIN.format(version=version))
    broken = failure(view)
    if broken:
        return broken
    if "version" in given:
        library = ".".join(version.split(".")[:2])
        return Result(
            f"NVIDIA-SMI version  : {version}\nNVML version        : {library}\n"
            f"DRIVER version      : {version}\nCUDA Version        : {cuda_version(view.machine)}\n"
        )
    targets = view.select(given.get("id")) if "id" in given else view.gpus
    if targets is None:
        return Result(NO_DEVICES, 6)
    actions = [name for name in _ACTIONS if name in given]
    if len(actions) > 1 or ("format" in given and not actions) or ("display" in given and actions != ["query"]):
        raise UsageError
    if actions == ["list"]:
        return _list(view, targets)
    lost = _lost(targets)
    if lost:
        return Result(lost, 15)
    return _ACTIONS[actions[0]](view, targets, given) if actions else Result(summary.render_default(view, targets))


def _list(view: View, targets: Gpus) -> Result:
    text = ""
    for gpu in targets:
        text += _lost([gpu]) or summary.render_list(view, [gpu])
    return Result(text, 15 if any(gpu.gpu["lost"] for gpu in targets) else 0)


def _lost(targets: Gpus) -> str:
    return "".join(
        f"Unable to determine the device handle for GPU{gpu.index}: {gpu.bus_id[4:]}: "
        "GPU is lost.  Reboot the system to recover this GPU\n"
        for gpu in targets
        if gpu.gpu["lost"]
    )


def _query(view: View, targets: Gpus, given: Options) -> Result:
    try:
        return Result(full.render_full(view, targets, given.get("display")))
    except full.UnknownSection:
        raise UsageError from None


def _fields(view: View, targets: Gpus, given: Options) -> Result:
    apps = "query-compute-apps" in given
    render = query.render_query_apps if apps else query.render_query_gpu
    try:
        return Result(
            render(view, targets, given.get("query-compute-apps" if apps else "query-gpu"), given.get("format"))
        )
    except query.QueryError as error:
        return Result(str(error), 2)


def _switch(value: str) -> bool:
    if value.upper() in _ENABLE:
        return True
    if value.upper() in _DISABLE:
        return False
    raise UsageError


def _mode(view: View, targets: Gpus, given: Options) -> Result:
    on = _switch(given.get("mig"))
    if not view.admin:
        return _denied(f"Unable to {'enable' if on else 'disable'} MIG Mode for GPU", targets)
    return _changed(view, changes.set_mig_mode(view, targets, on))


def _persistence(view: View, targets: Gpus, given: Options) -> Result:
    on = _switch(given.get("persistence"))
    if not view.admin:
        return _denied("Unable to set persistence mode for GPU", targets)
    return _changed(view, changes.set_persistence(view, targets, on))


def _reset(view: View, targets: Gpus, given: Options) -> Result:
    if not view.admin:
        return _denied("Unable to reset GPU", targets)
    return _changed(view, changes.reset(view, targets))


def _denied(text: str, targets: Gpus) -> Result:
    return Result(
        f"{text} {targets[0].bus_id}: Insufficient Permissions\nTerminating early due to previous errors.\n", 4
    )


def _changed(view: View, answer: changes.Answer) -> Result:
    after, text, code = answer
    return Result(text, code, after.machine if after.machine is not view.machine else None)


_ACTIONS: dict[str, Callable[[View, Gpus, Options], Result]] = {
    "list": lambda view, targets, given: _list(view, targets),
    "query": _query,
    "query-gpu": _fields,
    "query-compute-apps": _fields,
    "mig": _mode,
    "persistence": _persistence,
    "reset": _reset,
}

# action -> (what its failure names, needs a MIG-enabled GPU)
_MIG_ACTIONS = {
    "lgip": "display GPU instance profiles",
    "lgipp": "display GPU instance possible placements",
    "lgi": "display GPU instances",
    "lcip": "display compute instance profiles",
    "lci": "display compute instances",
    "cgi": "create GPU instances",
    "cci": "create compute instances",
    "dgi": "destroy GPU instances",
    "dci": "destroy compute instances",
}
_MIG_OPEN = frozenset({"lgip", "lgipp"})  # for everybody, with MIG on or off


def _mig(view: View, argv: list[str]) -> Result:
    given = options.parse_mig(argv)
    actions = [name for name in _MIG_ACTIONS if name in given]
    if "help" in given or not argv:
        return Result(help.MIG)
    if len(actions) != 1 or ("default-ci" in given and actions != ["cgi"]):
        raise UsageError
    broken = failure(view)
    if broken:
        return broken
    targets = view.select(given.get("id")) if "id" in given else view.gpus
    if targets is None:
        return Result(NO_DEVICES, 6)
    lost = _lost(targets)
    if lost:
        return Result(lost, 15)
    action = actions[0]
    if action not in _MIG_OPEN:
        targets = tuple(gpu for gpu in targets if enabled(gpu.gpu))
        if not targets:
            return Result(NO_MIG, 6)
        if not view.admin:
            return Result(f"Failed to {_MIG_ACTIONS[action]}: Insufficient Permissions\n", 4)
    return _mig_action(view, targets, action, given)


def _mig_action(view: View, targets: Gpus, action: str, given: Options) -> Result:
    gis, cis = _ids(given, "gi"), _ids(given, "ci")
    if action == "lgip":
        return Result(mig_tables.profiles(targets))
    if action == "lgipp":
        return Result(mig_tables.placements(targets))
    if action == "lgi":
        return _table(mig_tables.instances(targets, gis), "GPU")
    if action == "lcip":
        return _table(mig_tables.compute_profiles(targets, gis), "GPU")
    if action == "lci":
        return _table(mig_tables.compute_instances(targets, gis), "compute")
    if action == "cgi":
        answer = changes.create_gpu_instances(view, targets, given.get("cgi"), "default-ci" in given)
    elif action == "cci":
        answer = changes.create_compute_instances(view, targets, given.get("cci"), gis)
    elif action == "dgi":
        answer = changes.destroy_gpu_instances(view, targets, gis)
    else:
        answer = changes.destroy_compute_instances(view, targets, gis, cis)
    return _changed(view, answer)


def _table(text: str, kind: str) -> Result:
    return Result(text) if text else Result(f"No {kind} instances found: Not Found\n", 6)


def _ids(given: Options, name: str) -> frozenset[int] | None:
    if name not in given:
        return None
    parts = [part.strip() for part in given.get(name).split(",")]
    if not all(part.isdigit() for part in parts):
        raise UsageError
    return frozenset(int(part) for part in parts)


def _topo(view: View, argv: list[str]) -> Result:
    if argv not in (["-m"], ["--matrix"]):
        raise Refused("nvidia-smi topo " + " ".join(argv))
    broken = failure(view)
    return broken or Result(topology.matrix(view.gpus))


def _nvlink(view: View, argv: list[str]) -> Result:
    words = list(argv)
    wanted = None
    for flag in ("-i", "--id"):
        if flag in words[:-1]:
            at = words.index(flag)
            wanted = words[at + 1]
            del words[at : at + 2]
    if words not in (["-s"], ["--status"]):
        raise Refused("nvidia-smi nvlink " + " ".join(argv))
    broken = failure(view)
    if broken:
        return broken
    targets = view.select(wanted) if wanted is not None else view.gpus
    if targets is None:
        return Result(NO_DEVICES, 6)
    lost = _lost(targets)
    return Result(lost, 15) if lost else Result(topology.nvlink_status(targets))
