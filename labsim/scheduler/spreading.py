"""Pod topology spread: how many matching pods each domain of a topology key has."""

from __future__ import annotations

from dataclasses import dataclass

from labsim.kube.matching import pod_fits_node, selector_matches, untolerated
from labsim.kube.objects import Object, get_in, labels_of, namespace_of
from labsim.scheduler.snapshot import Snapshot


@dataclass
class Spread:
    """One constraint with the pods counted per domain; `own` is 1 when the pod matches its own selector."""

    key: str
    max_skew: int
    min_domains: int
    own: int
    counts: dict[str, int]

    def skew(self, value: str) -> int:
        """What the skew would be with the pod in this domain."""
        least = min(self.counts.values(), default=0)
        if len(self.counts) < self.min_domains:
            least = 0
        return self.counts.get(value, 0) + self.own - least


def spread_constraints(snapshot: Snapshot, pod: Object, action: str) -> list[Spread]:
    found = []
    for constraint in get_in(pod, "spec", "topologySpreadConstraints", default=()):
        if constraint.get("whenUnsatisfiable", "DoNotSchedule") != action:
            continue
        key, selector = str(constraint["topologyKey"]), constraint.get("labelSelector")
        extra = {k: labels_of(pod)[k] for k in constraint.get("matchLabelKeys") or () if k in labels_of(pod)}
        if extra:
            selector = {**(selector or {}), "matchLabels": {**((selector or {}).get("matchLabels") or {}), **extra}}
        counts: dict[str, int] = {}
        for info in snapshot.each():
            assert info.node is not None
            value = labels_of(info.node).get(key)
            if value is None:
                continue
            if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not pod_fits_node(pod, info.node):
                continue
            if constraint.get("nodeTaintsPolicy", "Ignore") == "Honor" and untolerated(
                get_in(pod, "spec", "tolerations", default=()),
                get_in(info.node, "spec", "taints", default=()),
                ("NoSchedule", "NoExecute"),
            ):
                continue
            matching = sum(
                1
                for other in info.pods.values()
                if other.place[0] == namespace_of(pod)
                and not other.pod["metadata"].get("deletionTimestamp")
                and selector_matches(selector, other.labels)
            )
            counts[value] = counts.get(value, 0) + matching
        own = 1 if selector_matches(selector, labels_of(pod)) else 0
        found.append(Spread(key, int(constraint["maxSkew"]), int(constraint.get("minDomains") or 1), own, counts))
    return found
