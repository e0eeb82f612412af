"""What the scheduler knows of nodes and pods, kept in step with the journal; a rebuildable view, never a second truth.

Following the journal costs what changed. After an undo or a load the writes seen are no longer those in the journal;
that is noticed, and the view is made anew.
"""

from __future__ import annotations

from bisect import insort

from labsim.kube.apiserver import APIServer
from labsim.kube.objects import Object, controller_of, get_in, labels_of, name_of
from labsim.kube.podresources import Amounts, amounts, pod_amounts, ports
from labsim.sim.journal import Write

Place = tuple[str, str]
HOSTNAME = "kubernetes.io/hostname"
# What a container without requests counts for when nodes are scored (schedutil.GetNonzeroRequests): 100m, 200MB.
DEFAULT_CPU, DEFAULT_MEMORY = 100, 200 * 1024 * 1024 * 1000


class PodInfo:
    """A pod with what is asked of it again and again."""

    __slots__ = ("amounts", "anti", "labels", "owner", "place", "pod", "ports", "priority", "scored")

    def __init__(self, pod: Object) -> None:
        self.pod = pod
        self.place: Place = (str(pod["metadata"].get("namespace", "")), name_of(pod))
        self.amounts = pod_amounts(pod)
        self.labels = labels_of(pod)
        self.priority = int(get_in(pod, "spec", "priority", default=0))
        self.ports = ports(pod)
        owner = controller_of(pod)
        self.owner = str(owner["uid"]) if owner else ""
        affinity = get_in(pod, "spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
        self.anti: list[Object] = list(affinity or ())
        containers = len(get_in(pod, "spec", "containers", default=()))
        self.scored = (
            self.amounts.get("cpu") or DEFAULT_CPU * containers,
            self.amounts.get("memory") or DEFAULT_MEMORY * containers,
        )


class NodeInfo:
    """One node with the sums of its pods."""

    __slots__ = ("allocatable", "name", "node", "owners", "pods", "ports", "requested", "scored")

    def __init__(self, name: str) -> None:
        self.name = name
        self.node: Object | None = None
        self.allocatable: Amounts = {}
        self.pods: dict[Place, PodInfo] = {}
        self.requested: Amounts = {}
        self.scored = [0, 0]
        self.owners: dict[str, int] = {}
        self.ports: list[tuple[str, str, int]] = []

    def set_node(self, node: Object | None) -> None:
        self.node = node
        self.allocatable = amounts(get_in(node, "status", "allocatable", default={}))

    def add(self, info: PodInfo, sign: int = 1) -> None:
        if sign > 0:
            self.pods[info.place] = info
            self.ports += info.ports
        else:
            del self.pods[info.place]
            for port in info.ports:
                self.ports.remove(port)
        for name, value in info.amounts.items():
            self.requested[name] = self.requested.get(name, 0) + sign * value
        self.scored[0] += sign * info.scored[0]
        self.scored[1] += sign * info.scored[1]
        if info.owner:
            self.owners[info.owner] = self.owners.get(info.owner, 0) + sign

    def copy(self) -> NodeInfo:
        """For trying what preemption would free."""
        other = NodeInfo(self.name)
        other.node, other.allocatable = self.node, self.allocatable
        other.pods, other.requested = dict(self.pods), dict(self.requested)
        other.scored, other.owners, other.ports = list(self.scored), dict(self.owners), list(self.ports)
        return other


class Snapshot:
    """`nodes` by name, `order` their sorted names, `pending` pods without node, `anti` with required anti-affinity."""

    def __init__(self, api: APIServer) -> None:
        self.store = api.store
        self._seen = 0
        self._last: Write | None = None
        self._base = -1
        self._rebuild()

    def _rebuild(self) -> None:
        self.nodes: dict[str, NodeInfo] = {}
        self.order: list[str] = []
        self.pending: dict[Place, Object] = {}
        self.anti: dict[Place, str] = {}
        self.nominated: dict[str, dict[Place, PodInfo]] = {}
        for node in self.store.list("nodes"):
            self._node(name_of(node), node)
        for pod in self.store.list("pods"):
            self._pod(None, pod)
        writes = self.store.journal.writes
        self._seen, self._last = len(writes), writes[-1] if writes else None
        self._base = self._origin()

    def _origin(self) -> int:
        return self.store.journal.oldest

    def refresh(self) -> None:
        writes = self.store.journal.writes
        known = self._seen <= len(writes) and self._base == self._origin()
        if not known or (self._seen and writes[self._seen - 1] is not self._last):
            self._rebuild()
            return
        for n in range(self._seen, len(writes)):
            write = writes[n]
            if write.resource == "pods":
                self._pod(write.before, write.after)
            elif write.resource == "nodes":
                self._node(write.name, write.after)
        if len(writes) > self._seen:
            self._seen, self._last = len(writes), writes[-1]

    def _node(self, name: str, node: Object | None) -> None:
        info = self.nodes.get(name)
        if info is None:
            info = self.nodes[name] = NodeInfo(name)
        if info.node is None and node is not None:
            insort(self.order, name)
        elif info.node is not None and node is None:
            self.order.remove(name)
        info.set_node(node)

    def _pod(self, before: Object | None, after: Object | None) -> None:
        if before is not None:
            place: Place = (str(before["metadata"].get("namespace", "")), name_of(before))
            self.pending.pop(place, None)
            self.anti.pop(place, None)
            nominee = get_in(before, "status", "nominatedNodeName")
            if nominee:
                self.nominated.get(nominee, {}).pop(place, None)
            info = self.nodes.get(str(get_in(before, "spec", "nodeName", default="")))
            if info is not None and place in info.pods:
                if after is not None and _same_load(before, after):
                    info.pods[place].pod = after
                    if info.pods[place].anti:
                        self.anti[place] = info.name
                    return
                info.add(info.pods[place], -1)
        if after is None or get_in(after, "status", "phase") in ("Succeeded", "Failed"):
            return
        node = get_in(after, "spec", "nodeName")
        place = (str(after["metadata"].get("namespace", "")), name_of(after))
        if not node:
            self.pending[place] = after
            nominee = get_in(after, "status", "nominatedNodeName")
            if nominee:
                self.nominated.setdefault(str(nominee), {})[place] = PodInfo(after)
            return
        info = self.nodes.get(node)
        if info is None:
            info = self.nodes[node] = NodeInfo(node)
        found = PodInfo(after)
        info.add(found)
        if found.anti:
            self.anti[place] = node

    def each(self) -> list[NodeInfo]:
        return [self.nodes[name] for name in self.order]


def _same_load(before: Object, after: Object) -> bool:
    """Only status or annotations changed: the sums stay."""
    return (
        (before["spec"] is after["spec"] or before["spec"] == after["spec"])
        and labels_of(before) == labels_of(after)
        and get_in(after, "status", "phase") not in ("Succeeded", "Failed")
    )
