"""`kubectl --help` and `kubectl VERB --help`: labsim's own words, the real commands and flags."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import GLOBAL
from labsim.commands.kubectl.registry import ROOT, SECTIONS, Command

_OPTIONS = 'Use "kubectl options" for a list of global command-line options (applies to all commands).\n'


def root_help() -> str:
    parts = [f"{ROOT.summary}\n"]
    for heading, commands in SECTIONS:
        parts.append(f"\n{heading}\n" + "".join(_line(c) for c in commands))
    parts.append("\nUsage:\n  kubectl [flags] [options]\n\n")
    parts.append('Use "kubectl <command> --help" for more information about a given command.\n' + _OPTIONS)
    return "".join(parts)


def _line(command: Command, width: int = 15) -> str:
    note = "" if command.played else " (not simulated)"
    return f"  {command.name.ljust(width)} {command.summary}{note}\n"


def command_help(command: Command) -> str:
    """The text for one command; groups list what is below them."""
    if not command.words:
        return root_help()
    module = command.load() if command.played and (not command.children or command.name == "create") else None
    parts = [getattr(module, "ABOUT", "") or f"{command.summary}."]
    parts[0] = parts[0].rstrip("\n") + "\n"
    if command.aliases:
        parts.append("\nAliases:\n" + ", ".join((command.name, *command.aliases)) + "\n")
    examples = getattr(module, "EXAMPLES", "")
    if examples:
        parts.append("\nExamples:\n" + examples.rstrip("\n") + "\n")
    if command.children:
        width = max(len(c.name) for c in command.children) + 2
        parts.append("\nAvailable Commands:\n" + "".join(_line(c, width) for c in command.children))
    if module is not None and module.SPEC:
        parts.append("\nOptions:\n" + options_text(module.SPEC))
    usage = getattr(module, "USAGE", f"{' '.join(command.words)} SUBCOMMAND")
    parts.append(f"\nUsage:\n  kubectl {usage} [options]\n\n")
    if command.children:
        parts.append(f'Use "{command.path} <command> --help" for more information about a given command.\n')
    parts.append(_OPTIONS)
    return "".join(parts)


def options_text(flags: Iterable[Flag]) -> str:
    """One flag: its names and default, then its meaning behind a tab."""
    return "\n".join(_option(flag) for flag in sorted(flags, key=lambda f: f.name))


def _option(flag: Flag) -> str:
    names = f"    -{flag.short}, --{flag.name}" if flag.short else f"    --{flag.name}"
    note = " (not simulated)" if flag.refused else ""
    return f"{names}={_default(flag)}:\n\t{flag.help}{note}\n"


def _default(flag: Flag) -> str:
    if flag.shown:
        return flag.shown
    if flag.kind == "bool":
        return "true" if flag.start else "false"
    if flag.kind in ("slice", "array"):
        return "[" + ",".join(flag.start) + "]"
    if flag.kind == "duration":
        return f"{flag.start // 1000}s"
    return str(flag.start) if flag.kind == "int" else f"'{flag.start}'"


def global_options() -> str:
    return "The following options can be passed to any command:\n\n" + options_text(GLOBAL)
