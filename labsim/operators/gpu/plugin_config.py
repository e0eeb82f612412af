"""Which strategy and sharing a device plugin or GFD container runs with: its environment, or its node's config file.

With `spec.devicePlugin.config.name` each key of that ConfigMap is a config and the node label
`nvidia.com/device-plugin.config` picks one (gpu.md 3.5).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labsim.hardware.enumerate import NONE, Sharing
from labsim.kube.objects import Object, get_in, labels_of
from labsim.operators.gpu import names

if TYPE_CHECKING:
    from labsim.operators.gpu.process import Process

AVAILABLE = "/available-configs"


@dataclass(frozen=True)
class PluginConfig:
    strategy: str
    sharing: Sharing | None = None
    shown_sharing: dict[str, Any] = field(default_factory=dict)


def read(process: Process, container: Object) -> PluginConfig:
    env = process.env(container)
    strategy = env.get("MIG_STRATEGY", "") or NONE
    text = selected(process, container)
    if text is None:
        return PluginConfig(strategy)
    import yaml

    document = yaml.safe_load(text) or {}
    strategy = str(get_in(document, "flags", "migStrategy", default=strategy))
    sharing = get_in(document, "sharing", default={})
    for kind, key in (("time-slicing", "timeSlicing"), ("mps", "mps")):
        if sharing.get(key):
            return PluginConfig(strategy, _sharing(kind, sharing[key]), {key: sharing[key]})
    return PluginConfig(strategy)


def selected(process: Process, container: Object) -> str | None:
    """The text of the config file chosen for the container's node; None without one."""
    pod = process.pod(container)
    manager: Object = next(
        (c for c in get_in(pod, "spec", "containers", default=()) if c["name"] == "config-manager"), {}
    )
    if not manager:
        return None
    settings = {item["name"]: str(item.get("value", "")) for item in manager.get("env", ())}
    volume = next((m["name"] for m in manager.get("volumeMounts", ()) if m["mountPath"] == AVAILABLE), "")
    node = process.client.get("nodes", container["spec"]["nodeName"])
    chosen = labels_of(node).get(names.PLUGIN_CONFIG) or settings.get("DEFAULT_CONFIG", "")
    found = process.mounted(container, volume) or {}
    if not chosen and len(found) == 1:
        chosen = next(iter(found))
    return found.get(chosen)


def _sharing(kind: str, section: dict[str, Any]) -> Sharing:
    rules: dict[str, Any] = {}
    for rule in section.get("resources", ()):
        rename = str(rule.get("rename", "")) or (f"{rule['name']}.shared" if section.get("renameByDefault") else "")
        rules[str(rule["name"])] = {"replicas": int(rule["replicas"]), "rename": rename}
    return {"strategy": kind, "resources": rules}
