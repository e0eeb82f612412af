"""What may change in a pod that exists (ValidatePodUpdate), and how a refusal shows the difference."""

from __future__ import annotations

from typing import Any

from labsim.kube.errors import FieldError, forbidden_field, invalid_value, quote
from labsim.kube.objects import Object

_REFUSAL = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_pod_update(new: Object, old: Object) -> list[FieldError]:
    """Errors of an update of a pod's spec through the pod itself."""
    before, after = old["spec"], new["spec"]
    if before == after:
        return []
    found: list[FieldError] = []
    for group, what in (("containers", "containers"), ("initContainers", "initContainers")):
        if len(before.get(group) or ()) != len(after.get(group) or ()):
            detail = "pod updates may not add or remove containers"
            found.append(forbidden_field(f"spec.{what}", detail))
            return found
    deadline, was = after.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if deadline is None and was is not None:
        found.append(
            invalid_value("spec.activeDeadlineSeconds", None, "must not update from a positive integer to nil value")
        )
    elif deadline is not None and was is not None and deadline > was:
        detail = "must be less than or equal to previous value"
        found.append(invalid_value("spec.activeDeadlineSeconds", deadline, detail))
    if not _only_added(before.get("tolerations") or [], after.get("tolerations") or []):
        found.append(
            forbidden_field("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")
        )
    if before.get("schedulingGates") != after.get("schedulingGates"):
        gates = [g for g in after.get("schedulingGates") or () if g not in (before.get("schedulingGates") or ())]
        if gates:
            detail = f"only deletion is allowed, but found new scheduling gate '{gates[0].get('name', '')}'"
            found.append(forbidden_field("spec.schedulingGates", detail))
    munged = _allowed(after, before)
    if munged != before:
        found.append(forbidden_field("spec", f"{_REFUSAL}\n{difference(before, munged)}"))
    return found


def _only_added(before: list[Object], after: list[Object]) -> bool:
    def bare(toleration: Object) -> Object:
        return {k: v for k, v in toleration.items() if k != "tolerationSeconds"}

    kept = [bare(t) for t in after]
    return all(bare(t) in kept for t in before)


def _allowed(after: Object, before: Object) -> Object:
    """`after` with everything that may change put back to what it was."""
    spec = dict(after)
    for group in ("containers", "initContainers"):
        if spec.get(group):
            spec[group] = [{**c, "image": b.get("image")} for c, b in zip(spec[group], before[group])]
    for key in ("activeDeadlineSeconds", "tolerations", "schedulingGates"):
        if key in before:
            spec[key] = before[key]
        else:
            spec.pop(key, None)
    grace = before.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        spec["terminationGracePeriodSeconds"] = grace
    if before.get("schedulingGates"):
        for key in ("nodeSelector", "affinity"):  # may be narrowed while the pod is gated
            if key in before:
                spec[key] = before[key]
            else:
                spec.pop(key, None)
    return spec


def difference(before: Object, after: Object, kind: str = "core.PodSpec") -> str:
    """The changed fields in the shape of go-cmp's report. [U] Only whole top-level fields are shown as changed."""
    lines = [f"  {kind}{{"]
    same = 0

    def flush() -> None:
        nonlocal same
        if same:
            lines.append(f"  \t... // {same} identical field{'s' if same > 1 else ''}")
        same = 0

    for key in sorted({*before, *after}):
        if before.get(key) == after.get(key):
            same += 1
            continue
        flush()
        name = key[:1].upper() + key[1:]
        lines.append(f"- \t{name}: {_shown(before.get(key))},")
        lines.append(f"+ \t{name}: {_shown(after.get(key))},")
    flush()
    return "\n".join([*lines, "  }", ""])


def _shown(value: Any) -> str:
    return "nil" if value is None else quote(value)
