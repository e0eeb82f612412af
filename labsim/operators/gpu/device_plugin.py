"""The device plugin: it looks at the GPUs once, when it starts, and serves what it saw (gpu.md 3).

A socket is a `deviceplugins.runtime.labsim` object; the kubelet's device manager makes Capacity and Allocatable of it.
"""

from __future__ import annotations

from json import dumps
from typing import Any

from labsim.hardware import enumerate as enumeration
from labsim.hardware.machine import gpus
from labsim.kube.objects import Object, name_of, set_in
from labsim.operators.gpu import names, plugin_config
from labsim.operators.gpu.loglines import klog
from labsim.operators.gpu.operands import device_plugin as manifest
from labsim.operators.gpu.process import POLL, Process, fault, files
from labsim.sim.clock import SECOND
from labsim.sim.loop import After
from labsim.sim.timers import Key

FAULT = "plugin-crash"
START = 3 * SECOND
SOCKETS = "/var/lib/kubelet/device-plugins"


class DevicePlugin(Process):
    name = "nvidia-device-plugin"
    account = manifest.ACCOUNT
    containers = {manifest.NAME: (manifest.CONTAINER,)}

    def run(self, container: Object) -> After | None:
        node = str(container["spec"]["nodeName"])
        machine = self.machine(node)
        memory = self.memory(container)
        self.ready(container)
        if "devices" not in memory:
            if names.DRIVER_READY not in files(machine):
                if self.now >= memory.get("next", 0):
                    self.log(container, "waiting for the driver validations to be ready...")
                    memory["next"] = self.now + POLL
                    self.remember(container, memory)
                return After(int(memory["next"]) - self.now, periodic=True)
            begin = int(memory.get("at", 0)) or self.now + START
            if self.now < begin:
                if "at" not in memory:
                    self.remember(container, {"at": begin})
                return After(begin - self.now)
            self._serve(container, node)
            return None
        self._health(container, node, memory)
        return None

    def ended(self, key: Key, container: Object | None) -> None:
        """The process is gone and its sockets with it."""
        for plugin in self.client.by_index(names.PLUGINS, "spec.nodeName", key[0]):
            if plugin["spec"].get("container") == key[2]:
                self.client.delete(names.PLUGINS, name_of(plugin))

    def _serve(self, container: Object, node: str) -> None:
        machine = self.machine(node)
        config = plugin_config.read(self, container)
        self._say(container, "Starting nvidia-device-plugin", plain=True)
        self.log(container, *names.DRIVER_ENV)
        for line, text in (
            (269, f'"Starting nvidia-device-plugin" version="{names.VERSION}"'),
            (272, f"Starting FS watcher for {SOCKETS}"),
            (279, "Starting OS watcher."),
            (294, "Starting Plugins."),
            (351, "Loading configuration."),
            (377, "Updating config with default resource matching patterns."),
            (388, "\nRunning with config:\n" + _shown(config)),
            (391, "Retrieving plugins."),
        ):
            self._say(container, text, line)
        try:
            broken = fault(machine, FAULT, str(container["spec"]["podUID"]))
            if broken is not None:
                raise enumeration.PluginError(broken["message"])
            resources = enumeration.resources(machine, config.strategy, config.sharing)
        except enumeration.PluginError as error:
            self.log(container, klog(self.now, "E", "main.go:198", str(error)))
            self.exit(container, 1)
            return
        for text in enumeration.warnings(machine, config.strategy):
            self.log(container, klog(self.now, "W", "mig_devices.go:120", text))
        if not any(resources.values()):
            self._say(container, "No devices found. Waiting indefinitely.", 416)
        for resource, devices in resources.items():
            self._socket(container, node, resource, devices)
        self.remember(container, {"devices": {r: [d["id"] for d in found] for r, found in resources.items()}})

    def _socket(self, container: Object, node: str, resource: str, devices: list[dict[str, Any]]) -> None:
        base = resource.partition("/")[2]
        for text in (
            f"Starting GRPC server for '{resource}'",
            f"Starting to serve '{resource}' on {SOCKETS}/nvidia-{base}.sock",
            f"Registered device plugin for '{resource}' with Kubelet",
        ):
            self.log(container, klog(self.now, "I", "server.go:197", text))
        plugin: Object = {
            "apiVersion": "runtime.labsim/v1",
            "kind": "DevicePlugin",
            "metadata": {"name": f"{node}.{resource.replace('/', '_')}"},
            "spec": {
                "nodeName": node,
                "resource": resource,
                "podUID": container["spec"]["podUID"],
                "container": name_of(container),
                "devices": [{**device, "healthy": True} for device in devices],
            },
        }
        old = self.client.find(names.PLUGINS, plugin["metadata"]["name"])
        if old is not None:
            self.client.delete(names.PLUGINS, name_of(old))
        self.client.create(names.PLUGINS, plugin)

    def _health(self, container: Object, node: str, memory: dict[str, Any]) -> None:
        """Devices of GPUs with a critical Xid turn unhealthy and stay so until the plugin starts again."""
        bad = enumeration.unhealthy(self.machine(node), self.started(container))
        uuids = {gpu["index"]: gpu["uuid"] for gpu in gpus(self.machine(node))}
        for plugin in self.client.by_index(names.PLUGINS, "spec.nodeName", node):
            if plugin["spec"].get("container") != name_of(container):
                continue
            resource, devices, changed = plugin["spec"]["resource"], [], False
            for device in plugin["spec"]["devices"]:
                if device["healthy"] and device["gpu"] in bad:
                    xid, changed = bad[device["gpu"]], True
                    text = f"XidCriticalError: Xid={xid} on Device={uuids[device['gpu']]}; marking device as unhealthy."
                    self.log(
                        container,
                        klog(self.now, "I", "health.go:206", text),
                        klog(self.now, "I", "server.go:281", f"'{resource}' device marked unhealthy: {device['id']}"),
                    )
                    device = {**device, "healthy": False}
                devices.append(device)
            if changed:
                self.client.update(names.PLUGINS, set_in(plugin, ("spec", "devices"), devices))

    def _say(self, container: Object, text: str, line: int = 0, plain: bool = False) -> None:
        self.log(container, text if plain else klog(self.now, "I", f"main.go:{line}", text))


def _shown(config: plugin_config.PluginConfig) -> str:
    """The part of the program's configuration that a reader looks at, as it is printed."""
    return dumps(
        {
            "version": "v1",
            "flags": {
                "migStrategy": config.strategy,
                "failOnInitError": True,
                "gdsEnabled": False,
                "mofedEnabled": False,
                "plugin": {
                    "passDeviceSpecs": True,
                    "deviceListStrategy": ["cdi-annotations", "cdi-cri"],
                    "deviceIDStrategy": "uuid",
                },
            },
            "resources": {"gpus": [{"pattern": "*", "name": "nvidia.com/gpu"}]},
            "sharing": config.shown_sharing,
        },
        indent=2,
    )
