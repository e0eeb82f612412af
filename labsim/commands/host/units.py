"""The systemd units of a host which the lab plays: kubelet and containerd, and the driver's services where the driver
was installed on the host. With the GPU Operator those run in the driver container and are no units.
"""

from __future__ import annotations

from dataclasses import dataclass

from labsim.commands.host.site import Site
from labsim.hardware.machine import driver_loaded
from labsim.kube.objects import get_in
from labsim.sim import names

DRIVER_CONTAINER = "nvidia-driver-ctr"
# Units that such hosts have and the lab does not play.
OTHERS = frozenset(
    """atd chrony chronyd cron dbus dcgm docker getty@tty1 irqbalance mlnx_snap multipathd networking nvidia-dcgm nvsm
    nvsm-core openibd opensm polkit rsyslog serial-getty@ttyS0 snapd ssh sshd systemd-journald systemd-logind
    systemd-networkd systemd-resolved systemd-timesyncd systemd-udevd ufw unattended-upgrades""".split()
)
KUBELET_COMMAND = (
    "/usr/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf "
    "--kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml"
)


@dataclass(frozen=True)
class Unit:
    """`since` in ms: of the last start, or of the stop when not `active`; None when unknown."""

    name: str
    description: str
    active: bool
    since: int | None
    pid: int
    command: str
    docs: str = ""
    dropin: str = ""

    @property
    def program(self) -> str:
        return self.command.split()[0].rpartition("/")[2]


def pid(node: str, program: str, started: int) -> int:
    """Of a daemon: it changes with each start."""
    return names.number(0, 1_200, 9_900, "pid", node, program, started)


def units(where: Site) -> dict[str, Unit]:
    """By name, without `.service`. Empty on the admin host, which runs nothing of the cluster."""
    if where.machine is None or where.booted is None:
        return {}
    found = [_kubelet(where), _daemon(where, "containerd", "containerd container runtime", "/usr/bin/containerd",
                                      "https://containerd.io")]  # fmt: skip
    by_operator = any(c["spec"]["container"] == DRIVER_CONTAINER for c in where.containers())
    if driver_loaded(where.machine) and not by_operator:
        manager = "/usr/bin/nv-fabricmanager -c /usr/share/nvidia/nvswitch/fabricmanager.cfg"
        found.append(_daemon(where, "nvidia-fabricmanager", "NVIDIA fabric manager service", manager))
        daemon = "/usr/bin/nvidia-persistenced --user nvidia-persistenced --persistence-mode --verbose"
        found.append(_daemon(where, "nvidia-persistenced", "NVIDIA Persistence Daemon", daemon))
    return {unit.name: unit for unit in found}


def _daemon(where: Site, name: str, description: str, command: str, docs: str = "") -> Unit:
    """Started with the machine."""
    assert where.booted is not None
    return Unit(name, description, True, where.booted, pid(where.node, name, where.booted), command, docs)


def _kubelet(where: Site) -> Unit:
    state = get_in(where.machine, "status", "kubelet", default={})
    active = bool(state.get("running"))
    since = state.get("startedAt" if active else "since")
    number = pid(where.node, "kubelet", int(since or 0))
    return Unit(
        "kubelet", "kubelet: The Kubernetes Node Agent", active, since, number, KUBELET_COMMAND,
        "https://kubernetes.io/docs/", "/etc/systemd/system/kubelet.service.d\n10-kubeadm.conf",
    )  # fmt: skip
