"""Evaluating checks. A check is a compiled dict `{kind: spec}`; every kind answers with a Verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labsim.tickets.checks import cluster, learner, objects
from labsim.tickets.scene import CheckError, Scene, Verdict

Evaluator = Callable[[dict[str, Any], Scene], Verdict]

KINDS: dict[str, Evaluator] = {
    "object": objects.object_,
    "objects": objects.objects,
    "allocatable": cluster.allocatable,
    "mig": cluster.mig,
    "pod_on": cluster.pod_on,
    "log": cluster.log,
    "file": learner.file,
    "answer": learner.answer,
    "history": learner.history,
    "unchanged": learner.unchanged,
}


def evaluate(check: dict[str, Any], scene: Scene) -> Verdict:
    """Judge one check. An unjudgeable check is an error, which is not a failure."""
    ((kind, spec),) = check.items()
    if kind in ("all", "any"):
        return _combined(kind, [evaluate(part, scene) for part in spec])
    if kind == "not":
        inner = evaluate(spec, scene)
        if inner.status == "error":
            return inner
        return Verdict("fail" if inner.holds else "pass", inner.read, f"not {inner.expected}", inner.found)
    try:
        return KINDS[kind](spec, scene)
    except CheckError as error:
        return Verdict("error", kind, "a check that can be judged", str(error))


def _combined(kind: str, parts: list[Verdict]) -> Verdict:
    for part in parts:
        if part.status == "error":
            return part
    if kind == "all":
        failed = [p for p in parts if not p.holds]
        return failed[0] if failed else parts[-1]
    passed = [p for p in parts if p.holds]
    if passed:
        return passed[0]
    return Verdict(
        "fail",
        " or ".join(p.read for p in parts),
        " or ".join(p.expected for p in parts),
        "; ".join(p.found for p in parts),
    )


def resources_read(check: dict[str, Any], scene: Scene) -> set[str] | None:
    """Store keys this check reads (history is looked at only where it can matter); None = nothing in the store."""
    ((kind, spec),) = check.items()
    if kind in ("all", "any"):
        found = [resources_read(part, scene) for part in spec]
        return {key for keys in found for key in keys or ()}
    if kind == "not":
        return resources_read(spec, scene)
    if kind in ("object", "objects", "history", "unchanged"):
        return {scene.key(spec["resource"])}
    return {"allocatable": {"nodes"}, "mig": {"machines.hardware.labsim"}, "pod_on": {"pods"}}.get(kind)
