"""Both faces on a real pseudo-terminal, and the plain one on a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.driving import TICKET
from tests.ui.terminals import Session

pytest.importorskip("pty", reason="no pseudo-terminals here")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    sessions: list[Session] = []

    def begin(*arguments: str, **extra: str) -> Session:
        sessions.append(Session(list(arguments), tmp_path / "data", **extra))
        return sessions[-1]

    yield begin
    for session in sessions:
        session.close()


def test_no_color_draws_shades_of_grey_only(start: Any) -> None:
    see = start("play", "--world", "dgx-h100", NO_COLOR="1")
    see.expect("root@kadmin:~#")
    see.send("\x1bOS\x1bOS\x1bOS")  # F4: ticket, checklist, map
    see.expect("mig.config all-disabled")
    see.send("\x1b[21~")  # F10
    assert see.ended() == 0
    for kind, values in re.findall(r"[34]8;([25]);([\d;]+?)(?=m|;[34]8;)", see.text):
        numbers = [int(v) for v in values.split(";")]
        if kind == "5":
            assert numbers[0] in (0, 7, 8, 15, 16, 59, 102, 145, 188, 231) or numbers[0] >= 232, values
        else:
            assert len(set(numbers[:3])) == 1, values
    assert see.text.rstrip().endswith("\x1b[?1004l") or "\x1b[?1049l" in see.text  # the terminal is given back


def test_a_killed_screen_loses_no_typed_line(start: Any) -> None:
    see = start("play", "--world", "dgx-h100")
    see.expect("root@kadmin:~#")
    see.send("echo kept-$((40+2))\r")
    see.expect("kept-42")
    see.send("sleep 600\r")
    see.expect("Ctrl-C stops")
    see.kill()
    again = start("resume", "--plain")
    again.expect("root@kadmin:~#")
    again.send("history\r")
    shown = again.expect("history")
    shown = again.expect("3  history")
    assert "1  echo kept-$((40+2))" in shown and "2  sleep 600" in shown
    again.expect("root@kadmin:~#")
    again.send("\x04")
    assert again.ended() == 0


def editing(see: Session) -> None:
    """Until the editor takes keys."""
    see.expect("\x1b[?2004h")
    time.sleep(0.2)


def test_the_plain_prompt(start: Any) -> None:
    see = start("play", "--world", "dgx-h100", "--plain")
    see.expect("root@kadmin:~#")
    see.send("echo on\\\rtwo\r")
    see.expect("ontwo\r\n")
    see.expect("root@kadmin:~#")
    see.send("hostn\t\r")
    see.expect("kadmin\r\n")
    see.expect("root@kadmin:~#")
    see.send("\x12ont")  # Ctrl-R
    see.expect("i-search")
    see.send("\x03")
    see.expect("root@kadmin:~#")
    see.send("sleep 3600\r")
    see.expect("\x1b[?2004l")
    time.sleep(0.5)  # the terminal has to be back from line editing for Ctrl-C to be a signal
    see.send("\x03")
    see.expect("root@kadmin:~#")
    see.send("echo code $?\r")
    see.expect("code 130\r\n")
    see.expect("root@kadmin:~#")
    see.send("vi note.txt\r")
    see.expect("Esc then Enter saves")
    editing(see)
    see.send("hello\rthere\x1b\r")
    see.expect("root@kadmin:~#")
    see.send("cat note.txt\r")
    see.expect("hello\r\nthere\r\n")
    see.expect("root@kadmin:~#")
    see.send("nano note.txt\r")
    see.expect("Esc then Enter saves")
    editing(see)
    see.send("gone \x03")
    see.expect("root@kadmin:~#")
    see.send("wc -l note.txt\r")
    see.expect("2 note.txt")
    see.send(":undo\r")
    see.expect("Back at step")
    see.send("exit\r")
    assert see.ended() == 0


def test_the_plain_face_on_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "mark-a-node.yaml").write_text(TICKET)
    lines = "cat <<END\nraw\nEND\nkubectl label node gpu-node2 team=vision\n:answer gpus b\n:checklist\n:submit\n"
    run = subprocess.run(
        [sys.executable, "-m", "labsim.cli", "play", "mark-a-node", "--tickets", str(tmp_path)],
        input=lines, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")},
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("raw\nnode/gpu-node2 labeled\n[x] reached: gpu-node2 carries the label\nNoted.\n")
    assert "Score 100 of 100" in run.stdout
