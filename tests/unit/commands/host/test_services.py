"""ps, systemctl and journalctl: daemons and containers of a node."""

from __future__ import annotations

import pytest

from labsim import worlds
from labsim.commands.host.systemctl import ago
from labsim.hardware.machine import RESOURCE
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in
from tests.fakes.hosts import Call, broken_cluster, caller


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return broken_cluster()


@pytest.fixture(scope="module")
def call(cluster: Cluster) -> Call:
    return caller(cluster)


NO_SYSTEMD = (
    "System has not been booted with systemd as init system (PID 1). Can't operate.\n"
    "Failed to connect to bus: Host is down\n"
)
CASES = [
    ("systemctl is-active kubelet", "gpu-node2", "active\n", "", 0),
    ("systemctl is-active kubelt", "gpu-node2", "inactive\n", "", 3),
    ("systemctl is-enabled kubelet.service", "gpu-node2", "enabled\n", "", 0),
    ("systemctl is-enabled kubelt", "gpu-node2", "",
     "Failed to get unit file state for kubelt.service: No such file or directory\n", 1),
    ("systemctl is-failed kubelet", "gpu-node2", "active\n", "", 1),
    ("systemctl status kubelt", "gpu-node2", "", "Unit kubelt.service could not be found.\n", 4),
    ("systemctl status nvidia-fabricmanager", "gpu-node2", "",
     "Unit nvidia-fabricmanager.service could not be found.\n", 4),
    ("systemctl status kubelet", "kadmin", "", "Unit kubelet.service could not be found.\n", 4),
    ("systemctl restart kubelt", "gpu-node2", "",
     "Failed to restart kubelt.service: Unit kubelt.service not found.\n", 5),
    ("systemctl stop kubelt", "gpu-node2", "",
     "Failed to stop kubelt.service: Unit kubelt.service not loaded.\n", 5),
    ("systemctl restart containerd", "gpu-node2", "",
     "labsim: systemctl restart containerd is not simulated here\n", 1),
    ("systemctl status nvsm", "gpu-node2", "", "labsim: systemctl status nvsm is not simulated here\n", 1),
    ("systemctl daemon-reload", "gpu-node2", "", "labsim: systemctl daemon-reload is not simulated here\n", 1),
    ("systemctl frobnicate x", "gpu-node2", "", "Unknown command verb frobnicate.\n", 1),
    ("systemctl restart", "gpu-node2", "", "Too few arguments.\n", 1),
    ("systemctl -p Id status kubelet", "gpu-node2", "", "labsim: systemctl -p is not simulated here\n", 1),
    ("journalctl", "gpu-node2", "", "labsim: journalctl without -u or -k is not simulated here\n", 1),
    ("journalctl -u kubelet -o json", "gpu-node2", "", "labsim: journalctl -o json is not simulated here\n", 1),
    ("journalctl -u kubelet -u containerd", "gpu-node2", "",
     "labsim: journalctl with more than one -u is not simulated here\n", 1),
    ("journalctl -u sshd", "gpu-node2", "", "labsim: journalctl -u sshd on gpu-node2 is not simulated here\n", 1),
    ("journalctl -u kubelet --since whenever", "gpu-node2", "", "Failed to parse timestamp: whenever\n", 1),
    ("journalctl -qu kubelt", "gpu-node2", "", "", 0),
    ("journalctl -q -u containerd -n 1 -o cat -b", "gpu-node1", "Started containerd container runtime.\n", "", 0),
    ("journalctl -k -q -p err", "gpu-node2", "", "", 0),
    ("ps", "gpu-node2", "", "labsim: ps of one terminal is not simulated here\n", 1),
    ("ps -eo pid", "gpu-node2", "", "labsim: ps -o is not simulated here\n", 1),
    ("ps aux", "kadmin", "", "labsim: ps on kadmin is not simulated here\n", 1),
    ("ps -p 4000000", "gpu-node2", "    PID TTY          TIME CMD\n", "", 1),
]  # fmt: skip


@pytest.mark.parametrize(("line", "host", "stdout", "stderr", "code"), CASES)
def test_texts(call: Call, line: str, host: str, stdout: str, stderr: str, code: int) -> None:
    result = call(line, host=host)
    assert (result.stdout, result.stderr, result.exit_code) == (stdout, stderr, code)


