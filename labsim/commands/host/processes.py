"""The processes of a node: daemons, and of each pod its shim, sandbox and containers; inside a container its own.

A container's share of CPU and memory is that of the metrics API. Kernel threads, shells and what else runs on a host
are not kept. Virtual sizes and the daemons' sizes are [U]: state knows nothing of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from labsim.commands.host.site import Site
from labsim.commands.host.units import pid as daemon_pid
from labsim.commands.host.units import units
from labsim.kube.objects import Object, get_in, name_of, namespace_of
from labsim.kube.strategies.metrics import container_usage
from labsim.sim import names

# Program -> (cores in thousandths, resident KiB) [U].
_DAEMONS = {"systemd": (2, 13_312), "kubelet": (120, 118_784), "containerd": (90, 92_160), "shim": (1, 14_336)}
_PAUSE_KI = 512
_VIRTUAL = 8  # virtual size by resident size [U]
_VARIABLE = re.compile(r"\$\((\w+)\)")


@dataclass(frozen=True)
class Process:
    """`started` in ms; `cpu` in thousandths of a core, used since the start; `resident` in KiB."""

    pid: int
    parent: int
    user: str
    command: str
    started: int
    cpu: int = 0
    resident: int = 0
    state: str = "Ssl"

    @property
    def virtual(self) -> int:
        return self.resident * _VIRTUAL

    @property
    def name(self) -> str:
        """`comm`: 15 characters of the program's file name."""
        return self.command.split(" ")[0].rpartition("/")[2][:15]

    def cpu_seconds(self, now: int) -> int:
        return (now - self.started) // 1000 * self.cpu // 1000


def of_site(where: Site) -> list[Process]:
    """By pid. Empty where no machine is known."""
    if where.machine is None or where.booted is None:
        return []
    if where.container is not None and not get_in(_pod(where, where.container), "spec", "hostPID", default=False):
        return [_process(where, where.container, 1, 0)]
    booted = where.booted
    cpu, resident = _DAEMONS["systemd"]
    found = [
        Process(1, 0, "root", "/sbin/init", booted, cpu, resident, "Ss"),
        Process(2, 0, "root", "[kthreadd]", booted, 0, 0, "S"),
    ]
    for unit in units(where).values():
        if unit.active and unit.since is not None:
            cpu, resident = _DAEMONS.get(unit.program, (1, 8_192))
            found.append(Process(unit.pid, 1, "root", unit.command, unit.since, cpu, resident))
    shims: dict[str, int] = {}
    for container in where.containers():
        uid = str(container["spec"]["podUID"])
        if uid not in shims:
            shims[uid] = daemon_pid(where.node, "shim " + uid, 0) + 10_000
            found += _sandbox(shims[uid], uid, int(container["status"]["startedAt"]))
        found.append(_process(where, container, int(container["spec"].get("pid", 0)), shims[uid]))
    return sorted(found, key=lambda process: process.pid)


def _sandbox(shim: int, uid: str, started: int) -> list[Process]:
    sandbox = names.digest(0, "sandbox", uid).hex()
    command = (
        f"/usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id {sandbox} -address /run/containerd/containerd.sock"
    )
    cpu, resident = _DAEMONS["shim"]
    return [
        Process(shim, 1, "root", command, started, cpu, resident, "Sl"),
        Process(shim + 22, shim, "65535", "/pause", started, 0, _PAUSE_KI, "Ss"),
    ]


def _pod(where: Site, container: Object) -> Object | None:
    assert where.client is not None
    return where.client.find("pods", str(container["spec"]["pod"]), namespace_of(container))


def usage_of(where: Site, container: Object) -> dict[str, int]:
    """Thousandths of cores and bytes."""
    return container_usage(_spec(_pod(where, container), str(container["spec"]["container"])))


def _process(where: Site, container: Object, pid: int, parent: int) -> Process:
    pod = _pod(where, container)
    spec = _spec(pod, str(container["spec"]["container"]))
    usage = container_usage(spec)
    user = get_in(spec, "securityContext", "runAsUser", default=get_in(pod, "spec", "securityContext", "runAsUser"))
    return Process(
        pid,
        parent,
        str(user) if user else "root",
        command_of(container, pod, spec),
        int(container["status"]["startedAt"]),
        usage["cpu"],
        usage["memory"] // 1000 // 1024,
    )


def _spec(pod: Object | None, name: str) -> dict[str, Any]:
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for one in get_in(pod, "spec", group, default=()):
            if one["name"] == name:
                found: dict[str, Any] = one
                return found
    return {}


def command_of(container: Object, pod: Object | None, spec: dict[str, Any]) -> str:
    """Command and arguments with $(VARIABLES) filled in. Without a command the image's own entry point, of which only
    the image's name is known."""
    own = container["spec"]
    words = [str(word) for word in (*(own.get("command") or ()), *(own.get("args") or ()))]
    if not own.get("command"):
        stated = get_in(own, "gpuProcess", "name")
        words.insert(0, str(stated or str(own["image"]).rpartition("/")[2].partition(":")[0]))
    values = {str(item["name"]): _value(item, pod) for item in spec.get("env", ())}
    return _VARIABLE.sub(lambda m: values.get(m.group(1), m.group(0)), " ".join(words)).replace("\n", " ")


def _value(item: dict[str, Any], pod: Object | None) -> str:
    path = get_in(item, "valueFrom", "fieldRef", "fieldPath")
    if path is None or pod is None:
        return str(item.get("value", ""))
    if path == "metadata.name":
        return name_of(pod)
    return str(get_in(pod, *str(path).split("."), default=""))
