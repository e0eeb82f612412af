"""Every rule of `labsim ticket lint`: what breaks it is named with file and line; the good ticket breaks none."""

from __future__ import annotations

from pathlib import Path

import pytest

from labsim.authoring.cli import main
from labsim.tickets import catalogue, lint

GOOD = """\
schema: labsim.ticket/v1
id: cordon-one
revision: 1
title: Cordon {{node}}
level: quick
target_seconds: 60
world: dgx-h100
params:
  node: {choice: [gpu-node1, gpu-node2]}
  rack: {choice: [rack-a17, rack-b22]}
seeds: {deployed: [1, 2]}
story: Take {{node}} out of service and label it rack={{rack}}.
goals:
  - id: cordoned
    title: No new pods
    points: 1
    check: {object: {resource: nodes, name: "{{node}}", path: .spec.unschedulable, value: true}}
  - id: labelled
    title: The rack is known
    points: 1
    check: {object: {resource: nodes, name: "{{node}}", path: .metadata.labels.rack, value: "{{rack}}"}}
    references: [docs]
guards:
  - id: third
    title: gpu-node3 stays in service
    severity: major
    check: {object: {resource: nodes, name: gpu-node3, path: .spec.unschedulable, op: absent}}
hints:
  - text: Two verbs, one node.
answers:
  - id: cordon
    steps: ['kubectl cordon {{node}} && kubectl label node {{node}} rack={{rack}}']
rejects:
  - {id: nothing, kind: no-op, fails: [cordoned, labelled]}
  - {id: label, kind: shortcut, steps: ['kubectl label node {{node}} rack={{rack}}'], fails: [cordoned]}
  - {id: other, kind: wrong-target, steps: [kubectl cordon gpu-node3], fails: [cordoned, labelled], trips: [third]}
references:
  - {id: docs, title: Some page, checked: "2026-11-10"}
"""

LONG = "echo " + " ".join(f"word{i}" for i in range(30))

# (what is written, what it is replaced by, line, words of the finding)
STATIC = [
    ("story: Take {{node}}", "story: Take gpu-node1", 12, "story: {{node}} in place of the literal gpu-node1"),
    ("The rack is known", "The rack is rack-b22", 19, "{{rack}} in place of the literal rack-b22"),
    ("text: Two verbs", "text: Look at gpu-node2, two verbs", 29, "{{node}} in place of the literal gpu-node2"),
    ("kind: shortcut", "kind: misconception", 33, "rejects: at least one reject of kind shortcut"),
    ("kind: wrong-target", "kind: misconception", 33, "rejects: at least one reject of kind wrong-target"),
    ("kind: no-op", "kind: misconception", 33, "rejects: at least one reject of kind no-op"),
    ("kind: no-op,", "kind: no-op, steps: [kubectl cordon gpu-node3],", 34, "no step in a reject of kind no-op"),
    (", trips: [third]", "", 24, "a reject that trips third (else the check is dead)"),
    ("fails: [cordoned]}", "fails: [labelled]}", 0, ""),
    ('checked: "2026-11-10"', "checked: last week", 38, "references[0].checked: the date of the last look"),
    ("references: [docs]", "references: [page]", 22, "goals[1].references[0]: the id of a reference (no page)"),
    (
        "text: Two verbs",
        "text: Type kubectl cordon {{node}}. Two verbs",
        29,
        "a hint without a whole command of an answer",
    ),
    ("text: Two verbs, one node.", f"text: {LONG[5:]}", 0, ""),
    ("deployed: [1, 2]", "deployed: [1, 2, 1]", 0, ""),
    (" and label it rack={{rack}}", "", 21, "value: a value that the story or the goal's title names, found rack-"),
]


def findings(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "cordon-one.yaml"
    path.write_text(text)
    catalogue.compiled(path)
    return [str(finding) for finding in lint.static(path)]


def test_the_good_one_has_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, GOOD) == []


@pytest.mark.parametrize(("old", "new", "line", "words"), STATIC, ids=[str(i) for i in range(len(STATIC))])
def test_rule(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert GOOD.count(old) == 1
    found = findings(tmp_path, GOOD.replace(old, new))
    if not words:
        assert found == []
        return
    assert len(found) == 1, found
    assert found[0].startswith(f"cordon-one.yaml:{line}: "), found
    assert words in found[0], found


def test_a_hint_that_shares_a_long_run_with_an_answer(tmp_path: Path) -> None:
    text = GOOD.replace("steps: ['kubectl cordon", f"steps: ['{LONG} end && kubectl cordon")
    assert findings(tmp_path, text) == []
    found = findings(tmp_path, text.replace("Two verbs, one node.", LONG))
    assert [f.split(": ")[1] for f in found] == ["hints[0].text"]
    assert "less than 120 characters of an answer" in found[0]


def test_seeds_that_draw_the_same_are_named(tmp_path: Path) -> None:
    found = findings(tmp_path, GOOD.replace("deployed: [1, 2]", f"deployed: {list(range(5))}"))
    assert len(found) >= 1
    assert all("cordon-one.yaml:11: seeds: seeds that differ (seeds " in line for line in found)


def test_an_entry_that_names_every_value_is_no_slip(tmp_path: Path) -> None:
    one = "{object: {resource: nodes, name: gpu-node1, op: exists}}"
    both = f"check: {{any: [{one}, {one.replace('node1', 'node2')}]}}"
    old = "check: {object: {resource: nodes, name: gpu-node3, path: .spec.unschedulable, op: absent}}"
    assert findings(tmp_path, GOOD.replace(old, both)) == []


GOAL, GUARD = "path: .spec.unschedulable, value: true", "path: .spec.unschedulable, op: absent"
SYMPTOM = "symptom:\n  - allocatable: {node: gpu-node3, resource: cpu, value: 1}\ngoals:\n"
WORLD = [
    (GOAL, "op: exists", 17, "goals[0].check: a goal that is not yet true at the start (seed 1"),
    (GUARD, GOAL, 27, "guards[0].check: a guard that holds"),
    ("resource: nodes, name: gpu-node3", "resource: nodez, name: gpu-node3", 27, "there is no resource nodez"),
    ("goals:\n", SYMPTOM, 14, "symptom[0]: a symptom that shows at the start (seed 1"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), WORLD, ids=[str(i) for i in range(len(WORLD))])
def test_the_fresh_world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, line: int, words: str
) -> None:
    path = tmp_path / "cordon-one.yaml"
    path.write_text(GOOD.replace(old, new).replace("deployed: [1, 2]", "deployed: [1]"))
    assert main(["lint", "--world", str(path)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert any(one.startswith(f"cordon-one.yaml:{line}: ") and words in one for one in told), told


def test_the_catalogue_has_no_findings() -> None:
    assert [str(finding) for path in catalogue.files() for finding in lint.static(path)] == []
