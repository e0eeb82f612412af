"""Building a world: machines and objects go in through the API, the real controllers do the rest, time passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labsim.hardware import machine as hardware
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, name_of
from labsim.sim.clock import HOUR, MINUTE, SECOND, parse_time
from labsim.worlds import files
from labsim.worlds.age import jump
from labsim.worlds.assemble import assemble
from labsim.worlds.schema import Nodes, World, duration, load, load_chart

ACTOR = "system:labsim:setup"
# A built world that is not quiet after this long has something in it that never comes to rest.
PATIENCE = HOUR
STEP = 10 * SECOND
# Kubelets' heartbeats and such: a pause between two things an administrator does.
PAUSE = 30 * SECOND


class BuildError(Exception):
    """The world's objects do not come to rest, or the API refuses one of them. One line."""


def build(name_or_path: str, seed: int, freeze_objects: bool = False) -> tuple[Cluster, World]:
    """The world at its start of time. Raises DocumentError, BuildError."""
    world = load(name_or_path)
    paths = files.chain(name_or_path)
    start = parse_time(world.start)
    # The cluster is a little older than its age says, so that everything in it is at least that old.
    cluster = assemble(seed, start - duration(world.age) - 2 * HOUR - 17 * MINUTE, freeze_objects)
    client = cluster.client(ACTOR)
    _bootstrap(cluster, client, world)
    for nodes in world.nodes:
        _machines(client, seed, nodes)
    for namespace in world.namespaces:
        metadata = {"name": namespace.name, "labels": namespace.labels, "annotations": namespace.annotations}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {k: v for k, v in metadata.items() if v}}
        _create(cluster, client, body)
    settle(cluster)
    for nodes in world.nodes:
        _node_labels(client, nodes)
    for use in world.charts:
        chart = load_chart(use.chart, _chart_home(paths, use.chart))
        for obj in chart.objects:
            for change in use.changes:
                if (obj["kind"], name_of(obj)) == (change.kind, change.name):
                    obj = merge(obj, change.merge)
            _create(cluster, client, obj)
        cluster.loop.advance_to(cluster.clock.now + PAUSE)
        settle(cluster)
    for workload in sorted(world.workloads, key=lambda w: -duration(w.age)):
        jump(cluster, start - duration(workload.age) - 3 * MINUTE)
        _create(cluster, client, workload.manifest)
        settle(cluster)
    jump(cluster, start)
    cluster.forget()
    return cluster, world


def _bootstrap(cluster: Cluster, client: Client, world: World) -> None:
    """What an API server makes at its first start: the system namespaces and its own service."""
    for name in ("default", "kube-system", "kube-public", "kube-node-lease"):
        _create(cluster, client, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    host, _, port = world.kubernetes.api.rpartition("/")[2].partition(":")
    labels = {"component": "apiserver", "provider": "kubernetes"}
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": int(port or 443)}]
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": labels},
        "spec": {"clusterIP": "10.96.0.1", "ports": ports},
    }
    _create(cluster, client, service)
    slice_ = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"kubernetes.io/service-name": "kubernetes"},
        },
        "addressType": "IPv4",
        "endpoints": [{"addresses": [host], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": int(port or 443), "protocol": "TCP"}],
    }
    _create(cluster, client, slice_)
    endpoints = {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": "kubernetes", "namespace": "default"},
        "subsets": [
            {"addresses": [{"ip": host}], "ports": [{"name": "https", "port": int(port or 443), "protocol": "TCP"}]}
        ],
    }
    _create(cluster, client, endpoints)


def settle(cluster: Cluster, patience: int = PATIENCE) -> None:
    """Let the world run until it is quiet. Raises BuildError."""
    cluster.loop.drain()
    until = cluster.clock.now + patience
    while not cluster.loop.quiet():
        if cluster.clock.now >= until:
            busy = sorted({c for (c, _), timer in cluster.timers.active.items() if timer.kind == "progress"})
            raise BuildError(f"the world does not come to rest (still busy: {', '.join(busy)})")
        cluster.loop.advance_to(cluster.clock.now + STEP)


def merge(obj: Any, patch: Any) -> Any:
    """JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(obj) if isinstance(obj, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def _chart_home(paths: list[Path], chart: str) -> Path:
    return next((path for path in paths if files.chart_file(chart, path).is_file()), paths[0])


def _machines(client: Client, seed: int, nodes: Nodes) -> None:
    """The metal, with what is installed on it; its kubelet registers the Node."""
    head, _, last = nodes.first_ip.rpartition(".")
    for offset, name in enumerate(nodes.names):
        machine = hardware.new_machine(name, seed, nodes.machine)
        system = {
            "osImage": nodes.os,
            "kernelVersion": nodes.kernel,
            "containerRuntimeVersion": nodes.runtime,
            "kubeletVersion": nodes.kubelet,
            "capacity": nodes.capacity,
            "allocatable": nodes.allocatable,
        }
        spec = {**machine["spec"], "address": f"{head}.{int(last) + offset}", "system": system}
        # Bare metal: the operator's driver and toolkit pods install theirs.
        fresh = hardware.with_status(
            {**machine, "spec": spec},
            driver={"loaded": False, "version": ""},
            toolkit={"configured": False},
        )
        client.create(hardware.RESOURCE, fresh)


def _node_labels(client: Client, nodes: Nodes) -> None:
    for name in nodes.names:
        if nodes.labels or nodes.taints:
            patch: Object = {"metadata": {"labels": nodes.labels}}
            if nodes.taints:
                patch["spec"] = {"taints": nodes.taints}
            client.patch("nodes", name, patch)


def _create(cluster: Cluster, client: Client, obj: Object) -> None:
    from labsim.kube.errors import ApiError

    resource = cluster.api.scheme.for_kind(obj["apiVersion"], obj["kind"])
    if resource is None:
        raise BuildError(f"{obj['kind']} {name_of(obj)}: no such kind ({obj['apiVersion']})")
    namespace = str(get_in(obj, "metadata", "namespace", default="default")) if resource.namespaced else ""
    try:
        have = client.find(resource.key, name_of(obj), namespace)
        if have is None:
            client.create(resource.key, obj, namespace)
        else:
            client.update(resource.key, merge(have, obj), namespace)
    except ApiError as error:
        raise BuildError(f"{obj['kind']} {name_of(obj)}: {error.message}") from None
    cluster.loop.drain()
