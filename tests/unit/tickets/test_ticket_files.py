"""A malformed ticket is refused in one line that names file, line, field and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from labsim.documents import DocumentError, parse
from labsim.tickets.load import compile_ticket, instance

GOOD = """\
schema: labsim.ticket/v1
id: cordon-it
revision: 1
title: Cordon {{node}}
level: quick
target_seconds: 60
world: dgx-h100
params:
  node: {choice: [gpu-node1, gpu-node2]}
seeds: {deployed: [1, 2]}
story: Take {{node}} out of service.
goals:
  - id: cordoned
    title: "{{node}} is cordoned"
    points: 1
    check: {object: {resource: nodes, name: "{{node}}", path: .spec.unschedulable, value: true}}
guards:
  - id: kept
    title: It still exists
    severity: fatal
    check: {object: {resource: nodes, name: "{{node}}", op: exists}}
answers:
  - id: cordon
    steps: ['kubectl cordon {{node}}']
rejects:
  - id: nothing
    kind: no-op
    fails: [cordoned]
"""

# (what is written, what it is replaced by, line, words of the message)
MISTAKES = [
    ("schema: labsim.ticket/v1", "schema: labsim.ticket/v2", 1, "schema: input should be 'labsim.ticket/v1'"),
    ("level: quick", "level: easy", 5, "level: input should be 'quick', 'core' or 'deep'"),
    ("target_seconds: 60", "target_seconds: 600", 1, "target_seconds between 30 and 240 for level quick"),
    ("target_seconds: 60", "target_seconds: soon", 6, "target_seconds: input should be a valid integer"),
    ("revision: 1", "revision: 0", 3, "revision: input should be greater than or equal to 1"),
    ("id: cordon-it", "id: Cordon_It", 2, "id: string should match pattern"),
    ("story: Take", "sotry: Take", 11, "sotry: a known field (this one is unknown here)"),
    ("title: Cordon {{node}}\n", "", 1, "title: a value (this field is required)"),
    ("points: 1", "points: 0", 15, "goals[0].points: input should be greater than 0"),
    ("points: 1", "points: one", 15, "goals[0].points: input should be a valid integer"),
    ("points: 1", "point: 1", 15, "goals[0].point: a known field (this one is unknown here)"),
    ("value: true}}\nguards", "valeu: true}}\nguards", 16, "goals[0].check.object.valeu: a known field"),
    ("path: .spec.unschedulable, value: true", "path: .spec.unschedulable", 16, "a value for op =="),
    ("op: exists", "op: exist", 21, "guards[0].check.object.op: input should be '=='"),
    ("op: exists", "op: exists, value: 1", 21, "no value with op exists"),
    ('{object: {resource: nodes, name: "{{node}}", op: exists}}', "{}", 21, "exactly one kind of check"),
    ("severity: fatal", "severity: bad", 20, "guards[0].severity: input should be 'minor', 'major' or 'fatal'"),
    ("{{node}} out", "{{nod}} out", 11, "story: a known parameter, found {{nod}}"),
    ("kubectl cordon {{node}}", "kubectl cordon {{node.name}}", 24, "answers[0].steps[0]: a known parameter"),
    ("{choice: [gpu-node1, gpu-node2]}", "{choice: []}", 9, "params.node: choice: List should have at least 1 item"),
    ("{choice: [gpu-node1, gpu-node2]}", "{range: [1, 2], value: 3}", 9, "exactly one of value, choice, range"),
    ("seeds: {deployed: [1, 2]}", "seeds: {deployed: []}", 10, "seeds: deployed: List should have at least 1 item"),
    ("seeds: {deployed: [1, 2]}\n", "", 1, "seeds: a value (this field is required)"),
    ("fails: [cordoned]", "fails: [corded]", 1, "reject nothing: fails names goals (no goal corded)"),
    ("fails: [cordoned]", "fails: []", 26, "a reason: goals it fails or guards it trips"),
    ("kind: no-op", "kind: noop", 27, "rejects[0].kind: input should be 'no-op'"),
    ("steps: ['kubectl cordon {{node}}']", "steps: [{line: a, settle: 3}]", 24, "exactly one of line, edit, answer"),
    ("answers:\n  - id: cordon\n    steps: ['kubectl cordon {{node}}']\n", "answers: []\n", 22, "at least 1 item"),
    ("world: dgx-h100\n", "world: dgx-h100\nworld: other\n", 8, "world: each key once"),
    ("world: dgx-h100", "world: !!python/object:os.system x", 7, "world: plain data, found tag"),
    ("  - id: cordoned", "  - id: [cordoned", 14, "valid YAML"),
    ("title: It still", "title: *nowhere", 19, "valid YAML"),
]


@pytest.mark.parametrize(("old", "new", "line", "words"), MISTAKES, ids=[str(i) for i in range(len(MISTAKES))])
def test_mistake(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    path = tmp_path / "cordon-it.yaml"
    assert GOOD.count(old) >= 1
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(DocumentError) as error:
        compile_ticket(path)
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith(f"cordon-it.yaml:{line}: "), text
    assert words in text, text


def test_the_good_one_renders_by_seed(tmp_path: Path) -> None:
    path = tmp_path / "cordon-it.yaml"
    path.write_text(GOOD)
    compiled = compile_ticket(path)
    rendered = {seed: instance(compiled, seed)["answers"][0]["steps"][0]["line"] for seed in range(8)}
    assert set(rendered.values()) == {"kubectl cordon gpu-node1", "kubectl cordon gpu-node2"}
    assert instance(compiled, 3) == instance(compiled, 3)


HOSTILE = {
    "aliases": "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(8)
    ),
    "deep": "a: " + "[" * 200 + "]" * 200,
    "cyclic": "a: &a {b: *a}",
    "not a mapping": "- a\n- b\n",
    "empty": "",
    "tab": "a:\n\t- b\n",
    "binary": "a: \x00",
    "complex key": "? [a, b]\n: c\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_yaml_ends_in_one_line(name: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse(HOSTILE[name], "x.yaml")
    assert "\n" not in str(error.value)
