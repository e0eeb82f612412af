"""`nvidia-mig-parted apply | assert | export`, as called by hand inside the MIG Manager pod (gpu.md 2.7 i)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from labsim.commands import place
from labsim.commands.base import Context
from labsim.commands.notsimulated import not_simulated
from labsim.hardware import usage
from labsim.hardware.machine import RESOURCE, Machine
from labsim.operators.gpu.loglines import logrus
from labsim.operators.gpu.migparted import apply, export, program
from labsim.operators.gpu.migparted.log import FATAL, STDOUT, Line, visible

# subcommand -> {spelling: (name, takes a value)}
_FILE = {"-f": ("config-file", True), "-c": ("selected-config", True), "-m": ("mode-only", False)}
_OPTIONS: dict[str, dict[str, tuple[str, bool]]] = {
    "apply": {**_FILE, "-s": ("skip-reset", False), "-k": ("hooks-file", True)},
    "assert": {**_FILE, "-a": ("valid-config", False)},
    "export": {"-o": ("output-format", True), "-l": ("config-label", True)},
}
# What the program reads from the environment where a flag is not given.
_ENVIRONMENT = {
    "config-file": "MIG_PARTED_CONFIG_FILE",
    "selected-config": "MIG_PARTED_SELECTED_CONFIG",
    "output-format": "MIG_PARTED_OUTPUT_FORMAT",
    "config-label": "MIG_PARTED_CONFIG_LABEL",
}
_NOT_PLAYED = frozenset({"checkpoint", "restore", "generate-config"})
_USAGE = """NAME:
   nvidia-mig-parted - Manage MIG partitions across the full set of NVIDIA GPUs on a node

USAGE:
   nvidia-mig-parted [global options] [command [command options]]

COMMANDS:
   apply   Apply changes (if necessary) for a specific MIG configuration from a configuration file
   assert  Assert that a specific MIG configuration is currently applied to the node
   export  Export the MIG configuration from all GPUs in a compatible format

GLOBAL OPTIONS:
   --debug, -d  Enable debug-level logging
   --help, -h   show help
"""


class Refused(Exception):
    """Something the real program has and the lab does not play."""


class _Usage(Exception):
    """A wrong option; the program ends with it as a fatal line."""


@dataclass
class Result:
    stdout: str = ""
    stderr: str = ""
    code: int = 0
    machine: Machine | None = None  # set when something was changed
    ms: int = 0  # how long it took


@dataclass
class _Call:
    debug: bool = False
    command: str = ""
    values: dict[str, str] = field(default_factory=dict)


def run(
    machine: Machine,
    argv: Sequence[str],
    read: Callable[[str], str | None],
    users: apply.Users,
    now: int,
    env: Mapping[str, str] | None = None,
) -> Result:
    """`argv` without the program's name. `read(path)` gives a file's text (`-` for standard input) or None.

    Raises Refused for hooks and for the subcommands that are not played.
    """
    result = Result()
    try:
        call = _parse(argv)
    except _Usage as error:
        _say(result, [(FATAL, str(error))], True, now)
        result.code = 1
        return result
    if not call.command:
        result.stdout = _USAGE
        return result
    for name, variable in _ENVIRONMENT.items():
        if (env or {}).get(variable) and name in dict(_OPTIONS[call.command].values()):
            call.values.setdefault(name, (env or {})[variable])
    if call.command == "export":
        _export(machine, call, result, now)
        return result
    path = call.values.get("config-file", "")
    if not path:
        result.stdout = _USAGE
        _say(result, [(FATAL, "Missing required flags 'config-file'")], call.debug, now)
        result.code = 1
        return result
    layout, mode_only = call.values.get("selected-config", ""), "mode-only" in call.values
    if call.command == "assert":
        valid = "valid-config" in call.values
        lines, result.code = program.run_assert(machine, path, read(path), layout, valid, mode_only)
        _say(result, lines, call.debug, now)
        return result
    changed = machine
    steps = program.run_apply(machine, path, read(path), layout, users, mode_only, "skip-reset" in call.values)
    for step in steps:
        result.ms += step["ms"]
        _say(result, [(level, text) for level, text in step["lines"]], call.debug, now + result.ms)
        changed = apply.after(changed, step)
        if step["code"] is not None:
            result.code = step["code"]
    result.machine = changed if changed is not machine else None
    return result


def _export(machine: Machine, call: _Call, result: Result, now: int) -> None:
    form = call.values.get("output-format", "yaml")
    label = call.values.get("config-label", export.DEFAULT_LABEL)
    lines, result.stdout, result.code = program.run_export(machine, form, label)
    _say(result, lines, call.debug, now)


def _say(result: Result, lines: list[Line], debug: bool, now: int) -> None:
    for level, text in visible(lines, debug):
        if level == STDOUT:
            result.stdout += text + "\n"
        else:
            result.stderr += logrus(now, level, text) + "\n"


def _parse(argv: Sequence[str]) -> _Call:
    call = _Call()
    words = list(argv)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-d", "--debug"):
            call.debug = True
        elif word in ("-h", "--help"):
            return _Call()
        else:
            raise _Usage(f"Flag provided but not defined: {_bare(word)}")
    if not words or words[0] in ("help", "h"):
        return call
    call.command = words.pop(0)
    if call.command in _NOT_PLAYED:
        raise Refused(f"nvidia-mig-parted {call.command}")
    if call.command not in _OPTIONS:
        raise _Usage(f"No help topic for '{call.command}'")
    known = _OPTIONS[call.command]
    long = {f"--{name}": (name, takes) for name, takes in known.values()}
    while words:
        word, equals, value = words.pop(0).partition("=")
        if word in ("-h", "--help"):
            return _Call()
        if word not in known and word not in long:
            raise _Usage(f"Flag provided but not defined: {_bare(word)}")
        name, takes = known.get(word) or long[word]
        if name == "hooks-file":
            raise Refused("nvidia-mig-parted apply --hooks-file")
        if takes and not equals:
            if not words:
                raise _Usage(f"Flag needs an argument: {word}")
            value = words.pop(0)
        call.values[name] = value
    return call


def _bare(word: str) -> str:
    """The option as the flag package names it in its error."""
    return "-" + word.lstrip("-")


def main(ctx: Context) -> int:
    """The program, in the container of a MIG Manager pod; elsewhere it does not exist."""
    client = place.hardware_client(ctx)
    node, container = place.find(ctx, client)
    machine = client.find(RESOURCE, node)
    labels = (container["metadata"].get("labels") or {}) if container is not None else {}
    if machine is None or labels.get("app") != "nvidia-mig-manager":
        ctx.err("bash: nvidia-mig-parted: command not found\n")
        return 127

    def read(path: str) -> str | None:
        if path == "-":
            return ctx.stdin
        return ctx.fs.read_text(path) if ctx.fs.exists(path) else None

    try:
        result = run(machine, ctx.args, read, usage.users(client, node), ctx.now(), ctx.env)
    except Refused as refused:
        return not_simulated(ctx, str(refused))
    if result.machine is not None:
        client.update(RESOURCE, result.machine)
    if result.ms:
        ctx.advance(timeout_ms=result.ms)
    ctx.err(result.stderr)
    ctx.out(result.stdout)
    return result.code
