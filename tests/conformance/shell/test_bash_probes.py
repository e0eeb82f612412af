"""172 lines judged by real bash: stdout and exit code must be the same, but for the listed ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pytest import MonkeyPatch

from labsim.commands import registry
from labsim.commands.base import Context
from labsim.shell import history, lines
from labsim.shell.shell import LineResult, Shell
from tests.fakes.hooks import FakeHooks

HERE = Path(__file__).parent
PROBES = yaml.safe_load((HERE / "bash-probes.yaml").read_text())
KNOWN: dict[str, str] = yaml.safe_load((HERE / "known-misses.yaml").read_text()) or {}


def kubectl(ctx: Context) -> int:
    """The stub in front of which the probes were recorded."""
    line = " ".join(ctx.args)
    if ctx.args[:1] == ("echoargs",):
        ctx.out("".join(f"[{word}]" for word in ctx.args[1:]) + "\n")
        return 0
    if ctx.args[:1] == ("fail",):
        ctx.err('Error from server (NotFound): pods "x" not found\n')
        return 1
    if line == "apply -f -":
        ctx.out(f"applied {ctx.stdin.count(chr(10))} lines\n")
        return 0
    stub = PROBES["kubectl_stub"]
    if ctx.args[:1] == ("describe",):
        ctx.out(stub["describe"])
        return 0
    if line == "get pods --no-headers":
        ctx.out(stub["get pods"].split("\n", 1)[1])
        return 0
    if line in stub:
        ctx.out(stub[line])
        return 0
    ctx.err(f'error: unknown command "{ctx.args[0] if ctx.args else ""}" for "kubectl"\n')
    return 1


def run(probe: dict[str, Any]) -> LineResult:
    """As `bash -c LINE` ran it: no aliases, no history expansion, output not to a terminal."""
    hooks = FakeHooks()
    # One probe was recorded in a home directory of another name.
    home = "/home/labsim/ci/home" if probe["id"] == "var-default" else "/home/user"
    files = {f"{home}/{name}": text for name, text in PROBES["files"].items()}
    shell = Shell(
        seed=1, clock=hooks.clock, hooks=hooks, client=None, host="host", user="user", home=home, start_files=files
    )
    shell.run("unalias -a")
    return shell.run(probe["line"])


def test_probes(monkeypatch: MonkeyPatch) -> None:
    real = registry.load
    monkeypatch.setattr(history, "expand", lambda text, lines: (text, False, False))
    monkeypatch.setattr(lines, "to_terminal", lambda text: False)
    monkeypatch.setattr(registry, "load", lambda name: kubectl if name == "kubectl" else real(name))
    failed = {}
    for probe in PROBES["probes"]:
        result = run(probe)
        if (result.stdout, result.exit_code) != (probe.get("stdout", ""), probe["exit"]):
            failed[probe["id"]] = (probe["line"], probe.get("stdout", ""), probe["exit"], result)
    assert len(PROBES["probes"]) == 172
    wrong = {name: failed[name] for name in failed if name not in KNOWN}
    assert not wrong, "\n\n".join(f"{k}: {v[0]}\nwanted {v[1]!r} {v[2]}\ngot {v[3]}" for k, v in wrong.items())
    assert sorted(failed) == sorted(KNOWN), "these pass now: take them from known-misses.yaml"
