"""kubectl itself reads and prints generated objects; every byte is compared."""

from __future__ import annotations

import json
import random

import pytest
from binary import kubectl, kubectl_path

from labsim.kube.codec import DecodeError, dump_json, dump_kyaml, dump_yaml, load_all

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

HEAD = "apiVersion: v1\nkind: Foo\nmetadata:\n  name: a\n"
PARTS = [
    "a", "b", "y", "n", "1", "0", "2", "9", ".", "-", "_", "/", ":", " ", "#", "'", '"', "\\", "\n", "\t", "é", "😀",
    "\0",
    "\r", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?", "<", "=", "~", "+", "e", "x", "T", "Z",
    "\ufeff", "\xa0", "null", "true", "---", "\n\n", "  ", "中", "--- ",
]  # fmt: skip
NUMBERS = [None, True, False, 0, -1, 1.5, 1e-7, 1e22, 123456789012, 1234567.25, 0.1, 1e100, 2**62, 3.0e20]


def text(chance: random.Random) -> str:
    return "".join(chance.choice(PARTS) for _ in range(chance.choice([0, 1, 1, 2, 2, 3, 3, 4, 6, 10, 30, 80])))


def value(chance: random.Random, depth: int = 0) -> object:
    kind = chance.random()
    if depth < 4 and kind < 0.2:
        return {text(chance): value(chance, depth + 1) for _ in range(chance.randint(0, 5))}
    if depth < 4 and kind < 0.4:
        return [value(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    return text(chance) if kind < 0.85 else chance.choice(NUMBERS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("output", "dump"), [("yaml", dump_yaml), ("json", dump_json), ("kyaml", dump_kyaml)])
def test_printing(seed: int, output: str, dump: object) -> None:
    assert callable(dump)
    chance = random.Random(seed)
    stream = "\n".join(
        json.dumps({"apiVersion": "v1", "kind": "Foo", "metadata": {"name": "a"}, "v": value(chance)})
        for _ in range(150)
    )
    found = kubectl("label", "--local", "-f", "-", "x=y", "-o", output, stdin=stream)
    assert found.stderr == ""
    mine = [dump({**obj, "metadata": {"labels": {"x": "y"}, "name": "a"}}) for obj in load_all(stream)]
    assert "".join(mine) == found.stdout


BROKEN = [
    "v: [1, 2\n",
    "v: {a: b\n",
    "v: a: b\n",
    "v: 'abc\n",
    'v: "a\\q"\n', "v: *x\n",
    "v: &x [*x]\n",
    "v:\n\t- a\n", " v: 1\n",
    "v: @a\n",
    "v: `a\n",
    "v: %a\n",
    "v: |x\n  a\n", "- a\n", "? a\n",
    "v: !!int abc\n",
    "v: .nan\n",
    "v: {~: 1}\n",
    "v: {[a]: 1}\n",
    "v: {{a: 1}: 1}\n",
    "v: {<<: 3}\n",
    "v: \x01\n",
    "v: a\n---foo\n", "%FOO x\n",
    "v: {a: , b: }\n",
    "v: {a:1}\n",
    "v: [a:b]\n", "key\n",
    "v: x\nkey\n",
    "v: x\nkey\nb: c\n",
    "v: -\n",
    "v: ? x\n",
    "v: [\n]\nw: }\n",
    "v: |\n  a\n b\nc: d\n",
    "v: 'a' b\n",
    "v: [a] b\n",
    "v: &\n",
    "v: *\n",
    "v: !\n", "a b: &x c\n",
    'v: "\\x4"\n', "v: ]\n",
    "v: a\rw: b\n",
    "v: \x7f\n",
    "v: \ufeff\n",
    "v: -\n  - a\n",
    "v:\n- a\n b\n",
    "v:\n  a: 1\n b: 2\n",
    "v: {18446744073709551615: 1}\n",
    '{"a": [1 2}', '{"a": 1', '{"a": tru}', '{"a": "x', '{"a": 1,}}x', '{"a": "\\q"}\n[', '{a: 1', "{]",
]  # fmt: skip


def text_of(broken: str) -> str:
    return broken if broken.startswith("{") else HEAD + broken


@pytest.mark.parametrize("broken", BROKEN)
def test_reading_what_is_broken(broken: str) -> None:
    found = kubectl("label", "--local", "-f", "-", "x=y", "-o", "json", stdin=text_of(broken))
    try:
        documents = load_all(text_of(broken), "STDIN")
    except DecodeError as error:
        assert found.stderr == f"error: {error}\n"
        return
    if "Object 'Kind' is missing" in found.stderr:  # it was read: what kubectl then says is not the codec's business
        return
    assert found.stderr == ""
    assert found.stdout == "".join(
        dump_json({**obj, "metadata": {"labels": {"x": "y"}, "name": "a"}}) for obj in documents
    )
