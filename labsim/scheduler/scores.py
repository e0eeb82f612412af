"""The score plugins with their default weights: each gives 0..100, the highest sum wins, ties go to the first name."""

from __future__ import annotations

from collections.abc import Callable

from labsim.kube.matching import term_matches, untolerated
from labsim.kube.objects import get_in, labels_of
from labsim.scheduler.filters import Cycle, term_selects
from labsim.scheduler.snapshot import NodeInfo
from labsim.scheduler.spreading import spread_constraints

MAX = 100
_MIB = 1024 * 1024
# ImageLocality: images below 23 MiB count nothing, above 1000 MiB (per container) all.
_IMAGE_LEAST, _IMAGE_MOST = 23 * _MIB, 1000 * _MIB

Scores = dict[str, int]


def _normalise(raw: Scores, reverse: bool = False) -> Scores:
    """To 0..100 of the largest; `reverse`: the largest is the worst."""
    most = max(raw.values(), default=0)
    if most == 0:
        return dict.fromkeys(raw, MAX if reverse else 0)
    return {name: MAX - value * MAX // most if reverse else value * MAX // most for name, value in raw.items()}


def taints(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    soft = [t for t in cycle.tolerations if not t.get("effect") or t["effect"] == "PreferNoSchedule"]
    raw = {
        info.name: len(untolerated(soft, get_in(info.node, "spec", "taints", default=()), ("PreferNoSchedule",)))
        for info in nodes
    }
    return _normalise(raw, reverse=True)


def node_affinity(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    path = ("spec", "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution")
    terms = get_in(cycle.pod, *path, default=())
    raw = {info.name: 0 for info in nodes}
    for info in nodes:
        for term in terms:
            if info.node is not None and term_matches(term.get("preference") or {}, info.node):
                raw[info.name] += int(term["weight"])
    return _normalise(raw)


def _use(cycle: Cycle, info: NodeInfo) -> tuple[tuple[int, int], tuple[int, int]]:
    """(wanted, allocatable) of cpu and memory with this pod on the node."""
    cpu, memory = info.scored[0] + cycle.info.scored[0], info.scored[1] + cycle.info.scored[1]
    return (cpu, info.allocatable.get("cpu", 0)), (memory, info.allocatable.get("memory", 0))


def least_allocated(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    found = {}
    for info in nodes:
        parts = [0 if not total or used > total else (total - used) * MAX // total for used, total in _use(cycle, info)]
        found[info.name] = sum(parts) // len(parts)
    return found


def balanced(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    """100 less the difference of the two fractions, in thousandths so that no floating point is needed."""
    found = {}
    for info in nodes:
        parts = [min(used * 1000 // total, 1000) if total else 1000 for used, total in _use(cycle, info)]
        found[info.name] = MAX - abs(parts[0] - parts[1]) // 2 * MAX // 1000
    return found


def image_locality(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    wanted = {_normal(str(c["image"])) for c in get_in(cycle.pod, "spec", "containers", default=())}
    most = _IMAGE_MOST * max(1, len(wanted))
    sizes: dict[str, int] = {}
    holders: dict[str, int] = {}
    for info in nodes:
        for entry in get_in(info.node, "status", "images", default=()):
            for name in entry.get("names") or ():
                if name in wanted:
                    sizes[info.name] = sizes.get(info.name, 0) + int(entry["sizeBytes"])
                    holders[name] = holders.get(name, 0) + 1
    spread = sum(holders.values())
    found = {}
    for info in nodes:
        total = sizes.get(info.name, 0) * spread // (len(nodes) * max(1, len(wanted)))
        found[info.name] = max(0, min(total, most) - _IMAGE_LEAST) * MAX // (most - _IMAGE_LEAST)
    return found


def _normal(image: str) -> str:
    """As status.images names it."""
    first = image.split("/", 1)[0]
    if "/" not in image:
        image = f"docker.io/library/{image}"
    elif "." not in first and ":" not in first:
        image = f"docker.io/{image}"
    return image if ":" in image.rsplit("/", 1)[-1] or "@" in image else f"{image}:latest"


def spread(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    """Soft constraints; without any, pods of one owner keep apart by node (the system default)."""
    constraints = spread_constraints(cycle.snapshot, cycle.pod, "ScheduleAnyway")
    raw = {info.name: 0 for info in nodes}
    if constraints:
        for info in nodes:
            labels = labels_of(info.node or {})
            raw[info.name] = sum(s.counts.get(labels.get(s.key, "\x00"), 0) for s in constraints)
    elif cycle.info.owner and not get_in(cycle.pod, "spec", "topologySpreadConstraints"):
        for info in nodes:
            raw[info.name] = info.owners.get(cycle.info.owner, 0)
    return _normalise(raw, reverse=True)


def pod_affinity(cycle: Cycle, nodes: list[NodeInfo]) -> Scores:
    path = "preferredDuringSchedulingIgnoredDuringExecution"
    terms = [(t, 1) for t in get_in(cycle.pod, "spec", "affinity", "podAffinity", path, default=())]
    terms += [(t, -1) for t in get_in(cycle.pod, "spec", "affinity", "podAntiAffinity", path, default=())]
    raw = {info.name: 0 for info in nodes}
    for weighted, sign in terms:
        term, by_value = weighted["podAffinityTerm"], dict[str, int]()
        for info in cycle.snapshot.each():
            value = labels_of(info.node or {}).get(term["topologyKey"])
            if value is not None:
                hits = sum(1 for other in info.pods.values() if term_selects(term, cycle.pod, other.pod))
                by_value[value] = by_value.get(value, 0) + hits
        for info in nodes:
            value = labels_of(info.node or {}).get(term["topologyKey"], "\x00")
            raw[info.name] += sign * int(weighted["weight"]) * by_value.get(value, 0)
    low, high = min(raw.values(), default=0), max(raw.values(), default=0)
    return {name: (value - low) * MAX // (high - low) if high > low else 0 for name, value in raw.items()}


PLUGINS: tuple[tuple[Callable[[Cycle, list[NodeInfo]], Scores], int], ...] = (
    (taints, 3),
    (node_affinity, 2),
    (least_allocated, 1),
    (spread, 2),
    (pod_affinity, 2),
    (balanced, 1),
    (image_locality, 1),
)


def best(cycle: Cycle, nodes: list[NodeInfo]) -> str:
    """The name of the node with the highest weighted sum."""
    if len(nodes) == 1:
        return nodes[0].name
    total = {info.name: 0 for info in nodes}
    for plugin, weight in PLUGINS:
        for name, value in plugin(cycle, nodes).items():
            total[name] += weight * value
    return min(total, key=lambda name: (-total[name], name))
