"""Preemption: which pods of lower priority would have to go, and the text when that does not help."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from labsim.kube.client import Client
from labsim.kube.matching import selector_matches
from labsim.kube.objects import Object, get_in, labels_of, namespace_of
from labsim.scheduler.filters import FILTERS, Cycle, Refusal
from labsim.scheduler.snapshot import NodeInfo, PodInfo

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


@dataclass(frozen=True)
class Candidate:
    node: str
    victims: tuple[PodInfo, ...]
    violations: int


def text(counts: Counter[str], total: int) -> str:
    """`preemption: 0/3 nodes are available: 1 X, 2 Y.`"""
    rows = sorted(f"{count} {reason}" for reason, count in counts.items())
    return f"preemption: 0/{total} nodes are available: {', '.join(rows)}."


def find(cycle: Cycle, refusals: dict[str, Refusal]) -> tuple[Candidate | None, str]:
    """The best node to clear, or None with the text for the event."""
    total = len(cycle.snapshot.order)
    if get_in(cycle.pod, "spec", "preemptionPolicy") == "Never":
        return None, "preemption: not eligible due to preemptionPolicy=Never."
    if _waiting_for_victims(cycle):
        return None, "preemption: not eligible due to a terminating pod on the nominated node."
    counts: Counter[str] = Counter()
    found: list[Candidate] = []
    budgets = _budgets(cycle.client)
    for info in cycle.snapshot.each():
        refusal = refusals.get(info.name)
        if refusal is None or not refusal.resolvable:
            counts[NOT_HELPFUL] += 1
            continue
        candidate, reasons = _clear(cycle, info, budgets)
        if candidate is None:
            counts.update(reasons)
        else:
            found.append(candidate)
    if not found:
        return None, text(counts, total)
    return min(found, key=_cost), ""


def _waiting_for_victims(cycle: Cycle) -> bool:
    info = cycle.snapshot.nodes.get(str(get_in(cycle.pod, "status", "nominatedNodeName", default="")))
    return info is not None and any(
        other.priority < cycle.info.priority and other.pod["metadata"].get("deletionTimestamp")
        for other in info.pods.values()
    )


def _fits(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    for plugin in FILTERS:
        found = plugin(cycle, info)
        if found is not None:
            return found
    return None


def _clear(cycle: Cycle, info: NodeInfo, budgets: list[tuple[Object, int]]) -> tuple[Candidate | None, list[str]]:
    lower = [other for other in info.pods.values() if other.priority < cycle.info.priority]
    if not lower:
        return None, [NO_VICTIMS]
    trial = info.copy()
    for other in lower:
        trial.add(other, -1)
    without = _without(cycle, info, lower)
    left = _fits(without, trial)
    if left is not None:
        return None, list(left.reasons)
    violating, clean = _split(lower, budgets)
    victims: list[PodInfo] = []
    violations = 0
    # Give back as many as fit, the most important first: those whose disruption budget would be violated before others.
    for group, breaks in ((violating, True), (clean, False)):
        for other in sorted(group, key=_importance):
            trial.add(other)
            if _fits(_without(cycle, info, [v for v in lower if v.place not in trial.pods]), trial) is not None:
                trial.add(other, -1)
                victims.append(other)
                violations += breaks
    victims.sort(key=_importance)
    return Candidate(info.name, tuple(victims), violations), []


def _without(cycle: Cycle, info: NodeInfo, gone: list[PodInfo]) -> Cycle:
    """The cycle with the counts of affinity and spreading as if `gone` had left the node."""
    if not (cycle.spreads or cycle.anti or cycle.against):
        return cycle
    from dataclasses import replace

    from labsim.scheduler.filters import term_selects
    from labsim.scheduler.spreading import spread_constraints

    labels = labels_of(info.node or {})
    places = {other.place for other in gone}
    anti = []
    for term, counts in cycle.anti:
        value = labels.get(term["topologyKey"], "\x00")
        fewer = sum(1 for other in gone if term_selects(term, cycle.pod, other.pod))
        anti.append((term, {**counts, value: counts.get(value, 0) - fewer}))
    against = dict(cycle.against)
    for other in gone:
        for term in other.anti:
            if term_selects(term, other.pod, cycle.pod):
                key = (str(term["topologyKey"]), labels.get(term["topologyKey"], "\x00"))
                against[key] = against.get(key, 0) - 1
    spreads = spread_constraints(cycle.snapshot, cycle.pod, "DoNotSchedule")
    for spread, constraint in zip(spreads, _hard(cycle.pod)):
        value = labels.get(spread.key, "\x00")
        fewer = sum(
            1
            for other in info.pods.values()
            if other.place in places
            and other.place[0] == namespace_of(cycle.pod)
            and selector_matches(constraint.get("labelSelector"), other.labels)
        )
        if value in spread.counts:
            spread.counts[value] -= fewer
    return replace(cycle, anti=anti, against=against, spreads=spreads)


def _hard(pod: Object) -> list[Object]:
    return [
        c
        for c in get_in(pod, "spec", "topologySpreadConstraints", default=())
        if c.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
    ]


def _importance(info: PodInfo) -> tuple[int, str, str]:
    """More important first: higher priority, then longer running."""
    start = str(get_in(info.pod, "status", "startTime", default="9999"))
    return -info.priority, start, "/".join(info.place)


def _budgets(client: Client) -> list[tuple[Object, int]]:
    return [
        (budget, int(get_in(budget, "status", "disruptionsAllowed", default=0)))
        for budget in client.list("poddisruptionbudgets.policy")
    ]


def _split(pods: list[PodInfo], budgets: list[tuple[Object, int]]) -> tuple[list[PodInfo], list[PodInfo]]:
    left = [allowed for _, allowed in budgets]
    violating: list[PodInfo] = []
    clean: list[PodInfo] = []
    for info in sorted(pods, key=_importance):
        breaks = False
        for n, (budget, _) in enumerate(budgets):
            if (
                namespace_of(budget) == info.place[0]
                and info.labels
                and selector_matches(get_in(budget, "spec", "selector"), info.labels)
            ):
                breaks = breaks or left[n] <= 0
                left[n] -= 1
        (violating if breaks else clean).append(info)
    return violating, clean


def _cost(candidate: Candidate) -> tuple[int, int, int, int, str, str]:
    """Fewest violations, lowest highest priority, lowest sum, fewest victims, latest start of the most important."""
    priorities = [victim.priority for victim in candidate.victims]
    highest = max(priorities, default=-(1 << 31))
    starts = [str(get_in(v.pod, "status", "startTime", default="")) for v in candidate.victims if v.priority == highest]
    latest = "".join(chr(0x10FFFF - ord(char)) for char in min(starts, default=""))
    return (
        candidate.violations,
        highest,
        sum(p + (1 << 31) for p in priorities),
        len(priorities),
        latest,
        candidate.node,
    )
