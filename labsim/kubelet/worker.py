"""The controller of all kubelets. Keys: (node,) for a node's own status, (node, namespace, pod) for its pods."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.events import Recorder
from labsim.kube.objects import get_in, name_of, namespace_of, uid_of
from labsim.kubelet import containers, runtime
from labsim.kubelet.context import MACHINES, PodSync
from labsim.kubelet.devices import PLUGINS
from labsim.kubelet.lifecycle import Lifecycle
from labsim.kubelet.node import running, sync_node
from labsim.kubelet.pod import FINISHED, sync_pod
from labsim.sim.journal import Write
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key


class Kubelet(Controller):
    """Each node's kubelet writes as `system:node:<node>`; nodes without a Machine have none."""

    name = "kubelet"

    def __init__(self, cluster: Cluster, lifecycle: Lifecycle) -> None:
        self.cluster, self.lifecycle = cluster, lifecycle
        self.reader = cluster.client("system:node")
        self.watches = (
            Watch("nodes", lambda write: [(write.name,)]),
            Watch(PLUGINS, _plugin_keys),
            Watch(MACHINES, self._machine_keys),
            Watch("pods", _pod_keys),
            Watch(runtime.CONTAINERS, _container_keys),
            Watch("configmaps", self._source_keys),
            Watch("secrets", self._source_keys),
        )

    def client(self, node: str) -> Client:
        return self.cluster.client(f"system:node:{node}")

    def reconcile(self, key: Key) -> After | None:
        if len(key) == 1:
            return sync_node(self.client(key[0]), self.cluster.seed, key[0])
        node, namespace, name = key
        client = self.client(node)
        machine = client.find(MACHINES, node)
        if machine is None or not running(machine):
            return None  # nobody is there; what runs goes on running
        pod = client.find("pods", name, namespace)
        if pod is None or get_in(pod, "spec", "nodeName") != node:
            self._clean(client, node, namespace, name)
            return None
        own = {str(c["spec"]["container"]): c for c in runtime.of_pod(client, uid_of(pod))}
        sync = PodSync(
            client=client,
            recorder=Recorder(client, "kubelet", node),
            lifecycle=self.lifecycle,
            seed=self.cluster.seed,
            # A pod of a node that is gone is left to the pod garbage collector.
            node=client.find("nodes", node) or {"metadata": {"name": node}},
            machine=machine,
            pod=pod,
            containers=own,
        )
        sync_pod(sync)
        return sync.after()

    @staticmethod
    def _clean(client: Client, node: str, namespace: str, name: str) -> None:
        """Containers of a pod that was removed from the API at once (grace period 0)."""
        for container in runtime.on_node(client, node):
            if namespace_of(container) == namespace and container["spec"]["pod"] == name:
                containers.drop(client, container)

    # -- who looks when ------------------------------------------------------------------------------------------------

    def _machine_keys(self, write: Write) -> Iterable[Key]:
        """The node, and its pods that wait for something; all of them when the kubelet has just started."""
        keys: list[Key] = [(write.name,)]
        before, after = (get_in(o, "status", "kubelet", "startedAt") for o in (write.before, write.after))
        for pod in self.reader.by_index("pods", "spec.nodeName", write.name):
            if before != after or get_in(pod, "status", "phase", default="Pending") == "Pending":
                keys.append((write.name, namespace_of(pod), name_of(pod)))
        return keys

    def _source_keys(self, write: Write) -> Iterable[Key]:
        """Pods of the namespace that have not started, when a ConfigMap or Secret appears or changes."""
        if write.after is None:
            return []
        return [
            (pod["spec"]["nodeName"], write.namespace, name_of(pod))
            for pod in self.reader.list("pods", write.namespace)
            if get_in(pod, "status", "phase", default="Pending") not in (*FINISHED, "Running")
            and get_in(pod, "spec", "nodeName")
        ]


def _plugin_keys(write: Write) -> Iterable[Key]:
    plugin = write.after or write.before
    return [(str(get_in(plugin, "spec", "nodeName", default="")),)]


def _pod_keys(write: Write) -> Iterable[Key]:
    node = get_in(write.after or write.before, "spec", "nodeName")
    return [(str(node), write.namespace, write.name)] if node else []


def _container_keys(write: Write) -> Iterable[Key]:
    spec = (write.after or write.before or {})["spec"]
    return [(str(spec["nodeName"]), write.namespace, str(spec["pod"]))]
