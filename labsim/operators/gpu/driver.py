"""The driver pod: k8s-driver-manager (init) and the container that loads the kernel modules (gpu.md 5.2).

Loading a driver on Hopper loses MIG mode and instances; MIG Manager brings the layout back when its pod returns.
"""

from __future__ import annotations

from labsim.hardware import usage
from labsim.hardware.machine import Machine, driver_loaded, driver_version, with_driver
from labsim.kube.objects import Object, get_in, labels_of
from labsim.operators.gpu import names
from labsim.operators.gpu.loglines import logrus
from labsim.operators.gpu.operands import driver as manifest
from labsim.operators.gpu.process import Process, fault, files, with_files
from labsim.operators.gpu.validation import DRIVER_CONTAINER_READY
from labsim.sim.clock import MINUTE, SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

FAULT = "driver-not-loaded"
PAUSED = "paused-for-driver-upgrade"
# The operands whose pods hold the driver and are sent away before it is unloaded (k8s-driver-manager 0.11).
CLIENTS = {
    names.DEPLOY + "operator-validator": "nvidia-operator-validator",
    names.DEPLOY + "container-toolkit": "nvidia-container-toolkit-daemonset",
    names.DEPLOY + "device-plugin": "nvidia-device-plugin-daemonset",
    names.DEPLOY + "gpu-feature-discovery": "gpu-feature-discovery",
    names.DEPLOY + "dcgm-exporter": "nvidia-dcgm-exporter",
    names.DEPLOY + "dcgm": "nvidia-dcgm",
    names.DEPLOY + "mig-manager": "nvidia-mig-manager",
}
START = 3 * SECOND
EVICTION = 5 * MINUTE
INSTALL = 50 * SECOND  # unpacking and building the modules [U]
PROBE = 60 * SECOND  # startupProbe.initialDelaySeconds of the manifest


class DriverManager(Process):
    """`driver-manager uninstall_driver`: makes room for the driver that the pod brings."""

    name = "k8s-driver-manager"
    account = manifest.ACCOUNT
    containers = {manifest.NAME: ("k8s-driver-manager",)}

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch("pods", self._pods),)

    def _pods(self, write: Write) -> list[Key]:
        return self.on_node(str(get_in(write.after or write.before, "spec", "nodeName", default="")))

    def run(self, container: Object) -> After | None:
        node = str(container["spec"]["nodeName"])
        machine = self.machine(node)
        memory = self.memory(container)
        if not memory:
            return self._begin(container, node, machine)
        if self.now < memory["at"]:
            return After(int(memory["at"]) - self.now)
        waiting = [app for app in CLIENTS.values() if self._pods_of(app, node)]
        if waiting:
            if self.now < memory["deadline"]:
                return After(SECOND)
            self.log(container, logrus(self.now, "error", f"Timed out waiting for {waiting[0]} to shut down"))
        users = usage.users(self.client, node)
        if waiting or any(users.values()):
            self.log(
                container,
                "Could not unload NVIDIA driver kernel modules, driver is in use",
                "Failed to uninstall nvidia driver components",
            )
            self.exit(container, 1)
            return None
        self.log(container, "Successfully uninstalled nvidia driver components")
        self.store_machine(with_driver(machine, False))
        self._restore(container, node)
        return None

    def _begin(self, container: Object, node: str, machine: Machine) -> After | None:
        wanted = image_version(self.pod(container))
        if not driver_loaded(machine) or driver_version(machine) == wanted:
            if driver_loaded(machine):
                self.log(
                    container,
                    "The NVIDIA driver is already loaded with the desired version and configuration, "
                    "skipping the uninstallation of the driver",
                )
            else:
                self.log(container, "nvidia driver module is not loaded", "Unloading nouveau driver...")
            self._restore(container, node)
            return None
        self.log(container, "Shutting down all GPU clients on the current node by disabling their component labels")
        have = labels_of(self.client.get("nodes", node))
        paused = {key: PAUSED for key in CLIENTS if have.get(key) not in (None, "", "false")}
        self.label_node(node, paused)
        self.remember(container, {"at": self.now + START, "deadline": self.now + EVICTION})
        return After(START)

    def _restore(self, container: Object, node: str) -> None:
        have = labels_of(self.client.get("nodes", node))
        back: dict[str, str | None] = {key: "true" for key in CLIENTS if have.get(key) == PAUSED}
        if back:
            self.log(container, "Rescheduling all GPU clients on the current node by enabling their component labels")
        # nvsm is a key that only the driver manager and MIG Manager write; empty at first (gpu.md 2.7 c).
        if names.DEPLOY + "nvsm" not in have:
            back[names.DEPLOY + "nvsm"] = ""
        self.label_node(node, back)
        self.exit(container, 0)

    def _pods_of(self, app: str, node: str) -> list[Object]:
        found = self.client.by_index("pods", "label", f"app={app}", self.namespace)
        return [pod for pod in found if get_in(pod, "spec", "nodeName") == node]


