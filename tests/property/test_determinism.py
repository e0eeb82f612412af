"""Same inputs, same bytes; undo and redo are exact; no line of any kind breaks the lab (design.md 1, 10)."""

# ruff: noqa: E501  (tables of typed lines)
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labsim import Lab
from labsim.worlds import audit
from tests.support import lines

ROOT = Path(__file__).parent.parent.parent


def start(seed: int, count: int, hash_seed: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.support.lines", str(seed), str(count)]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": hash_seed}, stdout=subprocess.PIPE, text=True
    )


def compare(seed: int, count: int) -> None:
    processes = [start(seed, count, hash_seed) for hash_seed in ("1", "4242")]
    first, second = (process.communicate()[0].splitlines() for process in processes)
    summary = json.loads(first[-1])
    print(summary["shares"])
    assert len(first) == count + 1
    for ours, theirs in zip(first, second, strict=True):
        assert ours == theirs
    assert [process.returncode for process in processes] == [0, 0], summary["shares"]
    assert summary["audit"] == []


def test_three_hundred_lines_in_two_processes() -> None:
    compare(7, 300)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 26))
def test_many_lines_in_two_processes(seed: int) -> None:
    compare(seed, 600)


def undo_and_redo(seed: int, count: int, world: str = "dgx-h100-busy") -> None:
    """After every input: undo gives the state before it, redo the state after it; at the end all is undone."""
    lab = Lab.open(world=world, seed=seed)
    hashes = [lab.state_hash()]
    counts = lines.Counts()
    for entry in lines.script(seed, count):
        if "undo" in entry:
            continue
        out = lines.act(lab, entry)
        if "line" in entry:
            counts.add(entry["line"], out)
        hashes.append(lab.state_hash())
        assert lab.undo().exit_code == 0
        assert lab.state_hash() == hashes[-2], entry
        again = lab.redo()
        assert (again.stdout, again.stderr, again.exit_code) == (out.stdout, out.stderr, out.exit_code), entry
        assert lab.state_hash() == hashes[-1], entry
    assert audit.violations(lab.cluster.journal.writes) == []
    for before in reversed(hashes[:-1]):
        assert lab.undo().exit_code == 0
        assert lab.state_hash() == before
    assert lab.undo().exit_code == 1


def test_undo_of_every_line() -> None:
    undo_and_redo(11, 60)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30, 36))
def test_undo_of_many_lines(seed: int) -> None:
    undo_and_redo(seed, 300)


ODD = (
    "echo 'open", 'echo "open', "echo `open", "echo $(open", "cat <<EOF", "if true; then", "}", ")", "((", "[[ a", "case x in",
    ";", "&&", "| cat", "a |", "> ", "<", "\\", "!", "!!", "!x", "kubectl", "kubectl ''", "kubectl get '' ''", "kubectl -",
    "kubectl --", "kubectl get pods -o jsonpath='{'", "kubectl get pods -o go-template='{{'", "kubectl get pods --v=99",
    "kubectl get pods -n $'\\x00'", "\x00", "echo a\x00b", "\x1b[2J", "\udc80\udcff", "\ufffe", "é" * 300, "\t\t", " " * 5000,
    "kubectl label node gpu-node1 " + "a" * 5000 + "=b", "kubectl apply -f /", "kubectl apply -f -", "cat", "exec bash", "exit 3",
    "cd /nowhere", "rm -rf / --no-preserve-root", "ls", "export PATH=", "ls", "unset HOME; cd", "kill -9 $$", "trap x EXIT",
    "ssh gpu-node2", "exit", "ssh nowhere", "sudo -i", "exit", "kubectl exec -it -n gpu-operator ds/nvidia-driver-daemonset -- bash",
    "exit", "f() { f; }; f", "x=$x$x$x; echo ${x:0:1}", "echo {1..100000}", "printf %0999999d 1 | wc -c", "yes | head -1",
    "kubectl edit node gpu-node1", "vi x", "read a", "set -e; false", "set -u; echo $nope", "alias kubectl=false; kubectl get nodes",
    "unalias kubectl", "kubectl get $(kubectl get nodes -o name | tr '\\n' ' ')", "kubectl delete node gpu-node1 gpu-node2 gpu-node3",
    "kubectl delete ns kube-system --wait=false", "kubectl delete pods -A --all --force --wait=false", "echo $((1/0))", "echo $((2**99))",
)  # fmt: skip


def check_alive(lab: Lab) -> None:
    out = lab.run("printf '%s\\n' alive")
    assert (out.stdout, out.exit_code) == ("alive\n", 0), out
    lab.settle(5)


def broken(text: str) -> bool:
    return "internal error" in text or "Traceback" in text or "panicked" in text


def test_odd_lines_leave_the_lab_usable() -> None:
    lab = Lab.open(world="dgx-h100")
    for line in ODD:
        before = len(lab.shell.sessions)
        out = lab.run(line)
        assert not broken(out.stdout + out.stderr), (line[:80], out.stderr[-400:])
        if not out.ended and len(lab.shell.sessions) == before:
            check_alive(lab)


@pytest.mark.parametrize(
    "line",
    [
        ":(){ :|:& };:",
        "while true; do :; done",
        "while true; do echo x; done | head -1",
        "until false; do sleep 3; done",
        "echo " + "a" * 1_000_000,
        "a" * 1_000_000,
        "'" * 999_999,
        "(" * 20_000,
        "$(" * 3_000,
        "x=1; " * 40_000,
    ],
    ids=["fork-bomb", "loop", "loop-pipe", "wait", "1MB-word", "1MB-name", "quotes", "parens", "subst", "many"],
)
def test_heavy_lines(line: str) -> None:
    lab = Lab.open(world="dgx-h100")
    lab.run("touch kept; kept=1")
    before = lab.state_hash()
    out = lab.run(line)
    assert not broken(out.stdout + out.stderr), out.stderr[-400:]
    assert lab.run("ls; echo $kept").stdout == "kept\n1\n"
    while lab.state_hash() != before:
        assert lab.undo().exit_code == 0


_words = st.lists(
    st.one_of(
        st.sampled_from(
            "kubectl get pods nodes -A -o yaml label gpu-node1 a=b | && ; > < ( ) ' \" ` $x $(date) \\ {{ }} * ~ # & ! =".split(
                " "
            )
        ),
        st.text(max_size=8),
    ),
    max_size=8,
)


_anything = st.one_of(_words.map(" ".join), st.binary(max_size=40).map(lambda b: b.decode("utf-8", "surrogateescape")))


@pytest.fixture(scope="module")
def shared() -> Lab:
    return Lab.open(world="dgx-h100")


def try_line(lab: Lab, line: str) -> None:
    before = lab.state_hash()
    out = lab.run(line)
    assert not broken(out.stdout + out.stderr), (line, out.stderr)
    if lab.state_hash() != before:
        lab.undo()
    assert lab.state_hash() == before


_checks = list(HealthCheck)


@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=_checks)
@given(line=_anything)
def test_any_line(shared: Lab, line: str) -> None:
    try_line(shared, line)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, database=None, suppress_health_check=_checks)
@given(line=_anything)
def test_very_many_lines(shared: Lab, line: str) -> None:
    try_line(shared, line)
