"""The validator's checks: driver, toolkit, CUDA, plugin; and the loops in which operands wait for them (gpu.md 5.2).

Texts: cmd/nvidia-validator of gpu-operator v26.3.3.
"""

from __future__ import annotations

from collections.abc import Iterable

from labsim.hardware.machine import Machine, driver_loaded, gpus
from labsim.hardware.mig import enabled, mig_devices
from labsim.kube.objects import Object, get_in
from labsim.operators.gpu import names
from labsim.operators.gpu.loglines import logrus
from labsim.operators.gpu.operands import validator
from labsim.operators.gpu.process import POLL, Process, files, with_files
from labsim.sim.clock import SECOND
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

DRIVER_CONTAINER_READY = ".driver-ctr-ready"
CHECK_TIME = 2 * SECOND
RESOURCE_RETRIES = 30  # of five seconds each, until plugin-validation gives up
POD_RETRIES = 60  # of five seconds each, until cuda-validation gives up


class Waiting(Process):
    """The init container toolkit-validation of an operand: a shell loop until the toolkit-ready file is there."""

    name = "toolkit-validation"
    account = validator.NAME
    containers = dict.fromkeys(
        (
            "nvidia-device-plugin-daemonset",
            "gpu-feature-discovery",
            "nvidia-dcgm-exporter",
            "nvidia-dcgm",
            "nvidia-mig-manager",
        ),
        ("toolkit-validation",),
    )

    def run(self, container: Object) -> After | None:
        if names.TOOLKIT_READY in files(self.machine(container["spec"]["nodeName"])):
            self.exit(container, 0)
            return None
        stack = "toolkit" if container["metadata"]["labels"]["app"] == "nvidia-mig-manager" else "stack"
        memory = self.memory(container)
        if self.now >= memory.get("next", 0):
            self.log(container, f"waiting for nvidia container {stack} to be setup")
            memory["next"] = self.now + POLL
            self.remember(container, memory)
        return After(int(memory["next"]) - self.now, periodic=True)


class DriverValidation(Process):
    """driver-validation, in the toolkit's and the validator's pod: waits for the driver container, then nvidia-smi."""

    name = "driver-validation"
    account = validator.NAME
    containers = {
        validator.NAME: ("driver-validation",),
        "nvidia-container-toolkit-daemonset": ("driver-validation",),
    }

    def run(self, container: Object) -> After | None:
        machine = self.machine(container["spec"]["nodeName"])
        memory = self.memory(container)
        if not memory:
            self.log(
                container,
                logrus(self.now, "info", f"version: {names.VERSION}"),
                logrus(self.now, "info", "Attempting to validate a pre-installed driver on the host"),
                logrus(
                    self.now,
                    "info",
                    "No pre-installed driver detected on the host: no 'nvidia-smi' file present on the host: "
                    "lstat /host/usr/bin/nvidia-smi: no such file or directory",
                ),
                logrus(self.now, "info", "Validating containerized driver installation"),
                logrus(
                    self.now,
                    "info",
                    "Driver is not pre-installed on the host and is managed by GPU Operator. "
                    "Checking driver container status.",
                ),
            )
            memory = {"next": self.now, "passed": 0}
        if DRIVER_CONTAINER_READY not in files(machine) or not driver_loaded(machine):
            if self.now >= memory["next"]:
                command = f"-c stat /run/nvidia/validations/{DRIVER_CONTAINER_READY}"
                self.log(
                    container,
                    f"running command bash with args [{command}]",
                    f"stat: cannot statx '/run/nvidia/validations/{DRIVER_CONTAINER_READY}': No such file or directory",
                    logrus(self.now, "warning", "error running command: exit status 1"),
                    "command failed, retrying after 5 seconds",
                )
                memory["next"] = self.now + POLL
            memory["passed"] = 0
            self.remember(container, memory)
            return After(int(memory["next"]) - self.now, periodic=True)
        if not memory["passed"]:
            self.log(container, logrus(self.now, "info", "Attempting to validate a driver container installation"))
            memory["passed"] = self.now + CHECK_TIME
            self.remember(container, memory)
        if self.now < memory["passed"]:
            return After(int(memory["passed"]) - self.now)
        self.log(
            container,
            logrus(self.now, "info", "creating symlinks under /dev/char that correspond to NVIDIA character devices"),
        )
        self.store_machine(with_files(machine, add=[names.DRIVER_READY]))
        self.exit(container, 0)
        return None