class Driver(Process):
    """`nvidia-driver init`: loads the modules, then stays."""

    name = "nvidia-driver"
    account = manifest.ACCOUNT
    containers = {manifest.NAME: ("nvidia-driver-ctr",)}

    def run(self, container: Object) -> After | None:
        node = str(container["spec"]["nodeName"])
        machine = self.machine(node)
        memory = self.memory(container)
        version = image_version(self.pod(container))
        if not memory:
            fast = driver_loaded(machine) and driver_version(machine) == version
            branch = version.partition(".")[0]
            self.log(
                container,
                f"DRIVER_ARCH is x86_64, driver version is {version}",
                f"Creating directory NVIDIA-Linux-x86_64-{version}"
                if not fast
                else f"NVIDIA driver {version} of branch {branch} is already loaded, skipping the installation",
            )
            memory = {"loadAt": self.now + (START if fast else INSTALL), "loaded": False}
            self.remember(container, memory)
        if not memory["loaded"]:
            if self.now < memory["loadAt"]:
                return After(int(memory["loadAt"]) - self.now)
            broken = fault(machine, FAULT, str(container["spec"]["podUID"]))
            if broken is not None:
                self.log(
                    container,
                    "Loading NVIDIA driver kernel modules...",
                    "modprobe: ERROR: could not insert 'nvidia': No such device",
                    "Stopping NVIDIA persistence daemon...",
                    "Unloading NVIDIA driver kernel modules...",
                )
                self.exit(container, 1)
                return None
            if not driver_loaded(machine) or driver_version(machine) != version:
                machine = with_driver(machine, True, version, self.now)
                self.store_machine(machine)
            self.log(
                container,
                "Loading NVIDIA driver kernel modules...",
                "Starting NVIDIA persistence daemon...",
                "Starting NVIDIA fabric manager daemon...",
                "Done, now waiting for signal",
            )
            memory["loaded"] = True
            self.remember(container, memory)
        probe = max(self.started(container) + PROBE, int(memory["loadAt"]) + SECOND)
        if self.now < probe:
            return After(probe - self.now)
        if driver_loaded(machine) and DRIVER_CONTAINER_READY not in files(machine):
            self.store_machine(with_files(machine, add=[DRIVER_CONTAINER_READY]))
        self.ready(container)
        return None

    def ended(self, key: Key, container: Object | None) -> None:
        """The pod's preStop hook removes the file; the modules stay loaded."""
        machine = self.client.find(names.MACHINES, key[0])
        if machine is not None and DRIVER_CONTAINER_READY in files(machine):
            self.store_machine(with_files(machine, drop=[DRIVER_CONTAINER_READY]))


def image_version(pod: Object | None) -> str:
    """`580.126.20` of the image tag `580.126.20-ubuntu22.04`."""
    containers = get_in(pod, "spec", "containers", default=())
    image = next((str(c["image"]) for c in containers if c["name"] == "nvidia-driver-ctr"), "")
    return image.rpartition(":")[2].partition("-")[0]
