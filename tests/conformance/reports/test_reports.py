"""Public reports: each case holds, or is listed in known.yaml with the reason."""

from __future__ import annotations

import pytest

from tests.conformance import reports_runner as runner

CASES = {case["id"]: case for case in runner.cases()}
KNOWN = runner.known()
REASONS = {**KNOWN["absent"], **KNOWN["failing"]}


def test_the_list_of_known_misses_names_cases() -> None:
    assert len(CASES) == 47
    assert not set(REASONS) - set(CASES)
    assert not set(KNOWN["absent"]) & set(KNOWN["failing"])


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    found = runner.problems(CASES[name])
    if name in REASONS:
        assert found, f"{name} passes now: take it from known.yaml"
    else:
        assert not found, "\n".join(found)


def test_judging_can_fail() -> None:
    case = dict(CASES["mig-001"])
    case["expectation"] = [
        {"cmd": 1, "exit": 0},
        {"cmd": 1, "stderr_equals": "error: something else"},
        {"cmd": 1, "stdout_regex": "labeled"},
        {"cmd": 2, "stdout_exact": "all-disabled\n"},
        {"cmd": 2, "stdout_not_contains": ["disabled"]},
        {"cmd": 2, "stdout_int_ge": 1},
        {"cmd": 2, "stdout_json": {}},
        {"cmd": 2, "stdout_same_as": 1},
        {
            "state": {
                "node": "gpu-node2",
                "labels": {"nvidia.com/mig.config": "all-1g.10gb"},
                "allocatable": {"pods": "1"},
            }
        },
    ]
    assert len(runner.problems(case)) == 10
