"""The program's three subcommands as MIG Manager and a learner call them: lines and exit code, or steps.

`text` is the config file's content, None when there is no such file.
"""

from __future__ import annotations

from collections.abc import Iterator

from labsim.hardware.machine import Machine
from labsim.operators.gpu.migparted import apply, check, config, export
from labsim.operators.gpu.migparted.log import DEBUG, FATAL, STDOUT, Line, capitalize

NOT_APPLIED = "assertion failure: selected configuration not currently applied"


def load(path: str, text: str | None, name: str, lines: list[Line]) -> config.Layout:
    """Raises ConfigError with the prefix that says which of the two steps failed."""
    lines.append((DEBUG, "Parsing config file..."))
    try:
        if text is None:
            raise config.unreadable(path)
        spec = config.parse(text)
    except config.ConfigError as error:
        raise config.ConfigError(f"error parsing config file: {error}") from None
    lines.append((DEBUG, "Selecting specific MIG config..."))
    try:
        return config.select(spec, name)
    except config.ConfigError as error:
        raise config.ConfigError(f"error selecting MIG config: {error}") from None


def run_assert(
    machine: Machine, path: str, text: str | None, name: str, valid_config: bool = False, mode_only: bool = False
) -> tuple[list[Line], int]:
    """`assert`: all lines (debug ones included) and the exit code."""
    lines: list[Line] = []
    try:
        layout = load(path, text, name, lines)
    except config.ConfigError as error:
        return [*lines, (FATAL, capitalize(str(error)))], 1
    if valid_config:
        return [*lines, (STDOUT, "Selected MIG configuration is valid")], 0
    try:
        lines.append((DEBUG, "Asserting MIG mode configuration..."))
        check.assert_mode(machine, layout, lines)
        if mode_only:
            return [*lines, (STDOUT, "Selected MIG mode settings from configuration currently applied")], 0
        lines.append((DEBUG, "Asserting MIG device configuration..."))
        check.assert_config(machine, layout, lines)
    except check.CheckError as error:
        return [*lines, (DEBUG, capitalize(str(error))), (FATAL, capitalize(NOT_APPLIED))], 1
    return [*lines, (STDOUT, "Selected MIG configuration currently applied")], 0


def run_apply(
    machine: Machine,
    path: str,
    text: str | None,
    name: str,
    users: apply.Users,
    mode_only: bool = False,
    skip_reset: bool = False,
) -> Iterator[apply.Step]:
    """`apply`: the steps, the last one with the exit code."""
    lines: list[Line] = []
    try:
        layout = load(path, text, name, lines)
    except config.ConfigError as error:
        lines.append((FATAL, capitalize(str(error))))
        yield {"lines": [list(line) for line in lines], "gpu": None, "ms": 0, "code": 1}
        return
    yield {"lines": [list(line) for line in lines], "gpu": None, "ms": 0, "code": None}
    yield from apply.plan(machine, layout, users, mode_only, skip_reset)


def run_export(machine: Machine, form: str, label: str) -> tuple[list[Line], str, int]:
    """`export`: (log lines, text for standard output, exit code)."""
    if form not in ("yaml", "json"):
        return [(FATAL, f"Unrecognized 'output-format': {form}")], "", 1
    try:
        return [], export.text({label: export.layout(machine)}, form), 0
    except check.CheckError as error:
        return [(FATAL, capitalize(str(error)))], "", 1
