"""Who uses which GPU: the CUDA processes of the running containers of a node.

A container holds devices from admission on (`spec.devices`, the kubelet's checkpoint), but only a program that opens
CUDA shows up in nvidia-smi and keeps the driver from changing a GPU: a container that sleeps does neither. What runs is
told by `spec.gpuProcess` (`{"name", "usedMiB"}`, null for none) where the lifecycle data set it, else by the command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labsim.hardware.machine import RESOURCE, Machine, gpus
from labsim.hardware.mig import mig_devices
from labsim.kube.objects import Object, get_in

if TYPE_CHECKING:
    from labsim.kube.client import Client

Process = dict[str, Any]

CONTAINERS = "containers.runtime.labsim"
# What a small CUDA program took in the captures of gpu.md 1.7, on a whole GPU and on a MIG device.
GPU_MIB, MIG_MIB = 4618, 4188
_DEFAULT_PROGRAM = "python3"  # an image's own entry point: training images start Python
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_IDLE = frozenset({
    "sleep", "pause", "tail", "cat", "true", "false", ":", "echo", "printf", "wait", "trap", "while", "until", "do",
    "done", "for", "if", "then", "fi", "exit", "set", "export", "cd", "env", "date", "ls", "tini", "nvidia-smi",
    "hostname", "read", "mkdir", "test", "[",
}) | _SHELLS  # fmt: skip


def users(client: Client, node: str) -> dict[int, list[Process]]:
    """{GPU index: processes}; a process is `{"pid", "name", "uuid", "usedMiB", "namespace", "pod", "container"}`,
    once for each device it holds. Empty for a node without a Machine."""
    machine = client.find(RESOURCE, node)
    if machine is None:
        return {}
    return users_of(machine, client.by_index(CONTAINERS, "spec.nodeName", node))


def users_of(machine: Machine, containers: list[Object]) -> dict[int, list[Process]]:
    """The same from objects already at hand."""
    index_of = device_index(machine)
    found: dict[int, list[Process]] = {}
    for container in containers:
        if get_in(container, "status", "state") != "running":
            continue
        for process in processes_of(container):
            index = index_of.get(process["uuid"])
            if index is not None:
                found.setdefault(index, []).append(process)
    return {index: sorted(found[index], key=lambda p: (p["pid"], p["uuid"])) for index in sorted(found)}


def device_index(machine: Machine) -> dict[str, int]:
    """GPU or MIG UUID -> GPU index."""
    found: dict[str, int] = {}
    for gpu in gpus(machine):
        found[gpu["uuid"]] = gpu["index"]
        found.update((device.uuid, gpu["index"]) for device in mig_devices(gpu))
    return found


def device_ids(container: Mapping[str, Any]) -> list[str]:
    """The GPU and MIG UUIDs a container was given; shared ones (`<uuid>::<n>`) by their UUID."""
    found: list[str] = []
    for ids in (get_in(container, "spec", "devices", default={})).values():
        for device in ids:
            uuid = str(device).partition("::")[0]
            if uuid.startswith(("GPU-", "MIG-")) and uuid not in found:
                found.append(uuid)
    return found


def processes_of(container: Mapping[str, Any]) -> list[Process]:
    """The CUDA process of a running container, once for each of its devices."""
    devices = device_ids(container)
    spec = container["spec"]
    stated = spec.get("gpuProcess") if "gpuProcess" in spec else {"name": program(spec)}
    if not devices or not stated or not stated.get("name"):
        return []
    return [
        {
            "pid": spec.get("pid", 0),
            "name": stated["name"],
            "uuid": uuid,
            "usedMiB": stated.get("usedMiB", GPU_MIB if uuid.startswith("GPU-") else MIG_MIB),
            "namespace": container["metadata"].get("namespace", ""),
            "pod": spec.get("pod", ""),
            "container": spec.get("container", ""),
        }
        for uuid in devices
    ]


def program(spec: Mapping[str, Any]) -> str:
    """The program that would open CUDA, "" when the command only idles."""
    words = [str(word) for word in [*(spec.get("command") or ()), *(spec.get("args") or ())]]
    if not words:
        return _DEFAULT_PROGRAM
    first = words[0].rpartition("/")[2]
    if first in _SHELLS and len(words) > 2 and re.fullmatch(r"-[a-z]*c", words[1]):
        return _in_script(words[2])
    return "" if first in _IDLE else words[0]


def _in_script(script: str) -> str:
    for part in re.split(r"[;&|\n]+", script):
        words = [word for word in part.split() if not re.fullmatch(r"[A-Za-z_]\w*=.*", word)]
        while words and words[0] in ("exec", "do", "then", "time", "nohup"):
            words.pop(0)
        if words and words[0].rpartition("/")[2] not in _IDLE:
            return words[0]
    return ""
