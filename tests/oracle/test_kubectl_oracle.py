"""labsim's kubectl beside the real one. `LABSIM_ORACLE=required` makes a missing binary a failure."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from binary import kubectl_path
from harness import CASES, Report, run_file

pytestmark = pytest.mark.oracle
_FILES = sorted(CASES.glob("*.yaml"))
_TOTAL = Report()


@pytest.fixture(autouse=True, scope="module")
def _binary():
    if kubectl_path() is None:
        if os.environ.get("LABSIM_ORACLE") == "required":
            pytest.fail("the real kubectl is required and absent: run tools/fetch_oracle.py")
        pytest.skip("no real kubectl ($LABSIM_KUBECTL or ~/.cache/labsim/oracle/kubectl)")
    yield
    print(f"\noracle: {_TOTAL.steps} steps compared, {len(_TOTAL.differences)} differences, {len(_TOTAL.kept)} kept")


@pytest.mark.parametrize("path", [p for p in _FILES if p.stem != "deliberately-wrong"], ids=lambda p: p.stem)
def test_case(path: Path) -> None:
    report = Report()
    run_file(path, report)
    _TOTAL.steps += report.steps
    _TOTAL.differences += report.differences
    _TOTAL.kept += report.kept
    assert report.steps > 0
    assert not report.differences, f"{len(report.differences)} differences\n\n" + "\n\n".join(
        map(str, report.differences)
    )


def test_a_wrong_expectation_is_reported() -> None:
    report = Report()
    run_file(CASES / "deliberately-wrong.yaml", report)
    assert [d.what for d in report.differences] == ["stdout"]
    assert report.steps == 1
