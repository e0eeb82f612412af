"""Lines that people really type, on a world with workloads and on an idle one."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from labsim import Lab
from labsim.lab import Outcome
from labsim.worlds import audit
from tests.conformance.reports_runner import fill_in

HERE = Path(__file__).parent
LINES = [
    line.partition("\t")[0].replace("⏎", "\n")
    for line in (HERE / "snippets.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
EXPECTED: dict[int, dict[str, Any]] = yaml.safe_load((HERE / "expected.yaml").read_text("utf-8"))
ABSENT: dict[int, str] = yaml.safe_load((HERE / "absent.yaml").read_text("utf-8"))


def judge(out: Outcome, wanted: dict[str, Any]) -> list[str]:
    found = []
    if out.exit_code != wanted["exit"]:
        found.append(f"exit {out.exit_code}, wanted {wanted['exit']}")
    for stream, text in (("out", out.stdout), ("err", out.stderr)):
        if stream in wanted and not re.search(wanted[stream], text, re.MULTILINE):
            found.append(f"std{stream} {text[-400:]!r}, wanted {wanted[stream]!r}")
    if "lines" in wanted and len(out.stdout.splitlines()) != wanted["lines"]:
        found.append(f"{len(out.stdout.splitlines())} lines, wanted {wanted['lines']}")
    return found


def test_every_line_is_in_one_list() -> None:
    assert len(LINES) == 90
    assert sorted([*EXPECTED, *ABSENT]) == list(range(1, 91))


@pytest.mark.parametrize("world", ["dgx-h100-busy", "dgx-h100"])
def test_snippets(world: str) -> None:
    fresh = Lab.open(world=world)
    wrong = []
    for number, line in enumerate(LINES, 1):
        if number == 39 and world == "dgx-h100":
            continue  # an hour of `watch`: once is enough
        lab = fresh.fork()
        out = lab.run(fill_in(lab, line))
        wanted = EXPECTED.get(number, {"exit": out.exit_code})
        if world == "dgx-h100":
            wanted = {**wanted, **wanted.get("idle", {})}
        found = judge(out, wanted)
        if re.search(r"internal error|Traceback|bashkit|panicked", out.stdout + out.stderr):
            found.append(f"broke: {out.stderr}")
        if number in ABSENT and not out.exit_code and out.changes:
            found.append("claims to have changed what does not exist")
        found += audit.violations(lab.cluster.journal.writes)
        wrong += [f"{number}: {line}: {problem}" for problem in found]
        gc.collect(1)
    assert not wrong, "\n".join(wrong)
