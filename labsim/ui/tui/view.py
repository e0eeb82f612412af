"""What the screen shows of a lab, taken in one go while nothing runs: plain frozen values, no store objects."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from labsim.hardware import h100, machine, mig, usage
from labsim.kube.objects import get_in
from labsim.lab import LEARNER, Lab
from labsim.sim.clock import rfc3339
from labsim.telling import describe
from labsim.ui import texts

FACE = "system:labsim:face"
MOST_WRITES = 60  # of one input in the timeline
MOST_SCANNED = 3_000  # writes looked at, newest first


@dataclass(frozen=True)
class Slice:
    """A MIG device: `start` and `size` in memory slices (of 8); `users` are `namespace/pod`."""

    name: str
    start: int
    size: int
    users: tuple[str, ...]


@dataclass(frozen=True)
class GpuView:
    """`mode` is `MIG`, `whole` or `pending` (mode asked for, reset to come); `users` hold the GPU as a whole."""

    index: int
    mode: str
    lost: bool
    xids: tuple[int, ...]
    slices: tuple[Slice, ...]
    users: tuple[str, ...]


@dataclass(frozen=True)
class NodeView:
    """`status` as kubectl prints it; `allocatable` are (resource, allocatable, capacity) of nvidia.com/*."""

    name: str
    status: str
    config: str
    state: str
    driver: bool
    allocatable: tuple[tuple[str, str, str], ...]
    gpus: tuple[GpuView, ...]


@dataclass(frozen=True)
class Change:
    """One input and what came of it: `number`, what was typed, (time, actor, change) of each write, oldest first."""

    number: int
    title: str
    writes: tuple[tuple[str, str, str], ...]
    more: int


@dataclass(frozen=True)
class View:
    prompt: str
    time: str
    step: int
    hints: int
    hint_cost: int
    hints_left: int
    checklist: tuple[str, ...]
    goals: tuple[tuple[str, bool], ...]
    nodes: tuple[NodeView, ...]
    changes: tuple[Change, ...]
    answers: tuple[tuple[str, str], ...]
    score: int | None
    revision: int

    @property
    def reached(self) -> int:
        return sum(holds for _, holds in self.goals)


def build_view(lab: Lab, *, running: bool = False) -> View:
    """The caller holds lab.lock. While a line runs the shell cannot be asked, so there is no prompt then."""
    items = lab.checklist()
    hints = (lab.ticket or {}).get("hints", ())
    return View(
        prompt="" if running else lab.shell.prompt(),
        time=rfc3339(lab.cluster.clock.now),
        step=lab.step,
        hints=len(lab.hints),
        hint_cost=sum(hints[i]["cost"] for i in lab.hints),
        hints_left=len(hints) - len(lab.hints),
        checklist=tuple(texts.checklist(items)),
        goals=tuple((item.title, item.verdict.holds) for item in items),
        nodes=nodes(lab),
        changes=changes(lab),
        answers=tuple(sorted(lab.answers.items())),
        score=lab.submitted.score if lab.submitted is not None else None,
        revision=lab.cluster.journal.revision,
    )


def nodes(lab: Lab) -> tuple[NodeView, ...]:
    """From the machines (hardware truth) and the Node objects; a node without GPUs is not drawn."""
    client = lab.cluster.client(FACE)
    found = []
    for one in client.list(machine.RESOURCE):
        if machine.gpus(one):
            name = one["metadata"]["name"]
            holders = _holders(client.by_index(usage.CONTAINERS, "spec.nodeName", name))
            found.append(_node(one, client.find("nodes", name), holders))
    return tuple(sorted(found, key=lambda node: node.name))


def _holders(containers: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Device UUID -> pods that hold it (from admission until the pod ends)."""
    found: dict[str, list[str]] = defaultdict(list)
    for container in containers:
        if get_in(container, "status", "state") == "exited" and not get_in(container, "spec", "devices", default={}):
            continue
        pod = f"{container['metadata']['namespace']}/{container['spec']['pod']}"
        for uuid in usage.device_ids(container):
            if pod not in found[uuid]:
                found[uuid].append(pod)
    return {uuid: tuple(sorted(pods)) for uuid, pods in found.items()}


def _node(one: dict[str, Any], node: dict[str, Any] | None, holders: dict[str, tuple[str, ...]]) -> NodeView:
    labels = get_in(node, "metadata", "labels", default={}) if node is not None else {}
    allocatable = get_in(node, "status", "allocatable", default={}) if node is not None else {}
    capacity = get_in(node, "status", "capacity", default={}) if node is not None else {}
    names = sorted(name for name in {**capacity, **allocatable} if name.startswith("nvidia.com/"))
    return NodeView(
        name=one["metadata"]["name"],
        status=_status(node),
        config=labels.get("nvidia.com/mig.config", ""),
        state=labels.get("nvidia.com/mig.config.state", ""),
        driver=machine.driver_loaded(one),
        allocatable=tuple((n, str(allocatable.get(n, "0")), str(capacity.get(n, "0"))) for n in names),
        gpus=tuple(_gpu(gpu, holders) for gpu in machine.gpus(one)),
    )


def _status(node: dict[str, Any] | None) -> str:
    if node is None:
        return "no Node object"
    conditions = {c["type"]: c["status"] for c in get_in(node, "status", "conditions", default=[])}
    status = "Ready" if conditions.get("Ready") == "True" else "NotReady"
    return status + (",SchedulingDisabled" if get_in(node, "spec", "unschedulable", default=False) else "")


def _gpu(gpu: dict[str, Any], holders: dict[str, tuple[str, ...]]) -> GpuView:
    places = {gi["giId"]: gi for gi in gpu["instances"]}
    slices = [
        Slice(
            device.name,
            places[device.gi_id]["start"],
            places[device.gi_id]["size"],
            holders.get(device.uuid, ()),
        )
        for device in mig.mig_devices(gpu)
    ]
    # An instance without a compute instance is there, but no device yet.
    bare = [
        Slice(h100.BY_ID[gi["profileId"]].name + "?", gi["start"], gi["size"], ())
        for gi in gpu["instances"]
        if not gi["compute"]
    ]
    pending = gpu["mig"]["current"] != gpu["mig"]["pending"]
    return GpuView(
        index=gpu["index"],
        mode="pending" if pending else "MIG" if mig.enabled(gpu) else "whole",
        lost=gpu["lost"],
        xids=tuple(xid["code"] for xid in gpu["xids"]),
        slices=tuple(sorted([*slices, *bare], key=lambda s: (s.start, s.name))),
        users=holders.get(gpu["uuid"], ()),
    )


def changes(lab: Lab) -> tuple[Change, ...]:
    """The newest inputs first. What learners cannot see, and events, are left out."""
    scheme = lab.cluster.api.scheme
    found: dict[int, list[tuple[str, str, str]]] = {}
    more: dict[int, int] = defaultdict(int)
    for write in reversed(lab.cluster.journal.writes[-MOST_SCANNED:]):
        resource = scheme.find(write.resource)
        if (resource is not None and resource.hidden) or write.resource.partition(".")[0] == "events":
            continue
        lines = found.setdefault(write.input, [])
        if len(lines) < MOST_WRITES:
            lines.append((rfc3339(write.time)[11:19], actor(write.actor), describe(write)[9:].rpartition(" by ")[0]))
        else:
            more[write.input] += 1
    made = []
    for number, lines in found.items():
        entry = lab.past_input(number)
        title = texts.typed(lab, number) or "(running)"
        if entry is not None and entry["kind"] == "advance":
            title = f"(let {entry['steps']} step{'s' * (entry['steps'] != 1)} pass)"
        made.append(Change(number, title, tuple(reversed(lines)), more[number]))
    return tuple(sorted(made, key=lambda change: -change.number)[:40])


def actor(identity: str) -> str:
    """An identity in few words; the learner is `you`."""
    if identity == LEARNER:
        return "you"
    if identity.startswith("system:node:"):
        return "kubelet of " + identity.removeprefix("system:node:")
    if identity.startswith("system:serviceaccount:"):
        return identity.rpartition(":")[2]
    return identity.removeprefix("system:")
