"""Every ticket on every seed: untouched 0, answers 100, rejects fail for their stated reason, no check is dead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from labsim.authoring.prove import prove_seed
from labsim.lab import Lab
from labsim.tickets import catalogue
from labsim.worlds import audit

CASES = [
    (path.stem, seed)
    for path in catalogue.files()
    for source in [catalogue.compiled(path)["source"]]
    for seed in [*source["seeds"]["deployed"], *source["seeds"]["exam_only"]]
]


@pytest.mark.parametrize(("ticket", "seed"), CASES)
def test_proof(ticket: str, seed: int) -> None:
    proofs = list(prove_seed(Lab.open(ticket=ticket, seed=seed, freeze_objects=True)))
    assert len(proofs) >= 6
    assert {proof.route: proof.problems for proof in proofs if proof.problems} == {}


def _hashes_of_a_process(ticket: str, hash_seed: str) -> str:
    command = [sys.executable, "-m", "labsim.cli", "ticket", "prove", ticket, "--seed", "1", "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


# One ticket of each topic here; `make long` takes them all.
FIRST = sorted({path.parent.name: path.stem for path in reversed(list(catalogue.files()))}.values())
REST = sorted({ticket for ticket, _ in CASES} - set(FIRST))


@pytest.mark.parametrize("ticket", [*FIRST, *(pytest.param(t, marks=pytest.mark.long) for t in REST)])
def test_a_second_process_with_another_hash_seed_ends_in_the_same_states(ticket: str) -> None:
    first = _hashes_of_a_process(ticket, "1")
    assert first == _hashes_of_a_process(ticket, "2")
    assert first.count('"hash"') >= 6


@pytest.mark.parametrize("ticket", sorted({ticket for ticket, _ in CASES}))
def test_every_actor_writes_only_its_own_fields(ticket: str) -> None:
    lab = Lab.open(ticket=ticket, seed=1, freeze_objects=True)
    assert lab.ticket is not None
    from labsim.authoring.prove import act

    for step in lab.ticket["answers"][0]["steps"]:
        act(lab, step)
    # A reconfiguration of MIG makes every operand write; a report that reads the cluster makes nobody.
    assert len(lab.cluster.journal.writes) >= (100 if "mig" in lab.ticket["tags"] else 0)
    assert audit.violations(lab.cluster.journal.writes) == []
    assert lab.cluster.loop.failures == []


def test_tickets_are_named_like_their_files() -> None:
    assert all(Path(path).stem == catalogue.compiled(path)["source"]["id"] for path in catalogue.files())
