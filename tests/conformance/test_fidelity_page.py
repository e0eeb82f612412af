"""docs/fidelity.md says what the data files and kubectl's registry say."""

from __future__ import annotations

from labsim.commands.kubectl.registry import all_commands
from tools import fidelity


def test_page_is_current() -> None:
    assert fidelity.PAGE.read_text("utf-8") == fidelity.page(), "run: python tools/fidelity.py"


def test_every_played_command_has_its_module() -> None:
    for command in all_commands():
        if command.played and command.words and not command.children:
            assert command.load().SPEC is not None
