"""Matching of structured selectors, affinity terms and tolerations: what several controllers decide in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labsim.kube.objects import Object, get_in, labels_of, name_of

Labels = Mapping[str, str]


def requirement_matches(requirement: Mapping[str, Any], labels: Labels) -> bool:
    """One matchExpressions entry of a label selector or a node selector term."""
    key, operator = str(requirement["key"]), requirement["operator"]
    values = list(requirement.get("values") or ())
    value = labels.get(key)
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    try:
        number, bound = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > bound if operator == "Gt" else number < bound


def selector_matches(selector: Mapping[str, Any] | None, labels: Labels) -> bool:
    """A LabelSelector. None selects nothing, an empty one everything."""
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    return all(requirement_matches(r, labels) for r in selector.get("matchExpressions") or ())


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """A label selector string that selects the same; for list calls and scale status."""
    parts = [f"{k}={v}" for k, v in sorted(((selector or {}).get("matchLabels") or {}).items())]
    for r in sorted((selector or {}).get("matchExpressions") or (), key=lambda r: str(r["key"])):
        values = ",".join(sorted(r.get("values") or ()))
        parts.append(
            {
                "In": f"{r['key']} in ({values})",
                "NotIn": f"{r['key']} notin ({values})",
                "Exists": str(r["key"]),
                "DoesNotExist": f"!{r['key']}",
            }[r["operator"]]
        )
    return ",".join(parts)


def term_matches(term: Mapping[str, Any], node: Object) -> bool:
    """A node selector term: all its expressions and fields; an empty term matches nothing."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    by_field = {"metadata.name": name_of(node)}
    return all(requirement_matches(r, labels_of(node)) for r in expressions) and all(
        requirement_matches(r, by_field) for r in fields
    )


def pod_fits_node(pod: Object, node: Object) -> bool:
    """spec.nodeSelector and required node affinity."""
    labels = labels_of(node)
    for key, value in (get_in(pod, "spec", "nodeSelector", default={})).items():
        if labels.get(key) != value:
            return False
    required = get_in(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(term_matches(term, node) for term in required.get("nodeSelectorTerms") or ())


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if (toleration.get("operator") or "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and (toleration.get("value") or "") == (taint.get("value") or "")


def untolerated(
    tolerations: Iterable[Mapping[str, Any]], taints: Iterable[Mapping[str, Any]], effects: Iterable[str]
) -> list[Mapping[str, Any]]:
    """The taints with one of `effects` that nothing tolerates, in the node's order."""
    tolerations, effects = list(tolerations), tuple(effects)
    return [
        taint
        for taint in taints
        if taint.get("effect") in effects and not any(tolerates(toleration, taint) for toleration in tolerations)
    ]
