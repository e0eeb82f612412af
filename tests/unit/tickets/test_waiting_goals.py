"""Goals that wait: a world that is quiet may still try again, and grading waits for that without moving the lab."""

from __future__ import annotations

from labsim.lab import Lab


def test_a_refused_create_is_tried_again_after_the_world_became_quiet() -> None:
    lab = Lab.open(ticket="quota-refuses", seed=1)
    assert lab.grade().score == 0
    old = lab.ticket["answers"][0]["steps"][0]["line"] if lab.ticket is not None else ""
    assert old.startswith("kubectl delete deployment trial-")
    assert lab.run(old).exit_code == 0
    lab.settle()
    assert lab.is_quiet()
    before = lab.state_hash()
    assert lab.grade().score == 100
    assert lab.state_hash() == before


def test_a_guard_that_cannot_be_judged_is_an_error_and_not_a_failure() -> None:
    lab = Lab.open(world="dgx-h100", seed=1)
    from labsim.tickets.grading import grade

    check = {"object": {"resource": "nodez", "name": "x", "namespace": "", "path": "", "op": "exists", "value": None}}
    goal = {"id": "g", "title": "g", "points": 1, "when": "now", "within": 1, "check": check}
    guards = [
        {"id": when, "title": when, "severity": "fatal", "when": when, "check": check}
        for when in ("now", "always", "never")
    ]
    found = grade({"goals": [goal], "guards": guards}, lab)
    assert found.ungraded == ["g", "now", "always", "never"]
    assert found.safety == 1.0
