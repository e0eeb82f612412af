"""free, df, uptime, lscpu, hostnamectl, ip and ping."""

from __future__ import annotations

import pytest

from labsim.hardware.machine import RESOURCE
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in
from labsim.kube.podresources import amounts
from tests.fakes.hosts import Call, broken_cluster, caller


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return broken_cluster()


@pytest.fixture(scope="module")
def call(cluster: Cluster) -> Call:
    return caller(cluster)


def pod_address(cluster: Cluster, name: str) -> str:
    pods = cluster.client("system:labsim:test").list("pods")
    return str(next(get_in(p, "status", "podIP") for p in pods if p["metadata"]["name"] == name))


CASES = [
    ("free -h", "kadmin",
     "               total        used        free      shared  buff/cache   available\n"
     "Mem:            15Gi       1.1Gi        12Gi       8.7Mi       2.2Gi        14Gi\n"
     "Swap:             0B          0B          0B\n", "", 0),
    ("free -s 1", "kadmin", "", "labsim: free -s is not simulated here\n", 1),
    ("df -h", "kadmin",
     "Filesystem      Size  Used Avail Use% Mounted on\n"
     "tmpfs           1.6G     0  1.6G   0% /run\n"
     "/dev/vda1        97G   15G   78G  16% /\n"
     "tmpfs           7.9G     0  7.9G   0% /dev/shm\n"
     "tmpfs           5.0M     0  5.0M   0% /run/lock\n", "", 0),
    ("df -T /root", "kadmin",
     "Filesystem     Type 1K-blocks     Used Available Use% Mounted on\n"
     "/dev/vda1      ext4 101430960 14873216  81486196  16% /\n", "", 0),
    ("df nope", "kadmin", "", "df: nope: No such file or directory\n", 1),
    ("df -i", "gpu-node2", "", "labsim: df -i is not simulated here\n", 1),
    ("df", "asr-1", "", "labsim: df in a container is not simulated here\n", 1),
    ("uptime -s", "gpu-node2", "2026-10-10 07:24:00\n", "", 0),
    ("uptime -p", "gpu-node2", "up 4 weeks, 3 days, 2 hours, 17 minutes\n", "", 0),
    ("uptime", "kadmin", " 09:41:00 up 31 days,  2:17,  1 user,  load average: 0.00, 0.00, 0.00\n", "", 0),
    ("lscpu x", "gpu-node2", "", "lscpu: bad usage\nTry 'lscpu --help' for more information.\n", 1),
    ("lscpu -e", "gpu-node2", "", "labsim: lscpu -e is not simulated here\n", 1),
    ("hostnamectl set-hostname x", "gpu-node2", "", "labsim: hostnamectl set-hostname is not simulated here\n", 1),
    ("ip -br addr", "kadmin", "lo               UNKNOWN        127.0.0.1/8 \n"
                              "ens3             UP             10.141.0.2/16 \n", "", 0),
    ("ip route", "kadmin", "default via 10.141.0.1 dev ens3 proto static \n"
                           "10.141.0.0/16 dev ens3 proto kernel scope link src 10.141.0.2 \n", "", 0),
    ("ip link show eth9", "kadmin", "", 'Device "eth9" does not exist.\n', 1),
    ("ip foo", "kadmin", "", 'Object "foo" is unknown, try "ip help".\n', 1),
    ("ip neigh", "kadmin", "", "labsim: ip neigh is not simulated here\n", 1),
    ("ip addr add 1.2.3.4/8 dev lo", "kadmin", "", "labsim: ip addr add is not simulated here\n", 1),
    ("ip -s link", "kadmin", "", "labsim: ip -s is not simulated here\n", 1),
    ("ping nosuch", "kadmin", "", "ping: nosuch: Name or service not known\n", 2),
    ("ping -c 0 gpu-node1", "kadmin", "",
     "ping: invalid argument: '0': out of range: 1 <= value <= 9223372036854775807\n", 1),
    ("ping -f gpu-node1", "kadmin", "", "labsim: ping -f is not simulated here\n", 1),
]  # fmt: skip


@pytest.mark.parametrize(("line", "host", "stdout", "stderr", "code"), CASES)
def test_texts(call: Call, line: str, host: str, stdout: str, stderr: str, code: int) -> None:
    result = call(line, host=host)
    assert (result.stdout, result.stderr, result.exit_code) == (stdout, stderr, code)


