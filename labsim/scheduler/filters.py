"""The filter plugins, in upstream's order. A node passes, or gets the reasons of the first plugin that refuses it.

`resolvable` tells whether removing pods could help (Unschedulable as against UnschedulableAndUnresolvable).
Texts: kubectl.md 5 and the plugins' own constants in 1.35.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from labsim.kube.client import Client
from labsim.kube.matching import pod_fits_node, selector_matches, term_matches, tolerates, untolerated
from labsim.kube.objects import Object, get_in, labels_of, namespace_of
from labsim.scheduler.snapshot import NodeInfo, PodInfo, Snapshot
from labsim.scheduler.spreading import Spread, spread_constraints


@dataclass(frozen=True)
class Refusal:
    reasons: tuple[str, ...]
    resolvable: bool = False


@dataclass
class Cycle:
    """One scheduling attempt of one pod: what is computed once for all nodes."""

    client: Client
    snapshot: Snapshot
    info: PodInfo
    pod: Object
    tolerations: list[Object] = field(default_factory=list)
    volumes: list[Object] = field(default_factory=list)  # node affinities of the bound volumes
    spreads: list[Spread] = field(default_factory=list)
    affinity: list[tuple[Object, dict[str, int]]] = field(default_factory=list)  # term, matches per topology value
    anti: list[tuple[Object, dict[str, int]]] = field(default_factory=list)
    against: dict[tuple[str, str], int] = field(default_factory=dict)  # topologies barred by existing pods
    only: tuple[str, ...] | None = None  # the nodes that a metadata.name field selector leaves
    blocked: str = ""  # a PreFilter's message: nothing fits anywhere

    @classmethod
    def begin(cls, client: Client, snapshot: Snapshot, pod: Object) -> Cycle:
        cycle = cls(client, snapshot, PodInfo(pod), pod)
        cycle.tolerations = list(get_in(pod, "spec", "tolerations", default=()))
        cycle.only = _named_nodes(pod)
        _claims(cycle)
        cycle.spreads = spread_constraints(snapshot, pod, "DoNotSchedule")
        path = "requiredDuringSchedulingIgnoredDuringExecution"
        for term in get_in(pod, "spec", "affinity", "podAffinity", path, default=()):
            cycle.affinity.append((term, _count(cycle, term)))
        for term in cycle.info.anti:
            cycle.anti.append((term, _count(cycle, term)))
        for place, node in snapshot.anti.items():
            info = snapshot.nodes[node]
            for term in info.pods[place].anti:
                if term_selects(term, info.pods[place].pod, pod):
                    value = labels_of(info.node or {}).get(term["topologyKey"])
                    if value is not None:
                        key = (str(term["topologyKey"]), value)
                        cycle.against[key] = cycle.against.get(key, 0) + 1
        return cycle


def _named_nodes(pod: Object) -> tuple[str, ...] | None:
    required = get_in(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = get_in(required, "nodeSelectorTerms", default=())
    names: list[str] = []
    for term in terms:
        found = [
            r["values"] for r in term.get("matchFields") or () if r["key"] == "metadata.name" and r["operator"] == "In"
        ]
        if not found:
            return None
        names += found[0]
    return tuple(names) if terms else None


def _claims(cycle: Cycle) -> None:
    """Volume binding: claims must exist and be bound, or wait for their first consumer."""
    namespace = namespace_of(cycle.pod)
    for volume in get_in(cycle.pod, "spec", "volumes", default=()):
        name = get_in(volume, "persistentVolumeClaim", "claimName")
        if not name and not volume.get("ephemeral"):
            continue
        name = name or f"{cycle.pod['metadata']['name']}-{volume['name']}"
        claim = cycle.client.find("persistentvolumeclaims", name, namespace)
        if claim is None:
            cycle.blocked = f'persistentvolumeclaim "{name}" not found'
            return
        if claim["metadata"].get("deletionTimestamp"):
            cycle.blocked = f'persistentvolumeclaim "{name}" is being deleted'
            return
        bound = get_in(claim, "spec", "volumeName")
        if bound:
            found = cycle.client.find("persistentvolumes", str(bound))
            affinity = get_in(found, "spec", "nodeAffinity", "required")
            if affinity:
                cycle.volumes.append(affinity)
            continue
        if not waits_for_consumer(cycle.client, claim):
            cycle.blocked = "pod has unbound immediate PersistentVolumeClaims"
            return


def waits_for_consumer(client: Client, claim: Object) -> bool:
    found = client.find("storageclasses.storage.k8s.io", str(get_in(claim, "spec", "storageClassName", default="")))
    return bool(get_in(found, "volumeBindingMode") == "WaitForFirstConsumer")


def term_selects(term: Object, owner: Object, other: Object) -> bool:
    """Whether an affinity term of `owner` speaks of `other`. Namespace selectors see namespaces by their name label."""
    namespaces = term.get("namespaces") or ()
    selector = term.get("namespaceSelector")
    where = namespace_of(other)
    if namespaces or selector is not None:
        by_label = selector is not None and selector_matches(selector, {"kubernetes.io/metadata.name": where})
        if where not in namespaces and not by_label:
            return False
    elif where != namespace_of(owner):
        return False
    return selector_matches(term.get("labelSelector"), labels_of(other))


def _count(cycle: Cycle, term: Object) -> dict[str, int]:
    """Pods that the term selects, by the value of its topology key."""
    found: dict[str, int] = {}
    for info in cycle.snapshot.each():
        value = labels_of(info.node or {}).get(term["topologyKey"])
        if value is None:
            continue
        for other in info.pods.values():
            if term_selects(term, cycle.pod, other.pod):
                found[value] = found.get(value, 0) + 1
    return found


# -- the plugins -------------------------------------------------------------------------------------------------------

_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def unschedulable(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    if not get_in(info.node, "spec", "unschedulable", default=False):
        return None
    if any(tolerates(t, _UNSCHEDULABLE) for t in cycle.tolerations):
        return None
    return Refusal(("node(s) were unschedulable",))


def taints(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    found = get_in(info.node, "spec", "taints", default=())
    if found and untolerated(cycle.tolerations, found, ("NoSchedule", "NoExecute")):
        return Refusal(("node(s) had untolerated taint(s)",))
    return None


def node_affinity(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    assert info.node is not None
    if pod_fits_node(cycle.pod, info.node):
        return None
    return Refusal(("node(s) didn't match Pod's node affinity/selector",))


def node_ports(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    for address, protocol, port in cycle.info.ports:
        for used, used_protocol, used_port in info.ports:
            if port == used_port and protocol == used_protocol and (address == used or "0.0.0.0" in (address, used)):
                return Refusal(("node(s) didn't have free ports for the requested pod ports",), resolvable=True)
    return None


_FIRST = ("cpu", "memory", "ephemeral-storage")


def resources(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    reasons: list[str] = []
    resolvable = True
    if len(info.pods) + 1 > info.allocatable.get("pods", 0) // 1000:
        reasons.append("Too many pods")
    wanted = cycle.info.amounts
    for name in (*_FIRST, *(n for n in wanted if n not in _FIRST)):
        amount = wanted.get(name, 0)
        if amount == 0:
            continue
        total = info.allocatable.get(name, 0)
        if amount > total - info.requested.get(name, 0):
            reasons.append(f"Insufficient {name}")
            if amount > total:
                resolvable = False
    return Refusal(tuple(reasons), resolvable) if reasons else None


def volume_binding(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    assert info.node is not None
    for affinity in cycle.volumes:
        if not any(term_matches(term, info.node) for term in affinity.get("nodeSelectorTerms") or ()):
            return Refusal(("node(s) didn't match PersistentVolume's node affinity",))
    return None


def topology_spread(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    text = "node(s) didn't match pod topology spread constraints"
    for spread in cycle.spreads:
        value = labels_of(info.node or {}).get(spread.key)
        if value is None:
            return Refusal((f"{text} (missing required label)",))
        if spread.skew(value) > spread.max_skew:
            return Refusal((text,), resolvable=True)
    return None


def pod_affinity(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    labels = labels_of(info.node or {})
    everywhere = sum(sum(counts.values()) for _, counts in cycle.affinity)
    for term, counts in cycle.affinity:
        value = labels.get(term["topologyKey"])
        if value is None:
            return Refusal(("node(s) didn't match pod affinity rules",))
        # The first pod of a group that wants to be together may go anywhere.
        first = not everywhere and all(term_selects(t, cycle.pod, cycle.pod) for t, _ in cycle.affinity)
        if not counts.get(value) and not first:
            return Refusal(("node(s) didn't match pod affinity rules",))
    for term, counts in cycle.anti:
        if counts.get(labels.get(term["topologyKey"], "\x00"), 0):
            return Refusal(("node(s) didn't match pod anti-affinity rules",), resolvable=True)
    for (key, value), count in cycle.against.items():
        if count and labels.get(key) == value:
            return Refusal(("node(s) didn't satisfy existing pods anti-affinity rules",), resolvable=True)
    return None


Filter = Callable[[Cycle, NodeInfo], Refusal | None]
FILTERS: tuple[Filter, ...] = (
    unschedulable,
    taints,
    node_affinity,
    node_ports,
    resources,
    volume_binding,
    topology_spread,
    pod_affinity,
)


def refused(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    """The first plugin's refusal; pods nominated to the node with no lower priority count as there."""
    promised = [
        nominee
        for place, nominee in cycle.snapshot.nominated.get(info.name, {}).items()
        if place != cycle.info.place and nominee.priority >= cycle.info.priority
    ]
    if promised:
        info = info.copy()
        for nominee in promised:
            info.add(nominee)
    for plugin in FILTERS:
        found = plugin(cycle, info)
        if found is not None:
            return found
    return None