class Checks(Process):
    """The validator's other init containers and its main one."""

    name = "operator-validator"
    account = validator.NAME
    containers = {
        validator.NAME: ("toolkit-validation", "cuda-validation", "plugin-validation", validator.NAME),
    }

    def extra_watches(self) -> tuple[Watch, ...]:
        return (Watch("pods", self._cuda_pods), Watch("nodes", lambda write: self.on_node(write.name)))

    def _cuda_pods(self, write: Write) -> Iterable[Key]:
        pod = write.after or write.before
        if get_in(pod, "metadata", "labels", "app") != validator.CUDA_APP:
            return []
        return self.on_node(str(get_in(pod, "spec", "nodeName", default="")))

    def run(self, container: Object) -> After | None:
        step = container["spec"]["container"]
        if step == validator.NAME:
            if not self.memory(container):
                self.log(container, "all validations are successful")
                self.remember(container, {"said": True})
            self.ready(container)
            return None
        if self.now < self.started(container) + CHECK_TIME:
            return After(self.started(container) + CHECK_TIME - self.now)
        node = str(container["spec"]["nodeName"])
        if step == "toolkit-validation":
            self._toolkit(container, node)
            return None
        return self._cuda(container, node) if step == "cuda-validation" else self._plugin(container, node)

    def ended(self, key: Key, container: Object | None) -> None:
        """The pod's preStop hook removes the ready files, so that every operand waits for a new validation."""
        if not key[2].endswith(f".{validator.NAME}"):
            return
        if container is not None and get_in(container, "status", "state") != "exited":
            return
        machine = self.client.find(names.MACHINES, key[0])
        if machine is not None:
            done = (names.DRIVER_READY, names.TOOLKIT_READY, names.CUDA_READY, names.PLUGIN_READY)
            self.store_machine(with_files(machine, drop=done))

    def _pass(self, container: Object, node: str, file: str) -> None:
        self.store_machine(with_files(self.machine(node), add=[file]))
        self.exit(container, 0)

    def _toolkit(self, container: Object, node: str) -> None:
        if driver_loaded(self.machine(node)):
            self._pass(container, node, names.TOOLKIT_READY)
            return
        self.log(
            container,
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
            "Make sure that the latest NVIDIA driver is installed and running.",
            "toolkit is not ready",
            logrus(self.now, "info", "Error: error validating toolkit installation: exit status 9"),
        )
        self.exit(container, 1)

    def _cuda(self, container: Object, node: str) -> After | None:
        memory = self.memory(container)
        if not memory:
            made = self._new_cuda_pod(container, node)
            memory = {"pod": made["metadata"]["name"], "next": self.now, "tries": 0}
        pod = self.client.find("pods", str(memory["pod"]), self.namespace)
        if pod is not None and get_in(pod, "status", "phase") == "Succeeded":
            self.log(container, logrus(self.now, "info", f"pod {memory['pod']} have run successfully"))
            self._pass(container, node, names.CUDA_READY)
            return None
        if pod is None or memory["tries"] >= POD_RETRIES:
            cause = (
                f'failed to get pod {memory["pod"]}, err pods "{memory["pod"]}" not found'
                if pod is None
                else f"gave up waiting for pod {memory['pod']} to be available"
            )
            self.log(container, logrus(self.now, "info", f"Error: error validating cuda workload: {cause}"))
            self.exit(container, 1)
            return None
        if self.now >= memory["next"]:
            phase = get_in(pod, "status", "phase", default="Pending")
            self.log(container, logrus(self.now, "info", f"pod {memory['pod']} is curently in {phase} phase"))
            memory |= {"next": self.now + POLL, "tries": memory["tries"] + 1}
        self.remember(container, memory)
        # A pod that has failed once is tried again for ever, by its kubelet and then by this check.
        failed = any(
            get_in(status, "restartCount", default=0) or get_in(status, "state", "terminated", "exitCode")
            for group in ("initContainerStatuses", "containerStatuses")
            for status in get_in(pod, "status", group, default=())
        )
        return After(int(memory["next"]) - self.now, periodic=failed)

    def _new_cuda_pod(self, container: Object, node: str) -> Object:
        for old in self.client.by_index("pods", "label", f"app={validator.CUDA_APP}", self.namespace):
            if get_in(old, "spec", "nodeName") == node:
                self.client.delete("pods", old["metadata"]["name"], self.namespace, grace_seconds=0)
        daemon_set = self.client.get("daemonsets.apps", validator.NAME, self.namespace)
        owners = get_in(daemon_set, "metadata", "ownerReferences", default=[])
        policy: Object = next(iter(self.client.list(names.POLICIES)), {"spec": {}})
        return self.client.create("pods", validator.cuda_pod(policy["spec"], node, owners), self.namespace)

    def _plugin(self, container: Object, node: str) -> After | None:
        if _has_gpu(self.client.get("nodes", node)):
            self._pass(container, node, names.PLUGIN_READY)
            return None
        memory = self.memory(container) or {"next": self.now, "tries": 0}
        if memory["tries"] >= RESOURCE_RETRIES:
            text = "Error: error validating plugin installation: GPU resources are not discovered by the node"
            self.log(container, logrus(self.now, "info", text))
            self.exit(container, 1)
            return None
        if self.now >= memory["next"]:
            memory |= {"next": self.now + POLL, "tries": memory["tries"] + 1}
            text = f"GPU resources are not yet discovered by the node, retry: {memory['tries']}"
            self.log(container, logrus(self.now, "info", text))
        self.remember(container, memory)
        # It starts over for ever, so it does not keep the world from being quiet.
        return After(int(memory["next"]) - self.now, periodic=True)


