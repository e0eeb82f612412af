"""One reconfiguration by MIG Manager, step by step (gpu.md 2.4; pkg/mig/reconfigure of mig-parted v0.14.5).

Every step logs, does one thing and says how long it takes. The order, and which failures write a state, are upstream's:
a timeout while waiting for pods writes none, so the node stays `pending` with paused operands (2.7 a).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from labsim.hardware import usage
from labsim.hardware.machine import Machine, gpus, with_gpu
from labsim.kube.objects import Object, get_in, labels_of, name_of
from labsim.operators.gpu import names
from labsim.operators.gpu.migparted import program
from labsim.operators.gpu.migparted.log import visible
from labsim.sim.clock import MINUTE, SECOND

if TYPE_CHECKING:
    from labsim.operators.gpu.mig_manager import MigManager

# How long the calls of the program take [U]: gpu.md 2.7 infers a total of one to three minutes a node from logs.
ASSERT_TIME = SECOND
SMI_TIME = SECOND
CDI_TIME = 4 * SECOND
POD_POLL = SECOND
POD_TIMEOUT = 5 * MINUTE

# What is waited for, in order: (its word in the log, its app label).
CLIENTS = (
    ("the device-plugin", "nvidia-device-plugin-daemonset"),
    ("gpu-feature-discovery", "gpu-feature-discovery"),
    ("dcgm-exporter", "nvidia-dcgm-exporter"),
    ("dcgm", "nvidia-dcgm"),
)


class Run:
    """`memory` is the process's; this object lives for one step only."""

    MEMORY: ClassVar[tuple[str, ...]] = ("deployed", "state", "client", "deadline", "plan", "reboot")

    def __init__(self, manager: MigManager, container: Object, memory: dict[str, Any]) -> None:
        self.manager, self.container, self.memory = manager, container, memory
        self.node = str(container["spec"]["nodeName"])
        self.client = manager.client

    def step(self) -> int:
        """Does the step named in the memory, puts the next one there, returns the ms until then."""
        handlers = {
            "read": self._read,
            "validate": self._validate,
            "applied": self._applied,
            "mode": self._mode_needed,
            "pause": self._pause,
            "wait": self._wait,
            "remove": self._remove,
            "apply-mode": self._apply_mode,
            "playing-mode": lambda: self._play("mode-checked", "mode-failed"),
            "mode-checked": self._mode_checked,
            "mode-failed": self._mode_failed,
            "apply": self._apply,
            "playing": lambda: self._play("smi", "apply-failed"),
            "apply-failed": lambda: self._fail("failed to apply MIG configuration: exit status 1"),
            "smi": self._smi,
            "cdi": self._cdi,
            "validator": self._validator,
            "resume": self._resume,
        }
        return handlers[self.memory["step"]]()

    # -- small parts -------------------------------------------------------------------------------------------------

    def say(self, text: str, level: str = "info") -> None:
        self.manager.say(self.container, level, text)

    def go(self, step: str, ms: int = 0) -> int:
        self.memory["step"] = step
        return ms

    def finish(self, error: str = "") -> int:
        if error:
            self.memory["error"] = error
        return self.go("end")

    def machine(self) -> Machine:
        return self.manager.machine(self.node)

    def print(self, lines: Iterable[Any], debug: bool) -> None:
        for level, text in visible([(str(level), str(text)) for level, text in lines], debug):
            self.say(text, level)

    def check(self, debug: bool = False, **options: bool) -> bool:
        """`nvidia-mig-parted assert`: prints what it prints; True when it exits 0."""
        path = str(self.memory["file"])
        text = self.manager.config_text(self.container, path)
        lines, code = program.run_assert(self.machine(), path, text, str(self.memory["lastRead"]), **options)
        self.print(lines, debug)
        return code == 0

    def set_state(self, state: str) -> None:
        """setState: until one run has come to its end in this process, the clients are let back first (quirk 2.7 b)."""
        if not self.memory.get("restored"):
            self.say(
                "Restarting any GPU clients previously shutdown in Kubernetes by reenabling "
                "their component-specific nodeSelector labels"
            )
            self._deploy("true")
        self.say(f"Changing the '{names.MIG_STATE}' node label to '{state}'\n")
        self.manager.label_node(self.node, {names.MIG_STATE: state})

    def _deploy(self, value: str) -> None:
        deployed: Mapping[str, str] = self.memory["deployed"]
        self.manager.label_node(
            self.node, {label: "false" if deployed[label] == "false" else value for label in names.PAUSED_LABELS}
        )

    def _fail(self, error: str) -> int:
        self.set_state("failed")
        return self.finish(error)

    # -- the steps, in order -----------------------------------------------------------------------------------------

    def _read(self) -> int:
        have = labels_of(self.client.get("nodes", self.node))
        self.memory["deployed"] = {label: have.get(label, "") for label in names.PAUSED_LABELS}
        self.memory["state"] = have.get(names.MIG_STATE, "")
        for label in (*names.PAUSED_LABELS, names.MIG_STATE):
            self.say(f"Current value of '{label}={have.get(label, '')}'\n")
        self.say("Asserting that the requested configuration is present in the configuration file")
        return self.go("validate", ASSERT_TIME)

    def _validate(self) -> int:
        if not self.check(valid_config=True):
            return self._fail("failed to validate MIG configuration: exit status 1")
        self.say("Checking if the selected MIG config is currently applied or not")
        return self.go("applied", ASSERT_TIME)

    def _applied(self) -> int:
        if self.check():
            self.say("Selected MIG config is already applied")
            self.set_state("success")
            return self.finish()
        # Nothing to persist: the host has no nvidia-mig-manager service of its own (gpu.md 0.4).
        self.say("Checking if the MIG mode setting in the selected config is currently applied or not")
        self.say("If the state is 'rebooting', we expect this to always return true")
        return self.go("mode", ASSERT_TIME)

    def _mode_needed(self) -> int:
        if not self.check(mode_only=True) and self.memory["state"] == "rebooting":
            cause = "MIG mode change did not take effect after rebooting"
            return self._fail(f"failed to check if a MIG mode change is required: {cause}")
        self.manager.label_node(self.node, {names.MIG_STATE: "pending"})
        return self.go("pause")

    def _pause(self) -> int:
        self.say(
            "Shutting down all GPU clients in Kubernetes by disabling their component-specific nodeSelector labels"
        )
        self._deploy(names.PAUSED)
        return self._next_client(0)

    def _next_client(self, index: int) -> int:
        self.say(f"Waiting for {CLIENTS[index][0]} to shutdown")
        self.memory |= {"client": index, "deadline": self.manager.now + POD_TIMEOUT}
        return self.go("wait", POD_POLL)

    def _wait(self) -> int:
        index = int(self.memory["client"])
        word, app = CLIENTS[index]
        if self._pods(app):
            if self.manager.now >= self.memory["deadline"]:
                cause = f"{word.removeprefix('the ')} pod did not shutdown: context deadline exceeded"
                return self.finish(f"failed to wait for pods to be deleted: {cause}")
            return self.go("wait", POD_POLL)
        return self._next_client(index + 1) if index + 1 < len(CLIENTS) else self.go("remove")

    def _remove(self) -> int:
        self.say("Removing the cuda-validator pod")
        self._delete("nvidia-cuda-validator")
        self.say("Removing the plugin-validator pod")
        self._delete("nvidia-device-plugin-validator")
        return self.go("apply-mode", SECOND)

    def _apply_mode(self) -> int:
        self.say(
            "Applying the MIG mode change from the selected config to the node (and double checking it took effect)"
        )
        self.say("If the -r option was passed, the node will be automatically rebooted if this is not successful")
        return self._start("playing-mode", mode_only=True)

    def _mode_checked(self) -> int:
        return self.go("apply") if self.check(debug=True, mode_only=True) else self.go("mode-failed")

    def _mode_failed(self) -> int:
        """Without WITH_REBOOT the error is dropped and the next step fails; with it the node is rebooted."""
        if self.manager.env(self.container).get("WITH_REBOOT", "").lower() != "true":
            return self.go("apply")
        self.say(f"Changing the '{names.MIG_STATE}' node label to 'rebooting'\n")
        self.manager.label_node(self.node, {names.MIG_STATE: "rebooting"})
        self.say("Rebooting the node...")
        self.say("Failed to reboot the node: not simulated in labsim", "warning")
        return self.finish()

    def _apply(self) -> int:
        self.say("Applying the selected MIG config to the node")
        return self._start("playing", mode_only=False)

    def _start(self, step: str, mode_only: bool) -> int:
        path = str(self.memory["file"])
        text = self.manager.config_text(self.container, path)
        users = usage.users(self.client, self.node)
        steps = program.run_apply(self.machine(), path, text, str(self.memory["lastRead"]), users, mode_only)
        self.memory["plan"] = list(steps)
        return self.go(step)

    def _play(self, after: str, failed: str) -> int:
        """One step of the plan: its time passes, then its lines are printed and the GPU is as the step leaves it."""
        plan: list[dict[str, Any]] = list(self.memory["plan"])
        current, *rest = plan
        if current["ms"] and not current.get("begun"):
            self.memory["plan"] = [{**current, "begun": True}, *rest]
            return self.go(self.memory["step"], int(current["ms"]))
        self.print(current["lines"], debug=True)
        if current["gpu"] is not None:
            self._change(current["gpu"])
        self.memory["plan"] = rest
        if current["code"] is None:
            return self.go(self.memory["step"])
        return self.go(failed if current["code"] else after)

    def _change(self, planned: Mapping[str, Any]) -> None:
        """Only the MIG part: what else happened to the GPU meanwhile stays."""
        machine = self.machine()
        gpu = gpus(machine)[planned["index"]]
        changed = {**gpu, "mig": planned["mig"], "instances": planned["instances"]}
        if changed != gpu:
            self.manager.store_machine(with_gpu(machine, changed))

    def _smi(self) -> int:
        self.say("Running nvidia-smi")
        return self.go("cdi", SMI_TIME)

    def _cdi(self) -> int:
        self.say("Creating NVIDIA control device nodes")
        self.say("Creating management CDI spec")
        self.say("Creating management CDI spec (simplified implementation)")
        return self.go("validator", CDI_TIME)

    def _validator(self) -> int:
        self.say("Restarting validator pod to re-run all validations")
        self._delete("nvidia-operator-validator")
        return self.go("resume")

    def _resume(self) -> int:
        self.say(
            "Restarting all GPU clients previously shutdown in Kubernetes by reenabling "
            "their component-specific nodeSelector labels"
        )
        self.memory["restored"] = True
        self._deploy("true")
        self.set_state("success")
        return self.finish()

    # -- pods --------------------------------------------------------------------------------------------------------

    def _pods(self, app: str) -> list[Object]:
        found = self.client.by_index("pods", "label", f"app={app}", self.manager.namespace)
        return [pod for pod in found if get_in(pod, "spec", "nodeName") == self.node]

    def _delete(self, app: str) -> None:
        for pod in self._pods(app):
            if get_in(pod, "metadata", "deletionTimestamp") is None:
                self.client.delete("pods", name_of(pod), self.manager.namespace)
