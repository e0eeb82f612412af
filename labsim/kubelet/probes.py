"""Startup, readiness and liveness: when a container counts as started and ready, and what a failing probe says.

A program without a simulated controller answers its probes from `ready` ms on, unless the lifecycle data name a failure
or list ports (`listens`) among which the probed one is missing.
"""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import Object, get_in
from labsim.kubelet.context import PodSync
from labsim.sim.clock import SECOND

_TITLE = {"startupProbe": "Startup", "readinessProbe": "Readiness", "livenessProbe": "Liveness"}


def _number(probe: Object, key: str, default: int) -> int:
    value = probe.get(key)
    return default if value is None else int(value)


def failure(pod: Object, spec: Object, container: Object, kind: str) -> str:
    """The output of a probe that cannot succeed; "" when it will."""
    probe = spec.get(kind)
    if probe is None:
        return ""
    said = get_in(container, "status", "failing", kind.removesuffix("Probe"))
    if said:
        return str(said)
    listens = get_in(container, "status", "listens")
    if listens is None:
        return ""
    action = probe.get("httpGet") or probe.get("tcpSocket")
    if action is None:
        return ""
    port = _port(spec, action.get("port"))
    if port is None or port in listens:
        return ""
    address = f"{action.get('host') or get_in(pod, 'status', 'podIP', default='')}:{port}"
    refused = f"dial tcp {address}: connect: connection refused"
    if "httpGet" not in probe:
        return refused
    scheme = str(action.get("scheme", "HTTP")).lower()
    return f'Get "{scheme}://{address}{action.get("path") or "/"}": {refused}'


def _port(spec: Object, wanted: Any) -> int | None:
    if isinstance(wanted, int) or str(wanted).isdigit():
        return int(wanted)
    for port in spec.get("ports") or ():
        if port.get("name") == wanted:
            return int(port["containerPort"])
    return None


def _passes_at(container: Object, probe: Object) -> int:
    """The first probe that succeeds, in ms."""
    started = int(container["status"]["startedAt"])
    delay = _number(probe, "initialDelaySeconds", 0) * SECOND
    period = _number(probe, "periodSeconds", 10) * SECOND
    needs = int(container["status"].get("readyAfter", 0))
    # The readiness and startup workers probe once at once; a failure costs a whole period.
    late = 0 if needs <= delay else -(-(needs - delay) // period) * period
    return started + delay + late


def is_started(sync: PodSync, spec: Object, container: Object) -> bool:
    status = container["status"]
    if status["state"] != "running":
        return False
    probe = spec.get("startupProbe")
    if probe is None:
        return True
    if status.get("managed"):
        return status.get("ready") is not None
    return not failure(sync.pod, spec, container, "startupProbe") and sync.now >= _passes_at(container, probe)


def is_ready(sync: PodSync, spec: Object, container: Object) -> bool:
    if not is_started(sync, spec, container) or container["status"].get("stopping"):
        return False
    said = container["status"].get("ready")
    probe = spec.get("readinessProbe")
    if container["status"].get("managed"):
        return said is True if probe is not None else said is not False
    if said is not None:
        return bool(said)
    if probe is None:
        return True
    return not failure(sync.pod, spec, container, "readinessProbe") and sync.now >= _passes_at(container, probe)


def look(sync: PodSync, group: str, spec: Object, container: Object) -> None:
    """Set due times for probes to come, and say so when one fails. A failed liveness or startup probe kills."""
    if container["status"].get("managed") or container["status"].get("stopping"):
        return
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        probe = spec.get(kind)
        if probe is None:
            continue
        text = failure(sync.pod, spec, container, kind)
        if not text:
            if kind != "livenessProbe" and sync.now < (at := _passes_at(container, probe)):
                sync.due(at)
                if kind == "startupProbe":
                    return
            continue
        if _failing(sync, group, spec, container, kind, probe, text):
            return
        container = sync.containers[spec["name"]]
        if kind == "startupProbe":
            return


def _failing(sync: PodSync, group: str, spec: Object, container: Object, kind: str, probe: Object, text: str) -> bool:
    """One more failure, if it is time. True when the container was killed for it."""
    from labsim.kubelet.containers import finish

    period = _number(probe, "periodSeconds", 10) * SECOND
    probed = dict(container["status"].get("probed") or {})
    first = int(container["status"]["startedAt"]) + max(_number(probe, "initialDelaySeconds", 0) * SECOND, SECOND)
    count, last = probed.get(kind, [0, 0])
    due = first if not count else last + period
    if sync.now < due:
        sync.due(due, periodic=True)
        return False
    count += 1
    probed[kind] = [count, sync.now]
    container = sync.store(container, probed=probed)
    sync.event("Warning", "Unhealthy", f"{_TITLE[kind]} probe failed: {text}", str(spec["name"]), group)
    if kind != "readinessProbe" and count >= _number(probe, "failureThreshold", 3):
        title = _TITLE[kind].lower()
        said = f"Container {spec['name']} failed {title} probe, will be restarted"
        sync.event("Normal", "Killing", said, str(spec["name"]), group)
        stop = container["status"].get("stop") or {}
        finish(sync, container, 137 if stop.get("deaf") else int(stop.get("code", 0)))
        return True
    sync.due(sync.now + period, periodic=True)
    return False
