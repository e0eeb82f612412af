"""state-mig-manager. Source: assets/state-mig-manager and TransformMIGManager of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu.migparted.layouts import CUSTOM_FILE, stock_text
from labsim.operators.gpu.operands.parts import (
    FROM_HOST,
    Objects,
    config_map,
    config_volume,
    daemon_set,
    entry_script,
    env,
    field_env,
    host,
    main_container,
    mount,
    part,
    privileged,
    service_account,
    validations,
    waiting_init,
)

NAME = "nvidia-mig-manager"
DEFAULT_CONFIG = "default-mig-parted-config"
DEFAULT_CLIENTS = "default-gpu-clients"
# Under this name the stock file is mounted, so that it is not taken for a custom one.
DEFAULT_FILE = "/mig-parted-config/config-default.yaml"

# The host services that hold GPUs on a DGX (gpu.md 2.4 step 10).
_CLIENTS = """version: v1
systemd-services:
  - nvsm.service
  - nvsm-mqtt.service
  - nvsm-core.service
  - nvsm-api-gateway.service
  - nvsm-notifier.service
  - nv_peer_mem.service
  - nvidia-dcgm.service
  - dcgm.service
  - dcgm-exporter.service
"""


def render(spec: Mapping[str, Any]) -> Objects:
    section = part(spec, "migManager")
    found = [service_account(NAME)]
    # A custom ConfigMap does not remove the stock one; it is only no longer looked after.
    if not _custom(section, "config", DEFAULT_CONFIG):
        found.append(config_map(DEFAULT_CONFIG, {}, {"config.yaml": stock_text()}))
    if not _custom(section, "gpuClientsConfig", DEFAULT_CLIENTS):
        found.append(config_map(DEFAULT_CLIENTS, {}, {"clients.yaml": _CLIENTS}))
    script = (
        "export WITH_SHUTDOWN_HOST_GPU_CLIENTS=$IS_HOST_DRIVER",
        'echo "WITH_SHUTDOWN_HOST_GPU_CLIENTS=$WITH_SHUTDOWN_HOST_GPU_CLIENTS"',
        "",
    )
    found.append(entry_script("nvidia-mig-manager-entrypoint", NAME, NAME, *script))
    found.append(daemon_set(spec, NAME, "mig-manager", NAME, _pod(spec, section)))
    return found


def _custom(section: Mapping[str, Any], key: str, default: str) -> bool:
    name = part(section, key).get("name")
    return bool(name) and name != default


def _pod(spec: Mapping[str, Any], section: Mapping[str, Any]) -> Object:
    directory = str(part(spec, "toolkit").get("installDir") or "/usr/local/nvidia")
    name = str(part(section, "config").get("name") or "")
    if name:
        config, which = config_volume("mig-parted-config", name), env(CONFIG_FILE=CUSTOM_FILE)
    else:
        items = [{"key": "config.yaml", "path": "config-default.yaml"}]
        config = config_volume("mig-parted-config", DEFAULT_CONFIG, items=items)
        which = env(DEFAULT_CONFIG_FILE=DEFAULT_FILE)
    values = [
        *field_env(NODE_NAME="spec.nodeName", POD_NAME="metadata.name", POD_NAMESPACE="metadata.namespace"),
        *env(GPU_CLIENTS_FILE="/gpu-clients/clients.yaml"),
        *field_env(DEFAULT_GPU_CLIENTS_NAMESPACE="metadata.namespace"),
        *which,
    ]
    if part(spec, "cdi").get("enabled", True):
        values += env(CDI_ENABLED="true", NVIDIA_CDI_HOOK_PATH=f"{directory}/toolkit/nvidia-cdi-hook")
    main = main_container(
        section,
        NAME,
        command=["/bin/sh", "-c"],
        args=["/bin/entrypoint.sh"],
        env=values,
        securityContext=privileged(),
        volumeMounts=[
            mount("nvidia-mig-manager-entrypoint", "/bin/entrypoint.sh", read_only=True, sub_path="entrypoint.sh"),
            mount("run-nvidia-validations", "/run/nvidia/validations"),
            mount("host-sys", "/sys"),
            mount("host-root", "/host", FROM_HOST),
            mount("gpu-clients", "/gpu-clients"),
            mount("mig-parted-config", "/mig-parted-config"),
            mount("driver-install-dir", "/driver-root", FROM_HOST),
            mount("cdi-root", "/var/run/cdi"),
        ],
    )
    clients = str(part(section, "gpuClientsConfig").get("name") or DEFAULT_CLIENTS)
    return {
        "hostPID": True,
        "hostIPC": True,
        "initContainers": [waiting_init(spec, "toolkit", "run-nvidia-validations", "/run/nvidia/validations")],
        "containers": [main],
        "volumes": [
            config_volume("nvidia-mig-manager-entrypoint", "nvidia-mig-manager-entrypoint", defaultMode=0o700),
            host("host-sys", "/sys", "Directory"),
            validations(),
            host("driver-install-dir", "/run/nvidia/driver", "DirectoryOrCreate"),
            host("host-root", "/"),
            config_volume("gpu-clients", clients),
            config,
            host("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
        ],
    }