def _has_gpu(node: Object) -> bool:
    """It looks at Capacity, so that a stale key hides a fault for five minutes (gpu.md 5.2)."""
    capacity = get_in(node, "status", "capacity", default={})
    return any(
        int(value) >= 1 for key, value in capacity.items() if key.startswith(("nvidia.com/mig-", "nvidia.com/gpu"))
    )


class CudaValidator(Process):
    """The CUDA test pod: vectorAdd on the first device it sees, then an echo."""

    name = "cuda-validator"
    account = validator.NAME
    containers = {validator.CUDA_APP: ("cuda-validation", validator.CUDA_APP)}
    watch_machine = False

    def run(self, container: Object) -> After | None:
        if self.now < self.started(container) + SECOND:
            return After(self.started(container) + SECOND - self.now)
        if container["spec"]["container"] == validator.CUDA_APP:
            self.log(container, "cuda workload validation is successful")
            self.exit(container, 0)
            return None
        failure = cuda_failure(self.machine(container["spec"]["nodeName"]))
        self.log(container, "[Vector addition of 50000 elements]")
        if failure:
            self.log(container, f"Failed to allocate device vector A (error code {failure})!")
        else:
            self.log(
                container,
                "Copy input data from the host memory to the CUDA device",
                "CUDA kernel launch with 196 blocks of 256 threads",
                "Copy output data from the CUDA device to the host memory",
                "Test PASSED",
                "Done",
            )
        self.exit(container, 1 if failure else 0)
        return None


def cuda_failure(machine: Machine) -> str:
    """Why a program that sees every device cannot use CUDA, or "" (gpu.md 5.2, 6.7)."""
    if not driver_loaded(machine):
        return "no CUDA-capable device is detected"
    usable = [gpu for gpu in gpus(machine) if not gpu["lost"] and (not enabled(gpu) or mig_devices(gpu))]
    return "" if usable else "initialization error"
