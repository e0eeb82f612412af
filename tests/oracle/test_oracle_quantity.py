"""kubectl prints the quantities of a generated ResourceQuota."""

from __future__ import annotations

import random
import re

import pytest
from binary import kubectl, kubectl_path

from labsim.kube import quantity

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

SIGNS = ["", "", "-", "+"]
WHOLES = ["", "0", "1", "12", "100", "1000", "1024", "2048", "500", "123456789012", "8", "7", "007", str(2**63 - 1)]
FRACTIONS = ["", "", "", ".", ".5", ".25", ".000", ".500", ".001", ".00000000001"]
SUFFIXES = [
    "", "m", "u", "n", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3", "e5", "E-2",
    "e10", "e-12", "K", "i", "mi", "e", "ee3", "GiB",
]  # fmt: skip


def texts() -> list[str]:
    chance = random.Random(20)
    made = [
        chance.choice(SIGNS) + chance.choice(WHOLES) + chance.choice(FRACTIONS) + chance.choice(SUFFIXES)
        for _ in range(900)
    ]
    return sorted(set(made))


def create(found: list[str]) -> tuple[str, str]:
    hard = ",".join(f"r{i}={text}" for i, text in enumerate(found))
    made = kubectl("create", "quota", "x", f"--hard={hard}", "--dry-run=client", "-o", "yaml")
    return made.stdout, made.stderr


def test_canonical() -> None:
    good: list[str] = []
    bad: list[tuple[str, str]] = []
    for text in texts():
        try:
            quantity.parse(text)
            good.append(text)
        except ValueError as error:
            bad.append((text, str(error)))
    assert len(good) > 300 and len(bad) > 50
    printed = dict(re.findall(r'^ +(r\d+): "?([^"\n]*)"?$', create(good)[0], re.MULTILINE))
    for i, text in enumerate(good):
        assert printed[f"r{i}"] == quantity.canonical(text), text
    for text, message in bad[:40]:
        assert create([text])[1] == f"error: {message}\n", text
