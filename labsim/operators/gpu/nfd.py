"""Node Feature Discovery: a worker a node describes the machine in a NodeFeature, the master makes labels of them.

The master owns what it wrote (the node's annotation `feature-labels` lists it): labels that no NodeFeature gives any
more go, labels that somebody removed come back with the next resync.
"""

from __future__ import annotations

from collections.abc import Iterable

from labsim.kube.objects import Object, annotations_of, get_in, labels_of, name_of, set_in, uid_of
from labsim.operators.gpu import names
from labsim.operators.gpu.features import NODE_LABEL
from labsim.operators.gpu.loglines import klog
from labsim.operators.gpu.process import Process, fault
from labsim.sim.clock import MINUTE, SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

FAULT = "nfd-off"
APP = "node-feature-discovery"
OWNED = "nfd.node.kubernetes.io/feature-labels"
# How long a removed label stays away [U]: upstream's master looks again when a NodeFeature changes or at its resync.
RESYNC = MINUTE
START = 2 * SECOND

# A DGX H100's two Xeon Platinum 8480C and its PCI devices: GPUs (10de), ConnectX-7 (15b3), the on-board 10G adapter
# (8086) and the management controller's VGA (1a03).
_CPU_FLAGS = (
    "ADX AESNI AMXBF16 AMXINT8 AMXTILE AVX AVX2 AVX512BF16 AVX512BITALG AVX512BW AVX512CD AVX512DQ AVX512F AVX512FP16 "
    "AVX512IFMA AVX512VBMI AVX512VBMI2 AVX512VL AVX512VNNI AVX512VPOPCNTDQ AVXVNNI CLDEMOTE CMPXCHG8 FLUSH_L1D FMA3 "
    "FSRM FXSR FXSROPT GFNI IA32_ARCH_CAP IBPB IBRS LAHF MD_CLEAR MOVBE MOVDIR64B MOVDIRI OSXSAVE SERIALIZE SHA "
    "SPEC_CTRL_SSBD STIBP STIBP_ALWAYSON SYSCALL SYSEE TSXLDTRK VAES VMX VPCLMULQDQ WAITPKG WBNOINVD X87 XGETBV1 XSAVE "
    "XSAVEC XSAVEOPT XSAVES"
)
_VENDORS = ("10de", "15b3", "1a03", "8086")


def machine_labels(node: Object) -> dict[str, str]:
    """The labels of `feature.node.kubernetes.io` for a DGX H100 with the node's kernel and operating system."""
    kernel = str(get_in(node, "status", "nodeInfo", "kernelVersion", default=""))
    system = str(get_in(node, "status", "nodeInfo", "osImage", default=""))
    major, _, rest = kernel.partition(".")
    minor, _, rest = rest.partition(".")
    version = next((word for word in system.split() if word[:1].isdigit()), "")
    release = ".".join(version.split(".")[:2])
    found = {f"cpu-cpuid.{flag}": "true" for flag in _CPU_FLAGS.split()}
    found |= {
        "cpu-cstate.enabled": "true",
        "cpu-hardware_multithreading": "true",
        "cpu-model.family": "6",
        "cpu-model.id": "143",
        "cpu-model.vendor_id": "Intel",
        "cpu-pstate.scaling_governor": "performance",
        "cpu-pstate.status": "active",
        "cpu-pstate.turbo": "true",
        "kernel-config.NO_HZ": "true",
        "kernel-config.NO_HZ_IDLE": "true",
        "kernel-version.full": kernel,
        "kernel-version.major": major,
        "kernel-version.minor": minor,
        "kernel-version.revision": rest.partition("-")[0],
        "memory-numa": "true",
        "pci-10de.sriov.capable": "true",
        "pci-15b3.sriov.capable": "true",
        "storage-nonrotationaldisk": "true",
        "system-os_release.ID": system.partition(" ")[0].lower(),
        "system-os_release.VERSION_ID": release,
        "system-os_release.VERSION_ID.major": release.partition(".")[0],
        "system-os_release.VERSION_ID.minor": release.partition(".")[2],
    }
    found |= {f"pci-{vendor}.present": "true" for vendor in _VENDORS}
    return {names.NFD_PREFIX + key: value for key, value in sorted(found.items())}


