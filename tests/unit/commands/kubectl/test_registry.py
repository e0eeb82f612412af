"""The registry is complete: what it says is played can be called and explains itself."""

from __future__ import annotations

import pytest

from labsim.commands.kubectl.help import command_help, root_help
from labsim.commands.kubectl.main import main
from labsim.commands.kubectl.registry import ROOT, all_commands
from tests.fakes.context import context

PLAYED = [c for c in all_commands() if c.played and (not c.children or c.words == ("create",))]
REFUSED = [c for c in all_commands() if not c.played]


@pytest.mark.parametrize("command", PLAYED, ids=lambda c: c.path)
def test_a_played_command_has_its_module(command) -> None:
    module = command.load()
    assert callable(module.run)
    assert module.USAGE.split()[: len(command.words)] == list(command.words)
    assert module.ABOUT and isinstance(module.SPEC, tuple)
    names = [flag.name for flag in module.SPEC]
    assert len(names) == len(set(names))
    assert all(flag.help for flag in module.SPEC)
    assert f"Usage:\n  kubectl {' '.join(command.words)}" in command_help(command)


@pytest.mark.parametrize("command", REFUSED, ids=lambda c: c.path)
def test_a_refused_command_says_so(command) -> None:
    ctx = context("kubectl", *command.words, "--some-flag", "x")
    assert main(ctx) == 1
    assert ctx.result(1).stderr == f"labsim: {command.path} is not simulated\n"


def test_root_help_names_every_command() -> None:
    text = root_help()
    for command in ROOT.children:
        assert command.name == "options" or f"\n  {command.name} " in text


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("gte pods", 'error: unknown command "gte" for "kubectl"\n\nDid you mean this?\n\tget\n'),
        ("zzzzzz", 'error: unknown command "zzzzzz" for "kubectl"\n'),
        ("get --nope", "error: unknown flag: --nope\nSee 'kubectl get --help' for usage.\n"),
        ("get -z", "error: unknown shorthand flag: 'z' in -z\nSee 'kubectl get --help' for usage.\n"),
        ("get -n", "error: flag needs an argument: 'n' in -n\nSee 'kubectl get --help' for usage.\n"),
        ("rollout foo", "error: unknown command \"foo\"\nSee 'kubectl rollout -h' for help and examples\n"),
        ("get pods --token=x", "labsim: kubectl get --token is not simulated\n"),
    ],
)
def test_wrong_lines(line: str, error: str) -> None:
    ctx = context("kubectl", *line.split())
    assert main(ctx) == 1
    assert ctx.result(1).stderr == error
