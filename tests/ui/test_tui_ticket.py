"""Picker, ticket, checklist, hints, submit and debrief; small screens and NO_COLOR."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from labsim.lab import Lab
from labsim.ui import keeping
from labsim.ui.tui.debrief import DebriefScreen
from labsim.ui.tui.labscreen import LabScreen
from labsim.ui.tui.picker import Picker
from tests.ui.driving import TICKET, Driver, drawn, drive


@pytest.fixture
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "mark-a-node.yaml").write_text(TICKET)
    return str(folder)


def opened(packs: str) -> Lab:
    return Lab.open(ticket="mark-a-node", packs=packs)


def test_the_picker_opens_a_ticket_and_the_last_lab(packs: str) -> None:
    (Path(packs) / "broken.yaml").write_text("schema: labsim.ticket/v1\n")

    async def scenario(see: Driver) -> None:
        assert isinstance(see.app.screen, Picker)
        chooser = see.app.screen.query_one(OptionList)
        shown = "\n".join(str(option.prompt) for option in chooser.options)
        assert "Mark gpu-node2" in shown and "--- pack" in shown
        assert "[ ] new  quick, 2 min, NCP-AII 2.2  (mark-a-node)" in shown
        assert "Free lab: Three DGX H100 nodes, idle" in shown
        assert "[!] broken cannot be used" in shown
        entries = see.app.screen.entries
        number = next(i for i, e in enumerate(entries) if e.name == "mark-a-node")
        chooser.highlighted = chooser.get_option_index(str(number))
        await see.press("v")
        assert "Mark gpu-node2" in drawn(see.app)
        assert "Variant 2 of 2" in drawn(see.app)
        await see.press("enter")
        await see.until(lambda: isinstance(see.app.screen, LabScreen))
        lab = see.screen.lab
        assert (lab.recipe.header["ticket"], lab.recipe.header["seed"]) == ("mark-a-node", 2)
        see.screen.face.hurry = True
        await see.run("echo kept")
        await see.press("f10")
        assert "not handed in" in drawn(see.app)
        await see.press("p")
        await see.until(lambda: isinstance(see.app.screen, Picker))
        chooser = see.app.screen.query_one(OptionList)
        assert "Go on with mark-a-node" in drawn(see.app)
        assert "[~] begun  quick" in "".join(str(option.prompt) for option in chooser.options)
        chooser.highlighted = 0
        await see.press("enter")
        await see.until(lambda: isinstance(see.app.screen, LabScreen))
        assert see.screen.lab.step == 1
        await see.press("up")
        assert see.screen.terminal.editor.text == "echo kept"

    drive(scenario, packs=packs)


def test_a_ticket_from_story_to_debrief(packs: str) -> None:
    lab = opened(packs)
    keeping.keep(lab)

    async def scenario(see: Driver) -> None:
        assert "gpu-node2 wants the label team=vision. Leave the rest." in see.panel("ticket")
        assert "[ ] gpu-node2 carries the label (3)" in see.panel("checklist")
        await see.press("f2")
        await see.ready()
        assert "-- Hint (costs 5): Labels are set with kubectl label." in see.text()
        await see.press("f2")
        await see.ready()
        assert "-- There is no further hint." in see.text()
        assert "hints 1 (-5)" in see.drawn()
        await see.run("kubectl label node gpu-node2 team=vision")
        assert "-- [x] reached: gpu-node2 carries the label" in see.text()
        assert "goals 1/2" in see.drawn()
        await see.press("f9")
        await see.until(lambda: isinstance(see.app.focused, OptionList))
        await see.press("down", "enter")  # to the ticket's question, its second option
        await see.until(lambda: bool(lab.answers))
        await see.ready()
        assert lab.answers == {"gpus": "b"}
        await see.press("escape", "f5")
        await see.ready()
        assert lab.answers == {}
        assert "( ) b) eight" in see.drawn()
        await see.run(":answer gpus b")
        assert lab.answers == {"gpus": "b"}
        assert "(x) b) eight" in see.drawn() and "( ) a) four" in see.drawn()
        assert "2 of 2 reached" in see.panel("checklist")
        await see.press("f8")
        assert "Submit now? 2 of 2 goals are reached." in see.drawn()
        await see.press("y")
        await see.until(lambda: isinstance(see.app.screen, DebriefScreen))
        await see.pilot.pause()
        shown = drawn(see.app)
        assert "Score 95 of 100" in shown
        assert "[x] gpu-node2 carries the label (3 points)" in shown
        assert "kubectl label node gpu-node2 team=vision" in shown
        await see.press("escape")
        assert "handed in: 95" in see.drawn()
        await see.press("f10")
        await see.pilot.pause()
        assert not see.app.is_running or see.app._exit

    drive(scenario, lab, packs=packs)


def test_80x24_has_one_page_at_a_time(packs: str) -> None:
    async def scenario(see: Driver) -> None:
        assert "root@kadmin:~#" in see.drawn() and "Timeline" not in see.drawn()
        assert all(key in see.drawn() for key in ("f1 Keys", "f8 Submit", "f10 Quit"))
        pages = ("Level quick", "0 of 2 reached", "gpu-node1  Ready", "Nothing was changed yet", "these keys")
        for words in pages:
            await see.press("f4")
            await see.pilot.pause()
            assert words in see.drawn()
            assert "root@kadmin:~#" not in see.drawn()
        await see.press("f4")
        assert "root@kadmin:~#" in see.drawn()
        assert (await see.run("echo typed")).endswith("typed\nroot@kadmin:~# ")
        await see.press("f1")
        assert "these keys" in see.drawn()
        await see.press("escape")
        assert "root@kadmin:~#" in see.drawn()

    drive(scenario, opened(packs), size=(80, 24))


def test_a_resize_keeps_everything_in_reach(packs: str) -> None:
    async def scenario(see: Driver) -> None:
        line = "echo " + "x" * 100
        await see.run(line)
        await see.pilot.resize_terminal(80, 24)
        await see.pilot.pause()
        assert "Timeline" not in see.drawn()
        assert f"\n{'x' * 100}\n" in see.text()
        await see.pilot.resize_terminal(160, 45)
        await see.pilot.pause()
        assert "Timeline" in see.drawn() and "root@kadmin:~#" in see.drawn()

    drive(scenario, opened(packs))


def test_the_whole_lab_survives_a_fault_of_labsim(packs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = opened(packs)

    async def scenario(see: Driver) -> None:
        def broken(line: str) -> None:
            raise RuntimeError("oh")

        with monkeypatch.context() as patch:
            patch.setattr(lab, "run", broken)
            assert "a fault of labsim, the input was taken back: RuntimeError: oh" in await see.run("true")
        assert (await see.run("echo alive")).endswith("alive\nroot@kadmin:~# ")
        assert "RuntimeError: oh" in see.screen.work.faults[0]

    drive(scenario, lab)