class Worker(Process):
    """The worker's container on each node."""

    name = "nfd-worker"
    account = APP
    label = "role"
    containers = {"worker": ("worker",)}

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch(names.NODE_FEATURES, lambda write: self.on_node(write.name)),)

    def mine(self, container: Object) -> bool:
        return super().mine(container) and labels_of(container).get("app.kubernetes.io/name") == APP

    def run(self, container: Object) -> After | None:
        if self.now < self.started(container) + START:
            return After(self.started(container) + START - self.now)
        node = str(container["spec"]["nodeName"])
        machine = self.machine(node)
        broken = fault(machine, FAULT, str(container["spec"]["podUID"]))
        if broken is not None and not broken.get("labels"):
            self.log(
                container, klog(self.now, "E", "main.go:87", '"error while running" err="failed to detect features"')
            )
            self.exit(container, 1)
            return None
        wanted = machine_labels(self.client.get("nodes", node)) if machine["status"]["gpus"] else {}
        for label in (broken or {}).get("labels", ()):
            wanted.pop(label, None)
        if not self.memory(container):
            self.log(
                container,
                klog(
                    self.now,
                    "I",
                    "nfd-worker.go:303",
                    f'"Node Feature Discovery Worker" version="v0.18.3" nodeName="{node}"',
                ),
                klog(self.now, "I", "nfd-worker.go:529", '"starting feature discovery..."'),
                klog(self.now, "I", "nfd-worker.go:545", '"feature discovery completed"'),
            )
            self.remember(container, {"started": True})
        self.ready(container)
        self._write(container, node, wanted)
        return None

    def _write(self, container: Object, node: str, wanted: dict[str, str]) -> None:
        have = self.client.find(names.NODE_FEATURES, node, self.namespace)
        if have is not None:
            self.client.update(names.NODE_FEATURES, set_in(have, ("spec", "labels"), wanted), self.namespace)
            return
        pod = self.pod(container)
        owners = [
            {key: ref[key] for key in ("apiVersion", "kind", "name", "uid")}
            for ref in get_in(pod, "metadata", "ownerReferences", default=())
        ]
        owners.append({"apiVersion": "v1", "kind": "Pod", "name": container["spec"]["pod"], "uid": uid_of(pod or {})})
        made = {
            "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
            "kind": "NodeFeature",
            "metadata": {
                "name": node,
                "labels": {NODE_LABEL: node},
                "annotations": {"nfd.node.kubernetes.io/worker.version": "v0.18.3"},
                "ownerReferences": owners,
            },
            "spec": {"features": {"attributes": {}, "flags": {}, "instances": {}}, "labels": wanted},
        }
        self.client.create(names.NODE_FEATURES, made, self.namespace)


