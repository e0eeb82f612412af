"""The worked example of docs/authoring-tickets.md lints and proves as printed, and the page names every field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from labsim.authoring.cli import main
from labsim.authoring.prove import prove
from labsim.tickets.check_schema import Check
from labsim.tickets.schema import Ticket

PAGE = (Path(__file__).parents[3] / "docs" / "authoring-tickets.md").read_text("utf-8")


@pytest.fixture
def example(tmp_path: Path) -> Path:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "take-node-out.yaml"
    path.write_text(text)
    return path


def test_the_example_lints(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--world", str(example)]) == 0
    assert capsys.readouterr().err == ""


def test_the_example_is_proven(example: Path) -> None:
    proofs = list(prove(str(example)))
    assert {proof.seed for proof in proofs} == {1, 2, 3}
    assert [(proof.seed, proof.route, proof.problems) for proof in proofs if proof.problems] == []
    assert {proof.score for proof in proofs if proof.route.startswith("answer")} == {100}


@pytest.mark.parametrize("field", [f.alias or name for name, f in Ticket.model_fields.items()])
def test_every_field_has_a_row(field: str) -> None:
    assert re.search(rf"^\|[^|]*`{field}`[^|]*\|", PAGE, re.MULTILINE), field


@pytest.mark.parametrize("kind", [f.alias or name for name, f in Check.model_fields.items()])
def test_every_kind_of_check_has_a_row(kind: str) -> None:
    assert re.search(rf"^\|[^|]*`{kind}`[^|]*\|", PAGE, re.MULTILINE), kind
