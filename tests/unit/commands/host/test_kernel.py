"""dmesg, lsmod, modinfo, lspci, uname, nproc: what they show of the state of a node."""

from __future__ import annotations

import pytest

from labsim import worlds
from labsim.hardware.machine import RESOURCE, gpus, with_driver, with_xid
from labsim.kube.cluster import Cluster
from tests.fakes.hosts import Call, broken_cluster, caller


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return broken_cluster()


@pytest.fixture(scope="module")
def call(cluster: Cluster) -> Call:
    return caller(cluster)


HEAD = "pid='<unknown>', name=<unknown>,"
LOST = f"NVRM: Xid (PCI:0000:61:00): 79, {HEAD} GPU has fallen off the bus."


def test_ring(call: Call, cluster: Cluster) -> None:
    lines = call("dmesg").stdout.splitlines()
    assert lines[0].startswith("[    0.000000] Linux version 5.15.0-1079-nvidia ")
    assert any("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.126.20" in line for line in lines)
    xids = [line for line in lines if "Xid" in line]
    assert [line.partition("] ")[2] for line in xids] == [
        f"NVRM: Xid (PCI:0000:43:00): 48, {HEAD} An uncorrectable double bit error (DBE) has been detected on GPU in "
        "the framebuffer at physAddr 0x18f31d80 partition 16, subpartition 3.",
        LOST,
    ]
    assert xids[1].startswith("[2686620.000")  # 31 days, 2 h 17 min after the boot
    gpu = gpus(cluster.client("system:labsim:test").get(RESOURCE, "gpu-node2"))[3]
    after = [line.partition("] ")[2] for line in lines[lines.index(xids[1]) - 2 :]]
    assert after[:2] == [
        f"NVRM: GPU at PCI:0000:61:00: {gpu['uuid']}",
        f"NVRM: GPU Board Serial Number: {gpu['serial']}",
    ]
    assert after[3] == "NVRM: GPU 0000:61:00.0: GPU has fallen off the bus."
    assert "Xid" not in call("dmesg", host="gpu-node1").stdout


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (13, ", Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address"),
        (43, ", channel 0x00000008"),
        (63, ", Row Remapper: New row (0x0000000018f31d80) marked for remapping, reset gpu to activate."),
        (74, ", NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"),
        (94, ", Contained: SM (0x1). RST: No, D-RST: No"),
        (95, ", Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"),
        (119, ", Timeout after 6s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL) "
              "(0x20802a02 0x8)."),
        (121, ""),
    ],
)  # fmt: skip
def test_xid_lines(code: int, text: str) -> None:
    cluster = worlds.open_world("dgx-h100", 1)
    client = cluster.client("system:labsim:fault")
    client.update_status(RESOURCE, with_xid(client.get(RESOURCE, "gpu-node1"), 5, code, client.now))
    line = next(x for x in caller(cluster)("dmesg -t", host="gpu-node1").stdout.splitlines() if "Xid" in x)
    assert line == f"NVRM: Xid (PCI:0000:c3:00): {code}, pid='<unknown>', name=<unknown>{text}"


CASES = [
    ("dmesg -l err", "gpu-node2", "", "", 0),
    ("dmesg -H", "gpu-node2", "", "labsim: dmesg -H is not simulated here\n", 1),
    ("dmesg --since yesterday", "gpu-node2", "", "labsim: dmesg --since is not simulated here\n", 1),
    ("dmesg -l loud", "gpu-node2", "", "dmesg: unknown level 'loud'\n", 1),
    ("dmesg -Q", "gpu-node2", "", "dmesg: invalid option -- 'Q'\nTry 'dmesg --help' for more information.\n", 1),
    ("dmesg", "kadmin", "", "labsim: dmesg on kadmin is not simulated here\n", 1),
    ("lsmod", "kadmin", "", "labsim: lsmod on kadmin is not simulated here\n", 1),
    ("lspci", "kadmin", "", "labsim: lspci on kadmin is not simulated here\n", 1),
    ("modinfo nvidia", "gpu-node2", "", "modinfo: ERROR: Module nvidia not found.\n", 1),
    ("modinfo mlx5_core", "gpu-node2", "", "labsim: modinfo mlx5_core is not simulated here\n", 1),
    ("lspci -v", "gpu-node2", "", "labsim: lspci -v is not simulated here\n", 1),
    ("lspci -s 61:00.0", "gpu-node2",
     "61:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff)\n", "", 0),
    ("lspci -nn -s 1b:", "gpu-node2",
     "1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n", "", 0),
    ("lspci -Dn -s 18:00.0", "gpu-node2", "0000:18:00.0 0207: 15b3:1021\n", "", 0),
    ("nproc", "gpu-node2", "224\n", "", 0),
    ("nproc", "kadmin", "4\n", "", 0),
    ("uname -r", "gpu-node2", "5.15.0-1079-nvidia\n", "", 0),
    ("uname -r", "kadmin", "5.15.0-1063-nvidia\n", "", 0),
]  # fmt: skip