def test_memory_is_that_of_the_metrics(call: Call, cluster: Cluster) -> None:
    metric = cluster.client("system:labsim:test").get("nodes.metrics.k8s.io", "gpu-node2")
    row = call("free -k").stdout.splitlines()[1].split()
    assert row[1] == str(2113402 * 1024)  # the node's capacity
    assert int(row[2]) == amounts(metric["usage"])["memory"] // 1000 // 1024
    assert int(row[1]) == int(row[2]) + int(row[3]) + int(row[5])
    assert call("uptime").stdout.endswith(f"load average: {', '.join([_load(cluster)] * 3)}\n")


def _load(cluster: Cluster) -> str:
    metric = cluster.client("system:labsim:test").get("nodes.metrics.k8s.io", "gpu-node2")
    return f"{amounts(metric['usage'])['cpu'] / 1000:.2f}"


def test_disk_of_a_node(call: Call, cluster: Cluster) -> None:
    node = cluster.client("system:labsim:test").get("nodes", "gpu-node2")
    images = sum(image["sizeBytes"] for image in node["status"]["images"])
    row = next(line.split() for line in call("df").stdout.splitlines() if line.endswith(" /"))
    assert row[1] == "1888338956" and int(row[2]) == 41_943_040 + images // 1024


def test_processor(call: Call) -> None:
    tree = call("lscpu").stdout.splitlines()
    assert tree[0] == "Architecture:            x86_64" and "    Socket(s):           2" in tree
    assert "  NUMA node1 CPU(s):     56-111,168-223" in tree


def test_names_of_a_node(call: Call, cluster: Cluster) -> None:
    machine = cluster.client("system:labsim:test").get(RESOURCE, "gpu-node2")
    lines = call("hostnamectl").stdout.splitlines()
    assert lines[0] == " Static hostname: gpu-node2"
    assert f"         Boot ID: {machine['spec']['bootID'].replace('-', '')}" in lines
    assert lines[-1] == "  Hardware Model: DGXH100"


def test_addresses(call: Call, cluster: Cluster) -> None:
    node = call("ip -br a")
    assert node.stdout.splitlines()[1] == "bond0            UP             10.141.0.12/16 "
    assert node.stderr == "labsim: ip shows only the loopback and the in-band interface here\n"
    inside = call("ip addr show eth0", host="asr-1").stdout
    assert f"    inet {pod_address(cluster, 'asr-1')}/32 scope global eth0\n" in inside and inside.startswith(
        "2: eth0@if"
    )
    assert "169.254.1.1" in call("ip r", host="asr-1").stdout


@pytest.mark.parametrize("name", ["gpu-node1", "10.141.0.11", "10.141.0.5", "localhost", "asr-1"])
def test_ping_answers(call: Call, cluster: Cluster, name: str) -> None:
    target = pod_address(cluster, name) if name == "asr-1" else name
    result = call(f"ping -c 3 {target}", host="kadmin")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0 and len(lines) == 8
    assert lines[5:7] == [
        f"--- {target} ping statistics ---",
        "3 packets transmitted, 3 received, 0% packet loss, time 2000ms",
    ]
    assert lines[7] == "rtt min/avg/max/mdev = 0.120/0.120/0.120/0.000 ms"


def test_ping_silence(call: Call) -> None:
    result = call("ping -c 2 -W 1 10.9.9.9", host="kadmin")
    assert result.exit_code == 1
    assert "2 packets transmitted, 0 received, 100% packet loss, time 1000ms\n" in result.stdout


def test_release_of_a_dgx() -> None:
    from labsim.lab import Lab

    lab = Lab.open(world="dgx-h100")
    serial = lab.cluster.client("system:labsim:test").get(RESOURCE, "gpu-node1")["spec"]["serial"]
    text = lab.run("ssh gpu-node1 cat /etc/dgx-release").stdout
    assert text.splitlines()[1:] == [
        'DGX_PRETTY_NAME="NVIDIA DGX Server"',
        'DGX_SWBUILD_VERSION="6.3.1"',
        'DGX_PLATFORM="DGX Server for DGXH100"',
        f'DGX_SERIAL_NUMBER="{serial}"',
    ]
    assert lab.run("cat /etc/dgx-release").stderr == "cat: /etc/dgx-release: No such file or directory\n"
