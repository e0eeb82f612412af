"""Shipped worlds: what is in them, that they are fixed points, and the cache's manners."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from labsim.kube.objects import get_in, is_true
from labsim.sim.clock import DAY, parse_time, rfc3339
from labsim.sim.journal import Write
from labsim.worlds import cache, files, open_world, settings
from labsim.worlds.audit import violations

WORLDS = ("dgx-h100", "dgx-h100-busy")


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_world_is_a_fixed_point(name: str, seed: int) -> None:
    cluster = open_world(name, seed)
    before = cluster.store.hash()
    cluster.loop.drain()
    assert cluster.loop.quiet()
    cluster.loop.advance_to(cluster.clock.now + 2 * DAY)
    assert [(w.actor, w.resource, w.name) for w in cluster.journal.writes] == []
    assert cluster.store.hash() == before


def test_contents() -> None:
    cluster = open_world("dgx-h100", 1)
    admin = cluster.client("kubernetes-admin")
    assert rfc3339(cluster.clock.now) == "2026-11-10T09:41:00Z"
    nodes = admin.list("nodes")
    assert [node["metadata"]["name"] for node in nodes] == ["gpu-node1", "gpu-node2", "gpu-node3"]
    for node in nodes:
        assert node["status"]["allocatable"] == {
            "cpu": "224",
            "ephemeral-storage": "1699505060Ki",
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "memory": "2113302Mi",
            "pods": "110",
            "nvidia.com/gpu": "8",
        }
        assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.35.2"
        labels = node["metadata"]["labels"]
        assert labels["nvidia.com/mig.config"] == "all-disabled"
        assert labels["nvidia.com/mig.config.state"] == "success"
        assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
        assert labels["feature.node.kubernetes.io/system-os_release.VERSION_ID"] == "22.04"
        assert labels["nvidia.com/gpu-driver-upgrade-state"] == "upgrade-done"
        assert is_true(node, "Ready")
    pods = admin.list("pods")
    assert {pod["metadata"]["namespace"] for pod in pods} == {"gpu-operator", "kube-system"}
    for pod in pods:
        assert pod["status"]["phase"] in ("Running", "Succeeded")
        age = cluster.clock.now - parse_time(pod["metadata"]["creationTimestamp"])
        assert 31 * DAY <= age < 32 * DAY
    operands = {name for pod in pods if (name := get_in(pod, "metadata", "labels", "app"))}
    assert operands == {
        "gpu-operator",
        "gpu-feature-discovery",
        "nvidia-container-toolkit-daemonset",
        "nvidia-cuda-validator",
        "nvidia-dcgm-exporter",
        "nvidia-device-plugin-daemonset",
        "nvidia-driver-daemonset",
        "nvidia-mig-manager",
        "nvidia-operator-validator",
    }
    policy = admin.get("clusterpolicies.nvidia.com", "cluster-policy")
    assert (policy["status"]["state"], policy["spec"]["mig"]["strategy"]) == ("ready", "single")
    assert admin.list("events") == []


def test_busy_world_has_owners_on_every_node() -> None:
    cluster = open_world("dgx-h100-busy", 1)
    admin = cluster.client("kubernetes-admin")
    owned: dict[str, set[str]] = {}
    for pod in admin.list("pods"):
        if any(get_in(c, "resources", "limits", "nvidia.com/gpu") for c in pod["spec"]["containers"]):
            assert pod["status"]["phase"] == "Running"
            owner = get_in(pod, "metadata", "ownerReferences", 0, "kind", default="bare")
            owned.setdefault(pod["spec"]["nodeName"], set()).add(owner)
    assert set(owned) == {"gpu-node1", "gpu-node2", "gpu-node3"}
    assert set.union(*owned.values()) == {"ReplicaSet", "Job", "bare", "StatefulSet"}


def test_clusters_from_one_world_are_independent_and_equal() -> None:
    one, other = open_world("dgx-h100", 1), open_world("dgx-h100", 1)
    assert one.store.hash() == other.store.hash()
    admin = one.client("kubernetes-admin")
    admin.patch("nodes", "gpu-node1", {"metadata": {"labels": {"a": "b"}}})
    assert one.store.hash() != other.store.hash()
    assert open_world("dgx-h100", 2).store.hash() != other.store.hash()


def test_another_start_of_time() -> None:
    cluster = open_world("dgx-h100", 1, start=parse_time("2027-01-01T00:00:00Z"))
    assert rfc3339(cluster.clock.now) == "2027-01-01T00:00:00Z"
    cluster.loop.advance_to(cluster.clock.now + DAY)
    assert cluster.journal.writes == []


def test_settings() -> None:
    found = settings("dgx-h100-busy", 1)
    assert (found.name, found.host, found.user, found.step) == ("dgx-h100-busy", "kadmin", "root", 10_000)
    assert found.nodes == ["gpu-node1", "gpu-node2", "gpu-node3"]


# -- the cache ---------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LABSIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_opened", {})
    return tmp_path / "cache"


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_opened", {})


def _only(folder: Path) -> Path:
    (path,) = folder.glob("*.json")
    return path


def test_cache_is_private_and_gives_the_same_world(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = open_world("dgx-h100", 1).store.hash()
    path = _only(folder)
    if os.name == "posix":
        assert oct(folder.stat().st_mode & 0o777) == "0o700"
        assert oct(path.stat().st_mode & 0o777) == "0o600"
    stamp = path.stat().st_mtime_ns
    _forget(monkeypatch)
    assert open_world("dgx-h100", 1).store.hash() == built
    assert path.stat().st_mtime_ns == stamp


def test_damaged_cache_is_built_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = open_world("dgx-h100", 1).store.hash()
    path = _only(folder)
    content = path.read_bytes()
    head, _, body = content.partition(b"\n")
    key = json.loads(head)["key"]
    assert cache._read(path, key) is not None
    for damage in (
        content[: len(content) // 2],
        b"",
        b"[]\n" + body,
        bytes(range(256)),
        head + b"\n" + body.replace(b"gpu-node2", b"gpu-node9", 1),
    ):
        path.write_bytes(damage)
        assert cache._read(path, key) is None
    _forget(monkeypatch)
    assert open_world("dgx-h100", 1).store.hash() == built
    assert path.read_bytes() == content


def test_folder_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("LABSIM_CACHE", str(blocked / "cache"))
    _forget(monkeypatch)
    assert open_world("dgx-h100", 1).loop.quiet()


def test_opening_from_the_cache_imports_neither_pydantic_nor_yaml(folder: Path) -> None:
    open_world("dgx-h100-busy", 1)
    program = (
        "import sys; from labsim.worlds import open_world; c = open_world('dgx-h100-busy', 1); c.loop.drain();"
        "print(c.store.hash(), sorted({'pydantic', 'yaml', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=files.FOLDER.parent
    )
    assert done.stdout.split(maxsplit=1) == [open_world("dgx-h100-busy", 1).store.hash(), "[]\n"]


# -- the audit ---------------------------------------------------------------------------------


def _write(actor: str, path: tuple[str, ...], value: str) -> Write:
    def nested(leaf: str) -> dict[str, object]:
        found: object = leaf
        for part in reversed(path):
            found = {part: found}
        assert isinstance(found, dict)
        return found

    return Write(1, 1, 0, actor, "update", "nodes", "", "gpu-node2", nested("old"), nested(value))


def test_audit_names_who_wrote_what_is_not_his() -> None:
    operator = "system:serviceaccount:gpu-operator:nvidia-mig-manager"
    allocatable = ("status", "allocatable", "nvidia.com/gpu")
    state = ("metadata", "labels", "nvidia.com/mig.config.state")
    assert violations([_write(operator, allocatable, "56")]) == [
        f"{operator} wrote status > allocatable > nvidia.com/gpu of nodes/gpu-node2"
    ]
    assert violations([_write("system:node:gpu-node2", allocatable, "56")]) == []
    assert violations([_write(operator, state, "success")]) == []
    assert violations([_write("system:serviceaccount:gpu-operator:gpu-operator", state, "success")]) != []
    assert violations([_write("kubernetes-admin", allocatable, "56")]) == []
