"""Small clusters for tests: kernel, controllers, scheduler, kubelets, and machines that register their nodes."""

from __future__ import annotations

from typing import Any

from labsim import controllers, kubelet, scheduler
from labsim.hardware.machine import new_machine
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in
from labsim.sim.clock import HOUR, SECOND, parse_time

START = parse_time("2026-11-10T09:41:00Z")
SETUP, ADMIN = "system:labsim:setup", "kubernetes-admin"


class Lab:
    """A cluster with the namespaces that every cluster has, and short ways to use it."""

    def __init__(self, *nodes: str, product: str = "DGXH100", parts: bool = True) -> None:
        self.cluster = Cluster(1, START, freeze_objects=True)
        if parts:
            for part in (controllers, scheduler, kubelet):
                part.register(self.cluster)
        self.setup: Client = self.cluster.client(SETUP)
        self.admin: Client = self.cluster.client(ADMIN)
        for name in ("default", "kube-system", "kube-node-lease", "kube-public"):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            if self.setup.find("namespaces", name) is None:
                self.setup.create("namespaces", body)
        for node in nodes:
            self.setup.create("machines.hardware.labsim", new_machine(node, 1, product))
            self.cluster.loop.drain()
        self.cluster.loop.drain()
        self.cluster.begin_input(1)

    @property
    def now(self) -> int:
        return self.cluster.clock.now

    def run(self, seconds: float) -> None:
        self.cluster.loop.advance_to(self.now + int(seconds * SECOND))

    def settle(self, limit: int = 4 * HOUR) -> None:
        """Until quiet; fails after `limit` ms of simulated time."""
        end = self.now + limit
        self.cluster.loop.drain()
        while not self.cluster.loop.quiet():
            assert self.now < end, f"not quiet: {self.cluster.timers.dump()}"
            due = self.cluster.timers.next_due()
            assert due is not None
            self.cluster.loop.advance_to(due)

    def create(self, resource: str, body: Object, namespace: str = "default") -> Object:
        return self.admin.create(resource, body, namespace)

    def get(self, resource: str, name: str, namespace: str = "default") -> Object:
        return self.admin.get(resource, name, namespace)

    def pods(self, label: str = "", namespace: str = "default") -> list[Object]:
        return self.admin.list("pods", namespace, label_selector=label)

    def events(self, name: str = "", namespace: str = "default") -> list[tuple[str, str, str]]:
        """(reason, message, component) in the order in which they were first written."""
        found = [e for e in self.admin.list("events", namespace) if not name or e["involvedObject"]["name"] == name]
        found.sort(key=lambda e: int(self.first_revision(e)))
        return [(e["reason"], e["message"], e["source"]["component"]) for e in found]

    def first_revision(self, event: Object) -> int:
        for write in self.cluster.journal.writes:
            if write.resource == "events" and write.verb == "create" and write.name == event["metadata"]["name"]:
                return write.revision
        return 0

    def phase(self, name: str, namespace: str = "default") -> str:
        return str(get_in(self.get("pods", name, namespace), "status", "phase"))

    def waiting(self, name: str, container: int = 0) -> str:
        path = ("status", "containerStatuses", container, "state", "waiting", "reason")
        return str(get_in(self.get("pods", name), *path, default=""))


def pod(name: str, image: str = "nginx:1.27", *, command: list[str] | None = None, **spec: Any) -> Object:
    container: Object = {"name": "main", "image": image}
    if command:
        container["command"] = command
    probes = ("readinessProbe", "livenessProbe", "startupProbe")
    for key in ("resources", "ports", "env", "envFrom", "imagePullPolicy", *probes):
        if key in spec:
            container[key] = spec.pop(key)
    labels = spec.pop("labels", {"app": name})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], **spec},
    }


def deployment(name: str, replicas: int = 1, image: str = "nginx:1.27", **spec: Any) -> Object:
    template = pod(name, image, **spec.pop("pod", {}))
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": template["spec"]},
            **spec,
        },
    }


def gpus(count: int, resource: str = "nvidia.com/gpu") -> Object:
    return {"limits": {resource: str(count)}}


def serve_gpus(lab: Lab, node: str, count: int = 8, resource: str = "nvidia.com/gpu") -> None:
    """A device plugin's socket with `count` devices."""
    name = f"{node}.{resource.replace('/', '_')}"
    devices = [{"id": f"GPU-{node}-{n}", "healthy": True} for n in range(count)]
    body = {
        "apiVersion": "runtime.labsim/v1",
        "kind": "DevicePlugin",
        "metadata": {"name": name},
        "spec": {"nodeName": node, "resource": resource, "podUID": "", "devices": devices},
    }
    lab.setup.create("deviceplugins.runtime.labsim", body)
    lab.cluster.loop.drain()
