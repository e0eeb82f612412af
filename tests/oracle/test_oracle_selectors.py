"""kubectl reads generated label selectors into a PodDisruptionBudget, or says why not."""

from __future__ import annotations

import json
import random

import pytest
from binary import kubectl, kubectl_path

from labsim.kube import selectors

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

PARTS = [
    "a", "b", "app", "nvidia.com/gpu", "x_y", "Z", "-", "in", "notin", "1", "=", "==", "!=", "!", "(", ")", ",", " ",
    ">", "<", " in ", " notin ", "(x,y)", "( x , )", "a=b", "!c", ",", ",", "=b", "\t", "é", "a/b/c",
]  # fmt: skip
OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


def texts() -> list[str]:
    chance = random.Random(7)
    made = {"".join(chance.choice(PARTS) for _ in range(chance.randint(1, 6))) for _ in range(420)}
    return sorted(text for text in made if text.strip())


def test_reading() -> None:
    read = 0
    for text in texts():
        made = kubectl(
            "create", "pdb", "x", "--min-available=1", f"--selector={text}", "--dry-run=client", "-o", "json"
        )
        try:
            found = selectors.parse_label(text)
        except ValueError as error:
            shown = f'error: couldn\'t parse the selector string "{text}": {error}\n'
            assert made.stderr == shown, text
            continue
        if any(mark in text for mark in ("!=", ">", "<")):  # good selectors that a LabelSelector has no operator for
            assert made.returncode == 1 and "couldn't parse" not in made.stderr, text
            continue
        assert made.returncode == 0, (text, made.stderr)
        spec = json.loads(made.stdout)["spec"]["selector"]
        seen = [(key, "in", (value,)) for key, value in spec.get("matchLabels", {}).items()]
        for r in spec.get("matchExpressions", []):
            seen.append((r["key"], OPERATORS[r["operator"]], tuple(r.get("values", ()))))
        assert set(seen) <= set(found.requirements), text
        assert {key for key, _, _ in seen} == {r.key for r in found.requirements}, text
        read += 1
    assert read > 30
