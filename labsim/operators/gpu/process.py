"""A program in an operand's container: a controller that acts while its container runs.

What it must remember is in the container's `status.memory`, so it dies with the container, as a process's memory does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labsim.hardware.machine import Machine, with_status
from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of
from labsim.kubelet import runtime
from labsim.operators.gpu import names
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key

POLL = 5 * SECOND  # how often the operands' shell loops look again


class Process(Controller):
    """Subclasses set `name`, `account`, `containers` ({pod's app label: container names}) and write `run` and `ended`.

    A key is (node, namespace, container object's name). `label` is the pod label that `containers` speaks of.
    """

    account = ""
    namespace = names.NAMESPACE
    label = "app"
    containers: Mapping[str, tuple[str, ...]] = {}
    # Also look again when the node's hardware changed.
    watch_machine = True

    def __init__(self, cluster: Cluster) -> None:
        self.client: Client = cluster.client(names.service_account(self.account, self.namespace))
        self.seed = cluster.seed
        self.watches = (Watch(names.CONTAINERS, self._own), *self.extra_watches())
        if self.watch_machine:
            self.watches += (Watch(names.MACHINES, lambda write: self.on_node(write.name)),)

    def extra_watches(self) -> tuple[Watch, ...]:
        return ()

    @property
    def now(self) -> int:
        return self.client.now

    # -- which containers are ours ----------------------------------------------------------------------------------

    def mine(self, container: Object) -> bool:
        wanted = self.containers.get(labels_of(container).get(self.label, ""), ())
        return container["spec"]["container"] in wanted

    def _own(self, write: Write) -> Iterable[Key]:
        container = write.after or write.before
        assert container is not None
        return [self.key(container)] if self.mine(container) else []

    @staticmethod
    def key(container: Object) -> Key:
        return (str(container["spec"]["nodeName"]), namespace_of(container), name_of(container))

    def on_node(self, node: str) -> list[Key]:
        """The keys of our containers on a node."""
        found = self.client.by_index(names.CONTAINERS, "spec.nodeName", node)
        return [self.key(container) for container in found if self.mine(container)]

    # -- the life of a container -------------------------------------------------------------------------------------

    def reconcile(self, key: Key) -> After | None:
        container = self.client.find(names.CONTAINERS, key[2], key[1])
        if container is None or get_in(container, "status", "state") != "running":
            self.ended(key, container)
            return None
        return self.run(container)

    def run(self, container: Object) -> After | None:
        """Do what is due now. The container runs."""
        raise NotImplementedError

    def ended(self, key: Key, container: Object | None) -> None:
        """The process is gone (or has not started yet)."""

    # -- what a process can do ---------------------------------------------------------------------------------------

    def log(self, container: Object, *lines: str) -> None:
        for line in lines:
            runtime.log(self.client, container, line)

    def ready(self, container: Object, value: bool = True) -> None:
        if get_in(container, "status", "ready") is not value:
            runtime.ready(self.client, container, value)

    def exit(self, container: Object, code: int) -> None:
        runtime.exit(self.client, container, code)

    def memory(self, container: Object) -> dict[str, Any]:
        return dict(get_in(container, "status", "memory", default={}))

    def remember(self, container: Object, memory: Mapping[str, Any]) -> None:
        if get_in(container, "status", "memory", default={}) != memory:
            runtime.remember(self.client, container, dict(memory))

    def started(self, container: Object) -> int:
        return int(container["status"]["startedAt"])

    # -- surroundings ------------------------------------------------------------------------------------------------

    def pod(self, container: Object) -> Object | None:
        return self.client.find("pods", str(container["spec"]["pod"]), namespace_of(container))

    def env(self, container: Object) -> dict[str, str]:
        """The literal environment of the container, from its pod's spec."""
        pod = self.pod(container)
        found: dict[str, str] = {}
        for group in ("initContainers", "containers"):
            for spec in get_in(pod, "spec", group, default=()):
                if spec["name"] == container["spec"]["container"]:
                    found |= {item["name"]: str(item.get("value", "")) for item in spec.get("env", ())}
        return found

    def mounted(self, container: Object, volume: str) -> Mapping[str, str] | None:
        """The files of a ConfigMap volume by name (items applied); None when the pod or the map is gone."""
        pod = self.pod(container)
        for entry in get_in(pod, "spec", "volumes", default=()):
            source = entry.get("configMap")
            if entry["name"] == volume and source:
                config_map = self.client.find("configmaps", str(source["name"]), namespace_of(container))
                if config_map is None:
                    return None
                data: Mapping[str, str] = config_map.get("data") or {}
                items = source.get("items")
                if items:
                    return {item["path"]: data[item["key"]] for item in items if item["key"] in data}
                return data
        return None

    def machine(self, node: str) -> Machine:
        return self.client.get(names.MACHINES, node)

    def store_machine(self, machine: Machine) -> None:
        self.client.update_status(names.MACHINES, machine)

    def label_node(self, node: str, labels: Mapping[str, str | None]) -> None:
        """Writes only what changes; None removes a label."""
        have = labels_of(self.client.get("nodes", node))
        changes = {key: value for key, value in labels.items() if have.get(key) != value}
        if changes:
            self.client.patch("nodes", node, {"metadata": {"labels": changes}})


# -- files under /run/nvidia/validations and injected faults, both in the Machine's status ----------------------------


def files(machine: Machine) -> list[str]:
    found: list[str] = machine["status"].get("validations", [])
    return found


def with_files(machine: Machine, *, add: Iterable[str] = (), drop: Iterable[str] = ()) -> Machine:
    wanted = (set(files(machine)) | set(add)) - set(drop)
    return with_status(machine, validations=sorted(wanted))


def fault(machine: Machine, kind: str, pod_uid: str = "") -> Object | None:
    """The injected fault of this kind, unless it was bound to a pod that has been replaced since."""
    found: Object | None = get_in(machine, "status", "faults", kind)
    if found is not None and found.get("podUID") and pod_uid and found["podUID"] != pod_uid:
        return None
    return found


def wait(until: int, now: int) -> After | None:
    """A progress timer for an instant still to come."""
    return After(until - now) if until > now else None