class Master(Process):
    """Keys are those of the master's own container, then ("label", node) for each node to be labelled."""

    name = "nfd-master"
    account = APP
    label = "role"
    containers = {"master": ("master",)}
    watch_machine = False

    def mine(self, container: Object) -> bool:
        return super().mine(container) and labels_of(container).get("app.kubernetes.io/name") == APP

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch(names.NODE_FEATURES, self._features), Watch("nodes", self._nodes))

    def _features(self, write: Write) -> Iterable[Key]:
        node = get_in(write.after or write.before, "metadata", "labels", NODE_LABEL)
        return [("features", str(node))] if node else []

    def _nodes(self, write: Write) -> Iterable[Key]:
        if write.after is None:
            return []
        if write.before is not None and labels_of(write.before) == labels_of(write.after):
            return []
        return [("labels", write.name)]

    def reconcile(self, key: Key) -> After | None:
        if key[0] == "features":
            if self._running() is not None:
                self._label(key[1])
            return None
        if key[0] == "labels":
            return self._resync(key[1])
        return super().reconcile(key)

    def run(self, container: Object) -> After | None:
        if self.now < self.started(container) + START:
            return After(self.started(container) + START - self.now)
        self.ready(container)
        if not self.memory(container):
            self.log(
                container, klog(self.now, "I", "nfd-master.go:295", '"Node Feature Discovery Master" version="v0.18.3"')
            )
            self.remember(container, {"started": True})
            for node in self.client.list("nodes"):
                self._label(name_of(node))
        return None

    def _running(self) -> Object | None:
        found = self.client.by_index(names.CONTAINERS, "label", "role=master", self.namespace)
        return next((c for c in found if self.mine(c) and self.memory(c)), None)

    def _resync(self, node: str) -> After | None:
        """A label of ours was touched: put it right at the end of the resync period, which the master remembers."""
        container = self._running()
        if container is None:
            return None
        memory = self.memory(container)
        due = dict(memory.get("due", {}))
        if self._changes(node) is None:
            if due.pop(node, None) is not None:
                self.remember(container, {**memory, "due": due})
            return None
        until = due.setdefault(node, self.now + RESYNC)
        if self.now < until:
            self.remember(container, {**memory, "due": due})
            return After(until - self.now)
        del due[node]
        self.remember(container, {**memory, "due": due})
        self._label(node)
        return None

    def _wanted(self, node: str) -> dict[str, str]:
        found: dict[str, str] = {}
        objects = self.client.by_index(names.NODE_FEATURES, "label", f"{NODE_LABEL}={node}")
        # The node's own object is the base, all others are laid over it in the order of their names.
        for feature in sorted(objects, key=lambda o: (name_of(o) != node, name_of(o))):
            found |= get_in(feature, "spec", "labels", default={})
        return found

    def _changes(self, name: str) -> Object | None:
        """The metadata patch that is due, or None."""
        node = self.client.find("nodes", name)
        if node is None:
            return None
        wanted = self._wanted(name)
        have = labels_of(node)
        owned = annotations_of(node).get(OWNED, "")
        labels: dict[str, str | None] = {key: value for key, value in wanted.items() if have.get(key) != value}
        for short in owned.split(",") if owned else ():
            key = short if "/" in short else names.NFD_PREFIX + short
            if key not in wanted and key in have:
                labels[key] = None
        listed = ",".join(sorted(key.removeprefix(names.NFD_PREFIX) for key in wanted))
        metadata: Object = {}
        if labels:
            metadata["labels"] = labels
        if listed != owned:
            metadata["annotations"] = {OWNED: listed or None}
        return metadata or None

    def _label(self, name: str) -> None:
        metadata = self._changes(name)
        if metadata:
            self.client.patch("nodes", name, {"metadata": metadata})


class GarbageCollector(Process):
    """nfd-gc: removes NodeFeature objects of nodes that are gone."""

    name = "nfd-gc"
    account = APP
    label = "role"
    containers = {"gc": ("gc",)}
    watch_machine = False

    def mine(self, container: Object) -> bool:
        return super().mine(container) and labels_of(container).get("app.kubernetes.io/name") == APP

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch("nodes", lambda write: [] if write.after else [("gone", write.name)]),)

    def reconcile(self, key: Key) -> After | None:
        if key[0] != "gone":
            return super().reconcile(key)
        if self.client.find("nodes", key[1]) is None:
            for feature in self.client.by_index(names.NODE_FEATURES, "label", f"{NODE_LABEL}={key[1]}"):
                self.client.delete(names.NODE_FEATURES, name_of(feature), self.namespace)
        return None

    def run(self, container: Object) -> After | None:
        self.ready(container)
        return None
