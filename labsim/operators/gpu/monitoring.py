"""dcgm-exporter, the optional DCGM engine, and the config-manager side containers: programs that only stay."""

from __future__ import annotations

from labsim.kube.objects import Object
from labsim.operators.gpu.loglines import logrus
from labsim.operators.gpu.operands import dcgm
from labsim.operators.gpu.process import Process
from labsim.sim.clock import SECOND
from labsim.sim.loop import After

PROBE = 45 * SECOND  # readinessProbe.initialDelaySeconds of the exporter's manifest


class Exporter(Process):
    name = "dcgm-exporter"
    account = dcgm.EXPORTER
    containers = {dcgm.EXPORTER: (dcgm.EXPORTER,)}
    watch_machine = False

    def run(self, container: Object) -> After | None:
        if not self.memory(container):
            for text in (
                "Starting dcgm-exporter",
                "DCGM successfully initialized!",
                "Collecting DCP Metrics",
                "Initializing system entities of type: GPU",
                "Pipeline starting",
                "Starting webserver",
            ):
                self.log(container, logrus(self.now, "info", text))
            self.remember(container, {"started": True})
        until = self.started(container) + PROBE
        if self.now < until:
            return After(until - self.now)
        self.ready(container)
        return None


class Engine(Process):
    name = "dcgm"
    account = dcgm.ENGINE
    containers = {dcgm.ENGINE: ("nvidia-dcgm-ctr",)}
    watch_machine = False

    def run(self, container: Object) -> After | None:
        if not self.memory(container):
            self.log(container, "Started host engine using port 5555")
            self.remember(container, {"started": True})
        self.ready(container)
        return None


class ConfigManager(Process):
    """Chooses the node's config file; the plugin and GFD read the choice when they start."""

    name = "config-manager"
    account = "nvidia-device-plugin"
    containers = dict.fromkeys(
        ("nvidia-device-plugin-daemonset", "gpu-feature-discovery"), ("config-manager", "config-manager-init")
    )
    watch_machine = False

    def run(self, container: Object) -> After | None:
        self.ready(container)
        if not self.memory(container):
            self.log(
                container, logrus(self.now, "info", "Waiting for change to 'nvidia.com/device-plugin.config' label")
            )
            self.remember(container, {"started": True})
        if container["spec"]["container"] == "config-manager-init":
            self.exit(container, 0)
        return None