def test_status_page(call: Call) -> None:
    lines = call("systemctl status kubelet").stdout.splitlines()
    pid = lines[6].split()[2]
    assert lines[:9] == [
        "● kubelet.service - kubelet: The Kubernetes Node Agent",
        "     Loaded: loaded (/lib/systemd/system/kubelet.service; enabled; vendor preset: enabled)",
        "    Drop-In: /etc/systemd/system/kubelet.service.d",
        "             └─10-kubeadm.conf",
        "     Active: active (running) since Sat 2026-10-10 07:24:00 UTC; 1 month 0 days ago",
        "       Docs: https://kubernetes.io/docs/",
        f"   Main PID: {pid} (kubelet)",
        "     CGroup: /system.slice/kubelet.service",
        f"             └─{pid} /usr/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf "
        "--kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml",
    ]
    assert lines[-1].endswith(
        '] "Got registration request from device plugin with resource" resourceName="nvidia.com/gpu"'
    )
    assert lines[10] == "Oct 10 07:24:00 gpu-node2 systemd[1]: Started kubelet: The Kubernetes Node Agent."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (7, "7s"), (95, "1min 35s"), (400, "6min"), (7_260, "2h 1min"), (90_000, "1 day 1h"), (200_000, "2 days"),
        (700_000, "1 week 1 day"), (2_686_620, "1 month 0 days"), (40_000_000, "1 year 3 months"),
    ],
)  # fmt: skip
def test_ago(seconds: int, text: str) -> None:
    assert ago(seconds) == text


def test_kubelet_stops_and_starts() -> None:
    cluster = worlds.open_world("dgx-h100", 1, freeze_objects=True)
    call = caller(cluster)
    client = cluster.client("system:labsim:test")

    def ready() -> str:
        rows = client.get("nodes", "gpu-node1")["status"]["conditions"]
        return str(next(row["status"] for row in rows if row["type"] == "Ready"))

    before = call("ps -C kubelet", host="gpu-node1").stdout
    assert call("systemctl start kubelet", host="gpu-node1").exit_code == 0  # runs already
    assert call("ps -C kubelet", host="gpu-node1").stdout == before
    assert call("systemctl stop kubelet", host="gpu-node1", user="ubuntu").exit_code == 1
    assert call("systemctl stop kubelet", host="gpu-node1").exit_code == 0
    assert call("ps -C kubelet", host="gpu-node1").exit_code == 1
    page = call("systemctl status kubelet", host="gpu-node1")
    assert (
        page.exit_code == 3 and "     Active: inactive (dead) since Tue 2026-11-10 09:41:00 UTC; 0s ago" in page.stdout
    )
    assert page.stdout.endswith("gpu-node1 systemd[1]: Stopped kubelet: The Kubernetes Node Agent.\n")
    cluster.loop.advance_to(cluster.clock.now + 90_000)
    assert ready() == "Unknown"
    assert call("systemctl restart kubelet", host="gpu-node1").exit_code == 0
    cluster.loop.advance_to(cluster.clock.now + 30_000)
    assert (
        ready() == "True" and get_in(client.get("nodes", "gpu-node1"), "status", "allocatable", "nvidia.com/gpu") == "8"
    )
    text = call("journalctl -xeu kubelet", host="gpu-node1").stdout
    assert "░░ A start job for unit kubelet.service has finished successfully.\n" in text
    assert 'kubelet_node_status.go:78] "Successfully registered node" node="gpu-node1"' in text
    assert client.get(RESOURCE, "gpu-node1")["status"]["kubelet"]["running"] is True


def test_processes_are_the_containers(call: Call, cluster: Cluster) -> None:
    client = cluster.client("system:labsim:test")
    running = {
        str(c["spec"]["pid"])
        for c in client.by_index("containers.runtime.labsim", "spec.nodeName", "gpu-node2")
        if c["status"]["state"] == "running"
    }
    rows = call("ps aux").stdout.splitlines()
    assert rows[0] == "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"
    assert rows[1].startswith("root           1  0.2  0.0 106496 13312 ?        Ss   Oct10 ")
    assert running <= {row.split()[1] for row in rows}
    assert any(row.endswith(" /usr/local/bin/kube-proxy --config=/var/lib/kube-proxy/config.conf "
                            "--hostname-override=gpu-node2") for row in rows)  # fmt: skip
    assert call("ps -aux").stdout == "\n".join(rows) + "\n"
    full = call("ps -ef").stdout.splitlines()
    assert full[0] == "UID          PID    PPID  C STIME TTY          TIME CMD" and len(full) == len(rows)
    by_memory = [int(row.split()[5]) for row in call("ps aux --sort=-rss").stdout.splitlines()[1:]]
    assert len(by_memory) == len(rows) - 1 and by_memory == sorted(by_memory, reverse=True)


def test_inside_a_container(call: Call) -> None:
    rows = call("ps -ef", host="asr-1").stdout.splitlines()
    assert [row.split()[1:3] + row.split()[7:] for row in rows[1:]] == [["1", "0", "python", "serve_asr.py"]]
    assert call("systemctl status kubelet", host="asr-1").stderr == NO_SYSTEMD


def test_crash_loops_are_told() -> None:
    from labsim import faults

    cluster = worlds.open_world("dgx-h100", 1)
    faults.inject(cluster, "plugin-crash", node="gpu-node1")
    cluster.loop.advance_to(cluster.clock.now + 120_000)
    line = caller(cluster)("journalctl -u kubelet -o cat -n 1", host="gpu-node1").stdout
    assert 'pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for' in line
    assert 'with CrashLoopBackOff: \\"back-off ' in line
