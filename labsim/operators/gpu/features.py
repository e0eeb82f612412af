"""GPU Feature Discovery: reads the GPUs every 60 s and keeps one NodeFeature object of its node (gpu.md 4).

NFD's master makes labels of it. While GFD is away its object stays, so its labels are old, not absent.
"""

from __future__ import annotations

from labsim.hardware import features
from labsim.kube.objects import Object, get_in, set_in, uid_of
from labsim.operators.gpu import names, plugin_config
from labsim.operators.gpu.loglines import klog
from labsim.operators.gpu.operands import features as manifest
from labsim.operators.gpu.process import Process
from labsim.sim.clock import MINUTE, SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

INTERVAL = MINUTE
START = 3 * SECOND
OBJECT = "nvidia-features-for-"
NODE_LABEL = "nfd.node.kubernetes.io/node-name"


class FeatureDiscovery(Process):
    name = "gpu-feature-discovery"
    account = manifest.ACCOUNT
    containers = {manifest.NAME: (manifest.NAME,)}

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch(names.NODE_FEATURES, self._features),)

    def _features(self, write: Write) -> list[Key]:
        """Somebody else touched our object: it is written again in the next cycle."""
        return self.on_node(write.name.removeprefix(OBJECT)) if write.name.startswith(OBJECT) else []

    def run(self, container: Object) -> After | None:
        self.ready(container)
        start = self.started(container) + START
        if self.now < start:
            return After(start - self.now)
        node = str(container["spec"]["nodeName"])
        config = plugin_config.read(self, container)
        machine = self.machine(node)
        try:
            found = features.labels(machine, config.strategy, config.sharing, start // 1000)
        except features.FeatureError as error:
            self.log(container, klog(self.now, "E", "main.go:113", str(error)))
            self.exit(container, 1)
            return None
        memory = self.memory(container)
        have = self.client.find(names.NODE_FEATURES, OBJECT + node, self.namespace)
        if memory and have is not None and get_in(have, "spec", "labels") == found:
            return None
        # What changed between two cycles is seen at the next one.
        late = (self.now - start) % INTERVAL
        if memory and late:
            return After(INTERVAL - late)
        if not memory:
            for line, text in (
                (118, '"Starting gpu-feature-discovery" version="' + names.VERSION + '"'),
                (160, "Starting OS watcher."),
                (165, "Loading configuration."),
                (213, "Start running"),
            ):
                self.log(container, klog(self.now, "I", f"main.go:{line}", text))
        warning = features.warning(machine, config.strategy)
        if warning:
            self.log(container, klog(self.now, "W", "mig-strategy.go:184", warning))
        self.log(container, klog(self.now, "I", "main.go:255", "Creating Labels"))
        self._write(container, node, have, found)
        self.log(container, klog(self.now, "I", "main.go:267", f"Sleeping for {INTERVAL * 1_000_000}"))
        self.remember(container, {"written": self.now})
        return None

    def _write(self, container: Object, node: str, have: Object | None, found: dict[str, str]) -> None:
        verb = "Creating" if have is None else "Updating"
        self.log(container, klog(self.now, "I", "labeler.go:127", f"{verb} NodeFeature object {OBJECT}{node}"))
        if have is not None:
            self.client.update(names.NODE_FEATURES, set_in(have, ("spec", "labels"), found), self.namespace)
            return
        pod = self.pod(container)
        owners = [
            {"apiVersion": "v1", "kind": "Pod", "name": container["spec"]["pod"], "uid": uid_of(pod or {})},
            *(
                {key: ref[key] for key in ("apiVersion", "kind", "name", "uid")}
                for ref in get_in(pod, "metadata", "ownerReferences", default=())
            ),
        ]
        made = {
            "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
            "kind": "NodeFeature",
            "metadata": {"name": OBJECT + node, "labels": {NODE_LABEL: node}, "ownerReferences": owners},
            "spec": {"features": {"attributes": {}, "flags": {}, "instances": {}}, "labels": found},
        }
        self.client.create(names.NODE_FEATURES, made, self.namespace)
