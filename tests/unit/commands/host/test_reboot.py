"""A node reboots: down, up again, everything back, and what a reboot takes away is gone."""

from __future__ import annotations

import pytest

from labsim import worlds
from labsim.hardware.machine import RESOURCE, gpus
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in
from labsim.lab import Lab
from labsim.worlds import audit
from tests.fakes.hosts import broken_cluster, caller

NODE = "gpu-node2"


def ready(client: Client) -> str:
    rows = client.get("nodes", NODE)["status"]["conditions"]
    return str(next(row["status"] for row in rows if row["type"] == "Ready"))


def pass_time(cluster: Cluster, seconds: int) -> None:
    cluster.loop.advance_to(cluster.clock.now + seconds * 1000)


def test_down_and_up() -> None:
    cluster = broken_cluster()
    client = cluster.client("system:labsim:test")
    call = caller(cluster)
    before = client.get("nodes", NODE)["status"]["nodeInfo"]["bootID"]
    assert call("reboot", host=NODE).exit_code == 0
    pass_time(cluster, 60)
    assert ready(client) == "Unknown"
    assert call("ssh gpu-node2 true", host="kadmin").stderr == (
        "ssh: connect to host gpu-node2 port 22: No route to host\n"
    )
    assert call("ping -c 1 -W 1 gpu-node2", host="kadmin").exit_code == 1
    pass_time(cluster, 540)
    assert ready(client) == "True" and cluster.loop.quiet()
    assert client.get("nodes", NODE)["status"]["nodeInfo"]["bootID"] != before
    assert get_in(client.get("nodes", NODE), "status", "allocatable", "nvidia.com/gpu") == "8"
    machine = client.get(RESOURCE, NODE)
    assert [(gpu["lost"], gpu["xids"]) for gpu in gpus(machine)] == [(False, [])] * 8
    log = call("dmesg -t", host=NODE).stdout
    assert "Xid" not in log and "NVRM: loading NVIDIA UNIX Open Kernel Module" in log
    assert call("uptime -s", host=NODE).stdout == "2026-11-10 09:46:00\n"
    pods = client.by_index("pods", "spec.nodeName", NODE)
    phases = {pod["status"]["phase"] for pod in pods}
    assert phases <= {"Running", "Succeeded"}
    counts = [s["restartCount"] for p in pods if p["status"]["phase"] == "Running"
              for s in p["status"]["containerStatuses"]]  # fmt: skip
    assert counts and set(counts) == {1}
    events = [e for e in client.list("events", "default") if e["reason"] == "Rebooted"]
    assert events[0]["message"] == (
        f"Node {NODE} has been rebooted, boot id: {client.get('nodes', NODE)['status']['nodeInfo']['bootID']}"
    )
    assert audit.violations(cluster.journal.writes) == []


def test_mig_is_lost_and_brought_back() -> None:
    """gpu.md 2.7 f: Hopper forgets its MIG mode; MIG Manager applies the label again when its pod is back."""
    cluster = worlds.open_world("dgx-h100", 1, freeze_objects=True)
    client, label = cluster.client("system:labsim:test"), "nvidia.com/mig.config"
    cluster.client("kubernetes-admin").patch("nodes", NODE, {"metadata": {"labels": {label: "all-1g.10gb"}}})
    pass_time(cluster, 300)
    assert [len(gpu["instances"]) for gpu in gpus(client.get(RESOURCE, NODE))] == [7] * 8
    caller(cluster)("shutdown -r now", host=NODE)
    pass_time(cluster, 310)
    assert [(gpu["mig"]["current"], gpu["instances"]) for gpu in gpus(client.get(RESOURCE, NODE))] == [
        ("Disabled", [])
    ] * 8
    pass_time(cluster, 600)
    assert [len(gpu["instances"]) for gpu in gpus(client.get(RESOURCE, NODE))] == [7] * 8
    assert client.get("nodes", NODE)["metadata"]["labels"]["nvidia.com/mig.config.state"] == "success"


def test_session_ends_and_undo() -> None:
    lab = Lab.open(world="dgx-h100", freeze_objects=True)
    start = lab.state_hash()
    lab.run("ssh gpu-node2")
    out = lab.run("reboot")
    assert (out.stderr, out.exit_code) == (
        "Connection to gpu-node2 closed by remote host.\nConnection to gpu-node2 closed.\n", 255,
    )  # fmt: skip
    assert lab.run("hostname").stdout == "kadmin\n"
    for _ in range(3):
        lab.undo()
    assert lab.state_hash() == start


@pytest.mark.parametrize(
    ("line", "host", "stderr"),
    [
        ("reboot", "kadmin", "labsim: reboot on kadmin is not simulated here\n"),
        ("reboot -f", NODE, "labsim: reboot -f is not simulated here\n"),
        ("shutdown -h now", NODE, "labsim: shutdown but for shutdown -r now is not simulated here\n"),
        ("systemctl poweroff", NODE, "labsim: systemctl poweroff is not simulated here\n"),
    ],
)
def test_refused(line: str, host: str, stderr: str) -> None:
    result = caller(worlds.open_world("dgx-h100", 1))(line, host=host)
    assert (result.stdout, result.stderr, result.exit_code) == ("", stderr, 1)
