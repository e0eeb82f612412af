"""The container toolkit's pod: it adds the `nvidia` runtime to containerd (gpu.md 5.2)."""

from __future__ import annotations

from labsim.hardware.machine import with_status
from labsim.kube.objects import Object, get_in
from labsim.operators.gpu import names
from labsim.operators.gpu.loglines import logrus
from labsim.operators.gpu.operands import toolkit as manifest
from labsim.operators.gpu.process import POLL, Process, fault, files
from labsim.sim.clock import SECOND
from labsim.sim.loop import After

FAULT = "toolkit-missing"
DELAY = 5 * SECOND  # the sleep in the entry script


class Toolkit(Process):
    name = "nvidia-container-toolkit"
    account = manifest.ACCOUNT
    containers = {manifest.NAME: ("nvidia-container-toolkit-ctr",)}

    def run(self, container: Object) -> After | None:
        machine = self.machine(container["spec"]["nodeName"])
        memory = self.memory(container)
        self.ready(container)
        if not memory.get("driver"):
            if names.DRIVER_READY not in files(machine):
                return self.wait_for_driver(container, memory)
            self.log(container, *names.DRIVER_ENV)
            memory = {"driver": True, "at": self.now + DELAY}
            self.remember(container, memory)
        if self.now < memory["at"]:
            return After(int(memory["at"]) - self.now)
        if memory.get("done") or fault(machine, FAULT, str(container["spec"]["podUID"])) is not None:
            return None
        self.log(
            container,
            logrus(self.now, "info", "Starting nvidia-toolkit"),
            logrus(self.now, "info", "Installing toolkit"),
            logrus(self.now, "info", "Setting up runtime"),
            logrus(self.now, "info", "Using config version 2"),
            logrus(self.now, "info", "Successfully signaled containerd"),
            logrus(self.now, "info", "Waiting for signal"),
        )
        self.remember(container, {**memory, "done": True})
        if not get_in(machine, "status", "toolkit", "configured"):
            self.store_machine(with_status(machine, toolkit={"configured": True}))
        return None

    def wait_for_driver(self, container: Object, memory: dict[str, int]) -> After:
        """The loop at the top of the entry scripts."""
        if self.now >= memory.get("next", 0):
            self.log(container, "waiting for the driver validations to be ready...")
            memory["next"] = self.now + POLL
            self.remember(container, memory)
        return After(memory["next"] - self.now, periodic=True)
