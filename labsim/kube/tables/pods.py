"""The cells of pods and of their templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labsim.kube.objects import Object, condition_of, get_in, is_true, meta, name_of
from labsim.kube.tables import NONE, age, containers, label_text, since, table
from labsim.sim.clock import parse_time


def _ended(state: Object, prefix: str = "") -> str:
    """How a terminated container shows: its reason, else the signal or the exit code."""
    if state.get("reason"):
        return f"{prefix}{state['reason']}"
    if state.get("signal"):
        return f"{prefix}Signal:{state['signal']}"
    return f"{prefix}ExitCode:{state.get('exitCode', 0)}"


class _Count:
    """Restarts, and when the newest of the terminations before them was."""

    def __init__(self) -> None:
        self.restarts = 0
        self.last = ""

    def add(self, status: Object) -> None:
        self.restarts += int(status.get("restartCount") or 0)
        finished = get_in(status, "lastState", "terminated", "finishedAt", default="")
        if finished and (not self.last or parse_time(finished) > parse_time(self.last)):
            self.last = finished

    def text(self, now: int) -> str:
        if self.restarts and self.last:
            return f"{self.restarts} ({since(self.last, now)} ago)"
        return str(self.restarts)


def pod_state(pod: Object, now: int) -> tuple[str, str, str]:
    """READY, STATUS and RESTARTS (printers.go printPod; kubectl.md 1.2)."""
    status = pod.get("status") or {}
    spec = pod.get("spec") or {}
    init_specs = {c.get("name"): c for c in spec.get("initContainers") or ()}
    sidecars = {name for name, c in init_specs.items() if c.get("restartPolicy") == "Always"}
    total = len(spec.get("containers") or ()) + len(sidecars)
    ready = 0
    reason = str(status.get("reason") or status.get("phase") or "")
    gated = condition_of(pod, "PodScheduled")
    if gated is not None and gated.get("reason") == "SchedulingGated":
        reason = "SchedulingGated"

    all_restarts, sidecar_restarts = _Count(), _Count()
    initializing = False
    for index, container in enumerate(status.get("initContainerStatuses") or ()):
        all_restarts.add(container)
        sidecar = container.get("name") in sidecars
        if sidecar:
            sidecar_restarts.add(container)
        state = container.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting")
        if ended is not None and int(ended.get("exitCode") or 0) == 0:
            continue
        if sidecar and container.get("started"):
            ready += bool(container.get("ready"))
            continue
        if ended is not None:
            reason = _ended(ended, "Init:")
        elif waiting and waiting.get("reason") and waiting["reason"] != "PodInitializing":
            reason = f"Init:{waiting['reason']}"
        else:
            reason = f"Init:{index}/{len(init_specs)}"
        initializing = True
        break

    restarts = all_restarts
    if not initializing or is_true(pod, "Initialized"):
        restarts = sidecar_restarts
        running = False
        for container in reversed(status.get("containerStatuses") or ()):
            restarts.add(container)
            state = container.get("state") or {}
            if (state.get("waiting") or {}).get("reason"):
                reason = str(state["waiting"]["reason"])
            elif state.get("terminated") is not None:
                reason = _ended(state["terminated"])
            elif container.get("ready") and state.get("running") is not None:
                running = True
                ready += 1
        if reason == "Completed" and running:
            reason = "Running" if is_true(pod, "Ready") else "NotReady"

    if meta(pod).get("deletionTimestamp"):
        if status.get("reason") == "NodeLost":
            reason = "Unknown"
        elif status.get("phase") not in ("Succeeded", "Failed"):
            reason = "Terminating"
    return f"{ready}/{total}", reason, restarts.text(now)


def _gates(pod: Object) -> str:
    gates = get_in(pod, "spec", "readinessGates", default=())
    if not gates:
        return NONE
    return f"{sum(is_true(pod, gate.get('conditionType', '')) for gate in gates)}/{len(gates)}"


@table("Name, Ready, Status, Restarts, Age", "IP, Node, Nominated Node, Readiness Gates")
def PODS(pod: Object, now: int) -> Sequence[Any]:
    ready, status, restarts = pod_state(pod, now)
    addresses = get_in(pod, "status", "podIPs", default=())
    return [
        name_of(pod),
        ready,
        status,
        restarts,
        age(pod, now),
        (addresses[0].get("ip") if addresses else get_in(pod, "status", "podIP")) or NONE,
        get_in(pod, "spec", "nodeName") or NONE,
        get_in(pod, "status", "nominatedNodeName") or NONE,
        _gates(pod),
    ]


@table("Name, Containers, Images, Pod Labels")
def POD_TEMPLATES(obj: Object, now: int) -> Sequence[Any]:
    return [
        name_of(obj),
        *containers(get_in(obj, "template", "spec")),
        label_text(get_in(obj, "template", "metadata", "labels")),
    ]
