"""Lab: undo and redo of every kind of input, forks, saving and resuming, limits of waiting."""

from __future__ import annotations

from pathlib import Path

import pytest

from labsim.lab import Lab
from labsim.recipe import RecipeError

LINES = [
    "kubectl label node gpu-node2 team=vision",
    "x=5; echo $x > note.txt",
    "kubectl get nodes -L team | grep vision",
    "sleep 30",
    "kubectl annotate node gpu-node1 note=hello && cd /tmp",
    "kubectl cordon gpu-node3",
    "false",
    "echo $? $x; pwd",
]


@pytest.fixture
def lab() -> Lab:
    return Lab.open("dgx-h100", seed=1, freeze_objects=True)


def test_undo_of_every_line_returns_the_hash_before_it_and_redo_the_one_after(lab: Lab) -> None:
    hashes = [lab.state_hash()]
    for line in LINES:
        lab.run(line)
        hashes.append(lab.state_hash())
    assert len(set(hashes)) == len(hashes)
    for wanted in reversed(hashes[:-1]):
        assert lab.undo().exit_code == 0
        assert lab.state_hash() == wanted
    assert lab.undo().exit_code == 1
    for wanted in hashes[1:]:
        lab.redo()
        assert lab.state_hash() == wanted


def test_a_line_costs_one_step_and_a_comment_none(lab: Lab) -> None:
    start = lab.cluster.clock.now
    assert lab.run("kubectl get nodes").step == 1
    assert lab.cluster.clock.now == start + 10_000
    assert lab.run("# nothing").step == 1
    assert lab.run("").step == 1
    assert lab.run("echo 'open").exit_code == 2
    assert lab.cluster.clock.now == start + 10_000
    lab.run("sleep 60")
    assert lab.cluster.clock.now >= start + 70_000


def test_what_waits_for_ever_ends(lab: Lab) -> None:
    outcome = lab.run("until false; do sleep 600; done")
    assert outcome.exit_code == 130
    assert "360 steps" in outcome.stderr
    assert lab.run("echo still here").stdout == "still here\n"


def test_settle_on_a_fresh_world_writes_nothing(lab: Lab) -> None:
    revision = lab.cluster.journal.revision
    assert lab.settle().exit_code == 0
    assert lab.cluster.journal.revision == revision
    assert lab.advance(30).changes == []


def test_a_fork_is_independent(lab: Lab) -> None:
    lab.run("kubectl label node gpu-node1 a=b")
    before = lab.state_hash()
    fork = lab.fork()
    assert fork.state_hash() == before
    fork.run("kubectl label node gpu-node1 a=c --overwrite; echo hi > file")
    assert lab.state_hash() == before
    assert lab.client.get("nodes", "gpu-node1")["metadata"]["labels"]["a"] == "b"
    lab.run("kubectl label node gpu-node1 a=c --overwrite; echo hi > file")
    assert lab.state_hash() == fork.state_hash()


def test_saved_inputs_play_to_the_same_hash(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "lab.jsonl"
    lab.save(path)
    for line in LINES:
        lab.run(line)
    lab.undo()
    lab.edit("pod.yaml", "kind: Pod\n")
    lab.fault("xid", node="gpu-node2", gpu=3, code=79)
    lab.settle()
    again = Lab.resume(path, freeze_objects=True)
    assert again.resumed == ""
    assert again.state_hash() == lab.state_hash()


def test_a_file_cut_short_opens_at_the_last_whole_input(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "lab.jsonl"
    lab.save(path)
    lab.run("echo one > a")
    wanted = lab.state_hash()
    lab.run("echo two > b")
    path.write_bytes(path.read_bytes()[:-7])
    assert Lab.resume(path).state_hash() == wanted


@pytest.mark.parametrize("content", ["", "no json\n", '{"a": 1}\n', '{"labsim": "0", "format": 99}\n', "\xff"])
def test_what_is_no_lab_file_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lab.jsonl"
    path.write_text(content, "latin-1")
    with pytest.raises(RecipeError) as error:
        Lab.resume(path)
    assert "\n" not in str(error.value)


def test_an_interrupt_is_part_of_the_recipe(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "lab.jsonl"
    lab.save(path)
    looks = iter([False] * 4 + [True] * 100)
    lab.pace.interrupted = lambda: next(looks)
    outcome = lab.run("sleep 3000; echo done")
    assert outcome.exit_code == 130
    assert outcome.stdout == ""
    assert Lab.resume(path).state_hash() == lab.state_hash()


def test_short_waits_add_up_to_the_limit_of_a_line() -> None:
    lab = Lab.open(world="dgx-h100")
    for line in ("watch -n 5 kubectl get nodes", "until false; do sleep 4; done"):
        before = lab.step
        out = lab.run(line)
        assert (out.exit_code, out.stderr) == (130, "labsim: wait ended: 360 steps in one line\n")
        assert lab.step - before >= 360


def test_a_terminal_sees_both_streams_in_their_order(lab: Lab) -> None:
    first, second = lab.run("kubectl logs -n gpu-operator ds/nvidia-mig-manager --tail=1").screen[:2]
    assert first == ("stderr", first[1])
    assert first[1].startswith("Found 3 pods, using pod/")
    assert second[1].startswith("Defaulted container")
    shown = "".join(text for _, text in lab.run("ls nope; echo hi; ls nope2 | cat").screen)
    assert [line.split(":")[0] for line in shown.splitlines()] == ["ls", "hi", "ls"]


def test_controllers_try_again_where_the_api_refuses_them(lab: Lab) -> None:
    for line in (
        "kubectl delete node gpu-node3",
        "sleep 60",
        "kubectl delete ns gpu-operator",
        "kubectl delete crd clusterpolicies.nvidia.com",
        "kubectl taint nodes --all a=b:NoExecute",
        "kubectl delete pods --all -A --wait=false",
        "sleep 120",
    ):
        assert lab.run(line).exit_code == 0, line
    names = [node["metadata"]["name"] for node in lab.client.list("nodes")]
    assert names == ["gpu-node1", "gpu-node2"]
    assert lab.cluster.loop.failures
