"""`labsim api` as a process."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest


def test_it_prints_one_line_serves_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    config = tmp_path / "config"
    words = ["-m", "labsim.cli", "api", "--world", "dgx-h100", "--kubeconfig", str(config), "--clock", "frozen"]
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url, named = process.stdout.readline().split()
    assert named == f"KUBECONFIG={config}"
    assert url in config.read_text() and config.stat().st_mode & 0o777 == 0o600
    with urllib.request.urlopen(f"{url}/readyz", timeout=10) as answer:
        assert answer.read() == b"ok"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--host", "0.0.0.0"), "labsim api: --host 0.0.0.0: only loopback is served"),
        (("--clock", "fast"), "labsim api: --clock takes tick[:F], step or frozen, not 'fast'\n"),
        (("--clock", "tick:0"), "labsim api: --clock tick takes a factor above 0"),
        (("--port", "70000"), "labsim api: --port 70000: not a port\n"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from labsim.cli import main

    assert main(["api", "--world", "dgx-h100", *words]) == 2
    assert capsys.readouterr().err.startswith(told)


def test_without_the_extra_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from labsim.api import cli

    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "uvicorn" else object())
    assert cli.main([]) == 2
    assert capsys.readouterr().err == "labsim api: needs uvicorn: pip install 'labsim[api]'\n"
