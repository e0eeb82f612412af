"""A cluster to try the GPU path on: opened from a shipped world, driven by API calls and steps of ten seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of
from labsim.kubelet import runtime
from labsim.worlds import open_world
from labsim.worlds.audit import violations

STEP = 10_000
NODE = "gpu-node2"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
OPERATOR = "gpu-operator"


class GpuCluster:
    def __init__(self, world: str = "dgx-h100", seed: int = 1, freeze: bool = False) -> None:
        self.cluster: Cluster = open_world(world, seed, freeze_objects=freeze)
        self.admin = self.cluster.client("kubernetes-admin")
        self.inside = self.cluster.client("system:labsim:setup")
        self.input = 0
        self.ends: list[tuple[int, int]] = []

    # -- acting --------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The next calls are one input of the learner."""
        self.input += 1
        self.cluster.begin_input(self.input)

    def label(self, node: str = NODE, **labels: str | None) -> None:
        keys = {"mig": CONFIG}
        found = {keys.get(key, key): value for key, value in labels.items()}
        self.admin.patch("nodes", node, {"metadata": {"labels": found}})
        self.cluster.loop.drain()

    def layout(self, name: str, node: str = NODE) -> None:
        self.label(node, mig=name)

    def policy(self, **spec: Any) -> None:
        self.admin.patch("clusterpolicies.nvidia.com", "cluster-policy", {"spec": spec})
        self.cluster.loop.drain()

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.cluster.loop.advance_to(self.cluster.clock.now + STEP)

    def settle(self, most: int = 60) -> int:
        """Steps until nothing is under way."""
        self.cluster.loop.drain()
        for taken in range(most):
            if self.cluster.loop.quiet():
                return taken
            self.step()
        return most

    def until(self, holds: Callable[[], bool], most: int = 60) -> int:
        self.cluster.loop.drain()
        for taken in range(most):
            if holds():
                return taken
            self.step()
        raise AssertionError(f"not reached within {most} steps")

    # -- looking -------------------------------------------------------------------------------------------------------

    def node(self, name: str = NODE) -> Object:
        return self.admin.get("nodes", name)

    def labels(self, name: str = NODE) -> dict[str, str]:
        return labels_of(self.node(name))

    def state(self, name: str = NODE) -> str:
        return self.labels(name).get(STATE, "")

    def allocatable(self, name: str = NODE) -> dict[str, int]:
        found = get_in(self.node(name), "status", "allocatable", default={})
        return {k: int(v) for k, v in found.items() if k.startswith("nvidia.com/")}

    def offered(self, name: str = NODE) -> dict[str, int]:
        return {k: v for k, v in self.allocatable(name).items() if v}

    def operand(self, app: str, node: str = NODE) -> Object:
        found = [
            pod
            for pod in self.inside.by_index("pods", "label", f"app={app}", OPERATOR)
            if get_in(pod, "spec", "nodeName") == node and not pod["metadata"].get("deletionTimestamp")
        ]
        assert len(found) == 1, (app, node, [name_of(p) for p in found])
        return found[0]

    def log(self, app: str, container: str = "", node: str = NODE, previous: bool = False) -> list[str]:
        pod = self.operand(app, node)
        name = container or app
        lines = runtime.read_logs(self.inside, namespace_of(pod), name_of(pod), name, previous)
        return [text for _, _, text in lines]

    def manager_log(self, node: str = NODE) -> list[str]:
        """Messages of MIG Manager above debug level, without time and level."""
        return [
            line.partition(" msg=")[2].strip('"') if " msg=" in line else line
            for line in self.log("nvidia-mig-manager", node=node)
            if "level=debug" not in line
        ]

    def machine(self, node: str = NODE) -> Object:
        return self.inside.get("machines.hardware.labsim", node)

    def geometry(self, node: str = NODE) -> list[list[int]]:
        """Profile ids of the instances, GPU by GPU."""
        return [sorted(gi["profileId"] for gi in gpu["instances"]) for gpu in self.machine(node)["status"]["gpus"]]

    def audit(self) -> None:
        found = violations(self.cluster.journal.writes)
        assert not found, "\n".join(found[:10])

    def gpu_pod(
        self, name: str, count: int, node: str = NODE, command: tuple[str, ...] = ("python3", "train.py")
    ) -> None:
        self.admin.create(
            "pods",
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {
                    "nodeSelector": {"kubernetes.io/hostname": node},
                    "containers": [
                        {
                            "name": "main",
                            "image": "nvcr.io/nvidia/pytorch:25.10-py3",
                            "command": list(command),
                            "resources": {"limits": {"nvidia.com/gpu": count}},
                        }
                    ],
                },
            },
            "default",
        )
        self.cluster.loop.drain()
