"""MIG Manager: follows the label nvidia.com/mig.config of its node (gpu.md 2; mig-parted v0.14).

The process is a machine of steps; `mig_run` has those of one reconfiguration. Its memory:
`step` and `at` (what comes next and when), `current` and `lastRead` (the label as the informer saw it last, and as the
loop took it last), `restored` (quirk 2.7 b), `file` (which config file it uses) and what the run under way needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labsim.kube.objects import Object, labels_of, name_of, uid_of
from labsim.operators.gpu import names
from labsim.operators.gpu.loglines import klog, logrus
from labsim.operators.gpu.mig_run import Run
from labsim.operators.gpu.migparted import layouts
from labsim.operators.gpu.migparted.log import STDOUT
from labsim.operators.gpu.operands import mig_manager as manifest
from labsim.operators.gpu.process import POLL, Process, files
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

START = 2 * SECOND
Memory = dict[str, Any]


class MigManager(Process):
    name = "nvidia-mig-manager"
    account = manifest.NAME
    containers = {manifest.NAME: (manifest.NAME,)}

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch("nodes", self._node),)

    def _node(self, write: Write) -> Iterable[Key]:
        """The informer compares the one label; other changes of the node do not wake the program."""
        before = labels_of(write.before or {}).get(names.MIG_CONFIG)
        after = labels_of(write.after or {}).get(names.MIG_CONFIG)
        return self.on_node(write.name) if before != after else []

    def run(self, container: Object) -> After | None:
        self.ready(container)
        memory = self.memory(container) or {"step": "entry", "at": self.now, "current": "", "lastRead": ""}
        if memory["step"] not in ("entry", "setup"):
            self._observe(container, memory)
        while memory["step"] != "waiting":
            if self.now < memory["at"]:
                self.remember(container, memory)
                return After(int(memory["at"]) - self.now, periodic=memory["step"] == "entry")
            delay = self._step(container, memory)
            if delay is None:
                return None  # the process has ended
            memory["at"] = self.now + delay
        self.remember(container, memory)
        return None

    def _observe(self, container: Object, memory: Memory) -> None:
        """SyncableMigConfig.Set: a new value is noted; only one that is not empty wakes the loop."""
        node = self.client.find("nodes", container["spec"]["nodeName"])
        value = labels_of(node or {}).get(names.MIG_CONFIG, "")
        if value == memory["current"]:
            return
        memory["current"] = value
        if value and memory["step"] == "waiting":
            self._take(container, memory)

    def _take(self, container: Object, memory: Memory) -> None:
        memory |= {"lastRead": memory["current"], "step": "read", "at": self.now}
        self.say(container, "info", f"Updating to MIG config: {memory['lastRead']}")

    def _step(self, container: Object, memory: Memory) -> int | None:
        """One step; the ms until the next, or None when the process exited."""
        step = memory["step"]
        if step == "entry":
            return self._entry(container, memory)
        if step == "setup":
            return self._setup(container, memory)
        run = Run(self, container, memory)
        delay = run.step()
        if memory["step"] == "end":
            error = memory.pop("error", "")
            if error:
                self.say(container, "error", f"Error: {error}")
            else:
                self.say(container, "info", f"Successfully updated to MIG config: {memory['lastRead']}")
            for key in Run.MEMORY:
                memory.pop(key, None)
            self._wait(container, memory)
        return delay

    def _wait(self, container: Object, memory: Memory) -> None:
        """SyncableMigConfig.Get: the newest value that came meanwhile is taken at once; else the loop sleeps."""
        self.say(container, "info", f"Waiting for change to '{names.MIG_CONFIG}' label")
        memory["step"] = "waiting"
        self._observe(container, memory)
        if memory["step"] == "waiting" and memory["current"] != memory["lastRead"]:
            self._take(container, memory)

    def _entry(self, container: Object, memory: Memory) -> int:
        """The shell script before the program."""
        if names.DRIVER_READY not in files(self.machine(container["spec"]["nodeName"])):
            self.log(container, "waiting for the driver validations to be ready...")
            return POLL
        self.log(container, *names.DRIVER_ENV, "WITH_SHUTDOWN_HOST_GPU_CLIENTS=false", f"Starting {manifest.NAME}")
        warning = "Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work."
        self.log(container, klog(self.now, "W", "client_config.go:667", warning))
        memory["step"] = "setup"
        return START

    def _setup(self, container: Object, memory: Memory) -> int | None:
        """setupMigConfig: a custom file, or layouts generated from the hardware (gpu.md 1.5)."""
        node = str(container["spec"]["nodeName"])
        path = self.env(container).get("CONFIG_FILE", "")
        if path:
            if self.config_text(container, path) is None:
                text = (
                    f"Error: failed to setup MIG config: failed to read custom config {path}: "
                    f"stat {path}: no such file or directory"
                )
                self.say(container, "info", text)
                self.exit(container, 1)
                return None
            self.say(container, "info", f"Using custom config: {path}")
            memory["file"] = path
        else:
            for level, text in layouts.generation_lines(self.machine(node)):
                self.say(container, level, text)
            self._publish(container, node)
            memory["file"] = layouts.GENERATED_FILE
        self._wait(container, memory)
        return 0

    def _publish(self, container: Object, node: str) -> None:
        """The generated file as a ConfigMap of the node, owned by this pod."""
        name = f"{node}-mig-config"
        pod = self.pod(container) or {}
        made = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": name,
                "labels": {"app.kubernetes.io/component": manifest.NAME, "nvidia.com/node-name": node},
                "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": name_of(pod), "uid": uid_of(pod)}],
            },
            "data": {"config.yaml": layouts.generated_text()},
        }
        if self.client.find("configmaps", name, self.namespace) is None:
            self.client.create("configmaps", made, self.namespace)
        else:
            self.client.update("configmaps", made, self.namespace)
        self.say(container, "info", f"Created/updated ConfigMap: {self.namespace}/{name}")

    def config_text(self, container: Object, path: str) -> str | None:
        """What stands in the config file; None when there is no such file."""
        if path == layouts.GENERATED_FILE:
            return layouts.generated_text()
        return (self.mounted(container, "mig-parted-config") or {}).get(path.rpartition("/")[2])

    def say(self, container: Object, level: str, text: str) -> None:
        self.log(container, text if level == STDOUT else logrus(self.now, level, text))


def give_up(manager: MigManager, container: Object, value: str) -> None:
    """Leaves the process as after a run for `value` that waited in vain for a client to go (gpu.md 2.7 a)."""
    memory = manager.memory(container)
    cause = "device-plugin pod did not shutdown: context deadline exceeded"
    manager.say(container, "info", f"Updating to MIG config: {value}")
    manager.say(container, "info", "Waiting for the device-plugin to shutdown")
    manager.say(container, "error", f"Error: failed to wait for pods to be deleted: {cause}")
    manager.say(container, "info", f"Waiting for change to '{names.MIG_CONFIG}' label")
    manager.remember(container, {**memory, "step": "waiting", "current": value, "lastRead": value})
