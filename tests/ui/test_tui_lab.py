"""The lab screen under a Pilot: typed keys, what the terminal and the pages show."""

from __future__ import annotations

import pytest

from labsim.hardware import machine, mig
from labsim.lab import Lab
from labsim.ui.tui.editor import EditorScreen
from tests.ui.driving import Driver, drive


@pytest.fixture
def lab() -> Lab:
    return Lab.open("dgx-h100")


def test_a_command_runs_and_the_prompt_comes_back(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        shown = await see.run("kubectl get nodes -o name")
        assert shown.endswith("node/gpu-node1\nnode/gpu-node2\nnode/gpu-node3\nroot@kadmin:~# ")
        assert "root@kadmin:~# kubectl get nodes -o name\n" in see.text()
        drawn = see.drawn()
        assert "node/gpu-node3" in drawn
        assert "2026-11-10 09:41:10  step 1" in drawn
        assert "f10 Quit" in drawn

    drive(scenario, lab)


def test_tab_completes_and_a_second_tab_lists(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        editor = see.screen.terminal.editor
        await see.type("whoam\t")
        assert editor.text == "whoami "
        await see.press("ctrl+u")
        await see.run("touch first.txt first.log")
        await see.type("ls fi\t")
        assert editor.text == "ls first."
        await see.type("\t")
        assert see.text().count("first.log") == 1
        await see.type("\t")
        assert "root@kadmin:~# ls first.\nfirst.log  first.txt\nroot@kadmin:~# ls first." in see.text()

    drive(scenario, lab)


def test_history_and_reverse_search(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        for line in ("echo one", "echo two", "true"):
            await see.run(line)
        editor = see.screen.terminal.editor
        await see.press("up", "up")
        assert editor.text == "echo two"
        await see.press("down", "down")
        assert editor.text == ""
        await see.press("ctrl+r", "o", "n")
        assert see.text().endswith("(reverse-i-search)`on': echo one")
        await see.press("enter")
        await see.ready()
        assert see.text().endswith("root@kadmin:~# echo one\none\nroot@kadmin:~# ")
        await see.press("ctrl+r", "z")
        assert "(failed reverse-i-search)`z'" in see.text()
        await see.press("ctrl+g")
        assert see.text().endswith("\nroot@kadmin:~# ")

    drive(scenario, lab)


def test_lines_that_go_on(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        await see.type("cat <<END\n")
        assert see.text().endswith("root@kadmin:~# cat <<END\n> ")
        await see.type("a b\n")
        await see.type("END\n")
        await see.ready()
        assert see.text().endswith("> a b\n> END\na b\nroot@kadmin:~# ")
        await see.press("up")
        assert see.screen.terminal.editor.text == "cat <<END\na b\nEND"
        await see.press("ctrl+c")
        await see.type("echo 'open\n")
        await see.press("ctrl+c")
        assert see.text().endswith("> ^C\nroot@kadmin:~# ")
        assert (await see.run("echo $?")).endswith("0\nroot@kadmin:~# ")

    drive(scenario, lab)


def test_a_pasted_text_waits_for_enter(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        from textual.events import Paste

        see.screen.terminal.post_message(Paste("echo p1\r\necho p2\r\n"))
        await see.pilot.pause()
        assert see.text().endswith("root@kadmin:~# echo p1\necho p2")
        assert see.screen.lab.step == 0
        await see.press("enter")
        await see.ready()
        assert see.text().endswith("p1\np2\nroot@kadmin:~# ")

    drive(scenario, lab)


def test_ctrl_c_stops_a_wait(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        see.screen.face.hurry = False
        await see.type("sleep 600\n")
        await see.until(lambda: see.screen.work.steps >= 2)
        assert "of 360, Ctrl-C stops" in see.drawn()
        await see.type("echo later")  # typed ahead, and dropped by Ctrl-C as a terminal does
        await see.press("ctrl+c")
        await see.ready()
        assert see.text().endswith("sleep 600\n^C\nroot@kadmin:~# ")
        assert 2 <= see.screen.lab.step < 60
        assert (await see.run("echo $?")).endswith("130\nroot@kadmin:~# ")

    drive(scenario, lab)


def test_keys_typed_while_a_line_runs_come_afterwards(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        see.screen.face.hurry = False
        await see.type("sleep 30\n")
        assert see.screen.work.running
        await see.type("echo ahead\n")
        await see.until(lambda: see.text().endswith("echo ahead\nahead\nroot@kadmin:~# "))

    drive(scenario, lab)


def test_undo_redo_reset_and_step(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        await see.press("f5")
        await see.ready()
        assert "-- nothing to undo" in see.text()
        await see.run("kubectl label node gpu-node2 team=vision")
        before = lab.state_hash()
        assert "$ kubectl label node gpu-node2 team=vision" in see.panel("timeline")
        assert "you\n      update nodes/gpu-node2 metadata.labels" in see.panel("timeline")
        await see.press("f5")
        await see.ready()
        assert "-- undone: $ kubectl label node gpu-node2 team=vision" in see.text()
        assert "gpu-node2" not in see.panel("timeline")
        assert "team" not in lab.client.get("nodes", "gpu-node2")["metadata"]["labels"]
        await see.press("f6")
        await see.ready()
        assert lab.state_hash() == before
        await see.press("f3")
        await see.ready()
        assert lab.step == 2
        await see.press("f7", "n")
        assert lab.step == 2
        await see.press("f7", "y")
        await see.ready()
        assert lab.step == 0

    drive(scenario, lab)


def test_the_map_shows_the_hardware(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        assert "3 whole|." in see.panel("map")
        inside = lab.cluster.client("system:labsim:test")
        one = inside.get(machine.RESOURCE, "gpu-node2")
        gpu = {**machine.gpus(one)[3], "mig": {"current": mig.ENABLED, "pending": mig.ENABLED}}
        from labsim.hardware import h100

        for name in ("3g.40gb", "1g.10gb"):
            gpu, made = mig.create_gi(gpu, h100.BY_NAME[name])
            gpu, _ = mig.create_ci(gpu, made["giId"])
        changed = machine.with_xid(machine.with_gpu(one, gpu), 5, 79, lab.cluster.clock.now, lost=True)
        inside.update_status(machine.RESOURCE, changed)
        see.screen._look_again()
        await see.pilot.pause()
        shown = see.panel("map").split("gpu-node2")[1].split("gpu-node3")[0]
        assert "MIG devices 1 x 1g.10gb, 1 x 3g.40gb; 0 held" in shown
        row = next(line for line in shown.split("\n") if line.startswith("3 MIG"))
        assert row.count("|") == 4 and "3g.40gb ." in row and "1g" in row, row
        assert "5 LOST " in shown and "Xid 79" in shown
        await see.press("f4", "f4")
        assert "3g.40gb ." in see.drawn()

    drive(scenario, lab)


def test_pods_on_the_map() -> None:
    async def scenario(see: Driver) -> None:
        shown = see.panel("map")
        assert "team-llm/notebook-mia" in shown
        await see.run("kubectl cordon gpu-node2")
        assert "gpu-node2  Ready,SchedulingDisabled" in see.panel("map")

    drive(scenario, Lab.open("dgx-h100-busy"))


def test_the_editor_saves_and_leaves(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        async def editing() -> None:
            await see.until(lambda: isinstance(see.app.screen, EditorScreen))
            await see.pilot.pause()

        await see.type("vi note.txt\n")
        await editing()
        await see.type("hello\n  x: 1")
        assert "Editing note.txt" in see.drawn() and "  x: 1" in see.drawn()
        await see.press("ctrl+s")
        await see.ready()
        assert (await see.run("cat note.txt")).endswith("hello\n  x: 1\nroot@kadmin:~# ")
        await see.type("nano note.txt\n")
        await editing()
        await see.type("never ")
        await see.press("escape")
        assert "Escape again drops them" in see.drawn()
        await see.press("escape")
        await see.ready()
        assert "never" not in await see.run("cat note.txt")

    drive(scenario, lab)


def test_a_refused_command_and_its_exit_code(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        assert "not simulated" in await see.run("helm list")
        assert (await see.run("echo $?")).endswith("1\nroot@kadmin:~# ")
        assert "command not found" in await see.run("nosuch")

    drive(scenario, lab)


def test_a_session_changes_the_prompt_and_ctrl_d_ends_it(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        await see.run("ssh gpu-node2")
        assert see.text().endswith("root@gpu-node2:~# ")
        await see.press("ctrl+d")
        await see.ready()
        assert see.text().endswith("root@kadmin:~# ")

    drive(scenario, lab)


def test_nothing_is_asked_of_the_lab_while_a_line_runs(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        see.screen.face.hurry = False
        await see.type("sleep 300\n")
        await see.until(lambda: see.screen.work.steps >= 1)
        await see.press("f5")
        await see.press("f8")
        assert see.app.screen is see.screen
        await see.press("ctrl+c")
        await see.ready()
        assert "undone" not in see.text()

    drive(scenario, lab)


def test_colon_lines_of_the_shell_stay_the_shells(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        assert (await see.run(": > empty; ls")).endswith("\nempty\nroot@kadmin:~# ")
        assert "no word" not in await see.run(":(){ echo f; };:")
        assert "-- no word :nosuch" in await see.run(":nosuch")
        await see.run(":undo")
        assert "-- undone: $ :(){ echo f; };:" in see.text()

    drive(scenario, lab)


def test_clear_and_watch_use_the_screen(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        await see.run("echo before")
        await see.run("clear")
        assert "before" not in see.drawn()
        assert "before" in see.text()
        await see.run("watch -n 10 -g date +%M")
        assert see.text().count("Every 10.0s") == 1

    drive(scenario, lab)


def test_marked_text_is_copied_whole(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        from textual.geometry import Offset
        from textual.selection import Selection

        long = "y" * 150
        await see.run(f"echo {long}")
        terminal = see.screen.terminal
        first = next(i for i, row in enumerate(terminal.rows.rows) if row.kind == "output" and row.text[:3] == "yyy")
        see.screen.selections = {
            terminal: Selection(Offset(0, first), Offset(150 - len(terminal.rows.rows[first].text), first + 1))
        }
        await see.press("ctrl+c")
        assert see.app.clipboard == long
        assert "^C" not in see.text()

    drive(scenario, lab)


def test_a_question_of_a_program_is_answered_in_the_terminal(lab: Lab) -> None:
    async def scenario(see: Driver) -> None:
        await see.run("kubectl create configmap asked --from-literal=a=b")
        await see.type("kubectl delete cm asked -i\n")
        await see.until(lambda: "(y/N)" in see.text())
        await see.type("y\n")
        await see.ready()
        assert see.text().endswith(
            "You are about to delete the following 1 resource(s):\nconfigmap/asked\n"
            "Do you want to continue? (y/N): y\n"
            'configmap "asked" deleted from default namespace\nroot@kadmin:~# '
        ), see.text()

    drive(scenario, lab)
