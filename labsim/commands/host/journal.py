"""The journal of a host, worked out from its state. A line stands for something the lab knows has happened; of a unit's
earlier starts it keeps nothing.

Texts: kubelet 1.35 (structured klog; the line numbers are [U]) and systemd 249.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from labsim.commands.host import kernellog
from labsim.commands.host.moments import spell
from labsim.commands.host.site import Site
from labsim.commands.host.units import Unit, units
from labsim.kube.objects import get_in, name_of, namespace_of, uid_of
from labsim.sim.clock import parse_time

PLUGINS = "deviceplugins.runtime.labsim"
WARNING, INFO, NOTICE = 4, 6, 5


class Line(NamedTuple):
    """`at`: microseconds since the epoch. `priority`: syslog's, 0 (emerg) to 7 (debug)."""

    at: int
    source: str  # systemd[1]
    text: str
    priority: int = INFO


def of_kernel(where: Site) -> list[Line]:
    return [Line(e.at, "kernel", e.text, kernellog.LEVELS.index(e.level)) for e in kernellog.ring(where)]


def of_unit(where: Site, name: str) -> list[Line]:
    unit = units(where).get(name)
    if unit is None or unit.since is None:
        return []
    lines = _systemd(unit)
    if name == "kubelet" and unit.active:
        lines += _kubelet(where, unit)
    return sorted(lines, key=lambda line: line.at)


def _systemd(unit: Unit) -> list[Line]:
    assert unit.since is not None
    at = unit.since * 1000
    if unit.active:
        return [Line(at, "systemd[1]", f"Started {unit.description}.")]
    return [
        Line(at, "systemd[1]", f"Stopping {unit.description}..."),
        Line(at + 1000, "systemd[1]", f"{unit.name}.service: Deactivated successfully."),
        Line(at + 2000, "systemd[1]", f"Stopped {unit.description}."),
    ]


def _kubelet(where: Site, unit: Unit) -> list[Line]:
    assert unit.since is not None and where.client is not None
    source = f"{unit.program}[{unit.pid}]"
    version = get_in(where.machine, "spec", "system", "kubeletVersion", default="")
    started = unit.since * 1000
    found: list[tuple[int, str, str, str]] = []
    if version:
        found.append((started + 120_000, "I", "server.go:525", f'"Kubelet version" kubeletVersion="{version}"'))
    found += [
        (started + 310_000, "I", "kubelet.go:2475", '"Starting kubelet main sync loop"'),
        (started + 420_000, "I", "kubelet_node_status.go:75", f'"Attempting to register node" node="{where.node}"'),
        (started + 480_000, "I", "kubelet_node_status.go:78", f'"Successfully registered node" node="{where.node}"'),
    ]
    for plugin in where.client.by_index(PLUGINS, "spec.nodeName", where.node):
        at = parse_time(plugin["metadata"]["creationTimestamp"]) * 1000
        text = (
            f'"Got registration request from device plugin with resource" resourceName="{plugin["spec"]["resource"]}"'
        )
        if at >= started:
            found.append((at, "I", "server.go:160", text))
    found += [row for row in _pods(where) if row[0] >= started]
    return [Line(at, source, _klog(at, level, unit.pid, place, text)) for at, level, place, text in found]


def _pods(where: Site) -> list[tuple[int, str, str, str]]:
    """What keeps failing now, at the last time its container ended."""
    assert where.client is not None
    found = []
    for pod in where.client.by_index("pods", "spec.nodeName", where.node):
        for status in get_in(pod, "status", "containerStatuses", default=()):
            waiting = get_in(status, "state", "waiting", default={})
            ended = get_in(status, "lastState", "terminated", "finishedAt")
            if waiting.get("reason") != "CrashLoopBackOff" or not ended:
                continue
            inner = f'\\"{waiting.get("message", "")}\\"'
            text = (
                f'"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"{status["name"]}\\" with '
                f'CrashLoopBackOff: {inner}" pod="{namespace_of(pod)}/{name_of(pod)}" podUID="{uid_of(pod)}"'
            )
            found.append((parse_time(ended) * 1000 + 900_000, "E", "pod_workers.go:1324", text))
    return found


def _klog(at: int, level: str, pid: int, place: str, text: str) -> str:
    moment = datetime.fromtimestamp(at // 1_000_000, UTC)
    return f"{level}{spell(moment, '%m%d %H:%M:%S')}.{at % 1_000_000:06} {pid:>7} {place}] {text}"


def printed(line: Line, host: str, form: str = "short") -> str:
    """`form`: short, short-iso, short-precise or cat. Raises KeyError for another."""
    moment = datetime.fromtimestamp(line.at // 1_000_000, UTC)
    stamp = {
        "short": spell(moment, "%b %d %H:%M:%S"),
        "short-iso": spell(moment, "%FT%T%z"),
        "short-precise": spell(moment, "%b %d %H:%M:%S") + f".{line.at % 1_000_000:06}",
        "cat": "",
    }[form]
    return f"{line.text}\n" if form == "cat" else f"{stamp} {host} {line.source}: {line.text}\n"
