"""World files that cannot be used: one line with file, line, field and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from labsim.documents import DocumentError
from labsim.worlds import files, open_world
from labsim.worlds.schema import duration, load

BASE = (files.FOLDER / "dgx-h100.yaml").read_text(encoding="utf-8")

# (what is changed, into what, the error)
CASES: list[tuple[str, str, str]] = [
    ("title: Three", "titel: Three", "w.yaml:4: titel: a known field (this one is unknown here)"),
    ("age: 31d ", "age: 31 days ", "w.yaml:9: age: a number and one of s, m, h, d (such as 31d), found '31 days'"),
    ("start: 2026-11-10T09:41:00Z", "start: tomorrow", "w.yaml:8: start: a date and time such as 2026-11-10T09:41:00Z, "
     "found 'tomorrow'"),
    ("  host: kadmin", "  host: K admin", "w.yaml:13: admin.host: a name of lower-case letters, digits, '-' "
     "and '.', found 'K admin'"),
    ("first_ip: 10.141.0.11", "first_ip: 10.141.0", "w.yaml:25: nodes[0].first_ip: an IPv4 address, found '10.141.0'"),
    ("names: [gpu-node1, gpu-node2, gpu-node3]", "names: [gpu-node1, gpu-node1]",
     "w.yaml:23: nodes[0].names[1]: each node once, found 'gpu-node1' again"),
    ("    kernel:", "    kernal:", "w.yaml:27: nodes[0].kernal: a known field (this one is unknown here)"),
    ("nodes:\n", "nodes: 3\nnodez:\n", "w.yaml:23: nodez: a known field (this one is unknown here)"),
    ("step: 10s", "step: 10", "w.yaml:10: step: input should be a valid string, found 10"),
    ("name: dgx-h100\n", "name: dgx-h100\nname: two\n", "w.yaml:4: name: each key once"),
    ("step: 10s", "step: [", "w.yaml:13: valid YAML"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "text"), CASES)
def test_errors_are_one_line(tmp_path: Path, old: str, new: str, text: str) -> None:
    assert old in BASE
    path = tmp_path / "w.yaml"
    path.write_text(BASE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        load(str(path))
    assert str(caught.value).startswith(text.split(": valid YAML")[0])
    assert "\n" not in str(caught.value)


def test_extending_a_world(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "extends: dgx-h100\nname: mine\ntitle: Mine\ndescription: d\nstep: 5s\n",
        encoding="utf-8",
    )
    world = load(str(path))
    assert (world.name, world.step, len(world.nodes), len(world.charts)) == ("mine", "5s", 1, 3)
    assert open_world(str(path), 1).loop.quiet()


def test_problems_of_extends(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text("extends: two\nname: one\ntitle: t\ndescription: d\n")
    two.write_text("extends: one\nname: two\ntitle: t\ndescription: d\n")
    with pytest.raises(DocumentError, match=r"two.yaml: extends: a world that does not extend this one in turn"):
        load(str(one))
    one.write_text("extends: nowhere\nname: one\ntitle: t\ndescription: d\n")
    with pytest.raises(DocumentError, match="nowhere: the name of a world"):
        load(str(one))
    with pytest.raises(DocumentError, match="an existing world file"):
        load(str(tmp_path / "none.yaml"))
    one.write_text("extends: {a: b}\n")
    with pytest.raises(DocumentError):
        load(str(one))


def test_a_workload_that_is_no_object(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    head = "extends: dgx-h100\nname: mine\ntitle: Mine\ndescription: d\nworkloads:\n"
    path.write_text(head + "  - age: 3d\n    manifest: {kind: Pod}\n")
    with pytest.raises(DocumentError) as caught:
        load(str(path))
    assert str(caught.value) == "mine.yaml:7: workloads[0].manifest: an object with apiVersion"
    path.write_text(head + "  - age: 40d\n    manifest: {apiVersion: v1, kind: Pod, metadata: {name: x}}\n")
    with pytest.raises(DocumentError) as caught:
        load(str(path))
    assert str(caught.value) == "mine.yaml:6: workloads[0].age: at most the world's age, 31d"


def test_durations() -> None:
    assert [duration(text) for text in ("10s", "90m", "30h", "31d")] == [10_000, 5_400_000, 108_000_000, 2_678_400_000]