@pytest.mark.parametrize(("line", "host", "stdout", "stderr", "code"), CASES)
def test_texts(call: Call, line: str, host: str, stdout: str, stderr: str, code: int) -> None:
    result = call(line, host=host)
    assert (result.stdout, result.stderr, result.exit_code) == (stdout, stderr, code)


def test_stamps(call: Call) -> None:
    assert f"[Tue Nov 10 09:41:00 2026] {LOST}\n" in call("dmesg -T").stdout
    assert f"kern  :warn  : {LOST}\n" in call("dmesg -xt").stdout
    assert call("dmesg --time-format iso").stdout.startswith("2026-10-10T07:24:00,000000+00:00 Linux version")


def test_counts_of_devices(call: Call) -> None:
    def count(line: str) -> int:
        return len(call(line).stdout.splitlines())

    assert (count("lspci -d 10de:2330"), count("lspci -d 10de:"), count("lspci -d 15b3:")) == (8, 12, 12)


def test_who_may_read(call: Call, cluster: Cluster) -> None:
    client = cluster.client("system:labsim:test")
    pods = [p for p in client.list("pods") if p["spec"].get("nodeName") == "gpu-node2"]
    driver = next(p["metadata"]["name"] for p in pods if p["metadata"]["name"].startswith("nvidia-driver-daemonset"))
    features = next(p["metadata"]["name"] for p in pods if "feature-discovery-worker" in p["metadata"]["name"])
    assert LOST in call("dmesg", host=driver).stdout
    denied = "dmesg: read kernel buffer failed: Operation not permitted\n"
    assert call("dmesg", host=features).stderr == denied
    assert call("dmesg", user="ubuntu").stderr == denied
    assert call("modinfo -F version nvidia", host=driver).stdout == "580.126.20\n"


def test_modules_follow_the_driver() -> None:
    cluster = worlds.open_world("dgx-h100", 1)
    call, client = caller(cluster), cluster.client("system:labsim:fault")
    lines = call("lsmod", host="gpu-node1").stdout.splitlines()
    assert lines[:4] == [
        "Module                  Size  Used by",
        "nvidia_uvm           2162688  0",
        "nvidia_modeset       1830912  0",
        "nvidia              14381056  10 nvidia_uvm,nvidia_modeset",
    ]
    client.update_status(RESOURCE, with_driver(client.get(RESOURCE, "gpu-node1"), False))
    assert "nvidia" not in call("lsmod", host="gpu-node1").stdout
    assert "NVRM" not in call("dmesg", host="gpu-node1").stdout


def test_follow() -> None:
    """dmesg -w prints what comes while it waits."""
    from labsim.commands.base import Interrupted, WaitEnd
    from labsim.commands.host import dmesg
    from tests.fakes.context import FakeServices, context

    fresh = worlds.open_world("dgx-h100", 1)
    client = fresh.client("system:labsim:fault")

    class Services(FakeServices):
        def advance(self, until: object, timeout_ms: int | None) -> WaitEnd:
            if self.emitted:
                raise Interrupted(130)
            client.update_status(RESOURCE, with_xid(client.get(RESOURCE, "gpu-node1"), 0, 31, client.now))
            return WaitEnd.DONE

    services = Services()
    ctx = context("dmesg", "-W", "-t", client=fresh.client("kubernetes-admin"), host="gpu-node1", services=services)
    with pytest.raises(Interrupted):
        dmesg.main(ctx)
    assert services.emitted[0].startswith("NVRM: GPU at PCI:0000:1b:00: GPU-")
    assert "): 31, pid=" in services.emitted[2]
