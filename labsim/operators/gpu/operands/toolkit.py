"""pre-requisites (the RuntimeClass) and state-container-toolkit. Source: assets of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu.operands.parts import (
    FROM_HOST,
    Objects,
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
)
from labsim.operators.gpu.operands.validator import driver_validation

NAME = "nvidia-container-toolkit-daemonset"
ACCOUNT = "nvidia-container-toolkit"


def runtime_class(spec: Mapping[str, Any]) -> Objects:
    name = str(part(spec, "operator").get("runtimeClass") or "nvidia")
    return [
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name},
    ]


def render(spec: Mapping[str, Any]) -> Objects:
    return [
        service_account(ACCOUNT),
        entry_script("nvidia-container-toolkit-entrypoint", NAME, "nvidia-toolkit"),
        daemon_set(
            spec,
            NAME,
            "container-toolkit",
            ACCOUNT,
            _pod(spec),
            annotations={"openshift.io/scc": "hostmount-anyuid"},
            runtime_class=False,
        ),
    ]


def _pod(spec: Mapping[str, Any]) -> Object:
    toolkit = part(spec, "toolkit")
    directory = str(toolkit.get("installDir") or "/usr/local/nvidia")
    values = [
        *env(
            ROOT="/usr/local/nvidia",
            NVIDIA_CONTAINER_RUNTIME_MODES_CDI_DEFAULT_KIND="management.nvidia.com/gpu",
            NVIDIA_VISIBLE_DEVICES="void",
            TOOLKIT_PID_FILE="/run/nvidia/toolkit/toolkit.pid",
        ),
        *field_env(NRI_NAMESPACE="metadata.namespace"),
        *env(
            CDI_ENABLED="true",
            NVIDIA_CONTAINER_RUNTIME_MODE="cdi",
            CRIO_CONFIG_MODE="config",
            RUNTIME="containerd",
            CONTAINERD_RUNTIME_CLASS=str(part(spec, "operator").get("runtimeClass") or "nvidia"),
            RUNTIME_CONFIG="/runtime/config-dir/config.toml",
            CONTAINERD_CONFIG="/runtime/config-dir/config.toml",
            RUNTIME_DROP_IN_CONFIG="/runtime/config-dir.d/99-nvidia.toml",
            RUNTIME_DROP_IN_CONFIG_HOST_PATH="/etc/containerd/conf.d/99-nvidia.toml",
            RUNTIME_SOCKET="/runtime/sock-dir/containerd.sock",
            CONTAINERD_SOCKET="/runtime/sock-dir/containerd.sock",
        ),
    ]
    main = main_container(
        toolkit,
        "nvidia-container-toolkit-ctr",
        command=["/bin/sh", "-c"],
        args=["/bin/entrypoint.sh"],
        env=values,
        securityContext=privileged(level=True),
        volumeMounts=[
            mount(
                "nvidia-container-toolkit-entrypoint", "/bin/entrypoint.sh", read_only=True, sub_path="entrypoint.sh"
            ),
            mount("toolkit-root", "/run/nvidia/toolkit"),
            mount("run-nvidia-validations", "/run/nvidia/validations"),
            mount("toolkit-install-dir", directory),
            mount("crio-hooks", "/usr/share/containers/oci/hooks.d"),
            mount("driver-install-dir", "/driver-root", FROM_HOST),
            mount("host-root", "/host", FROM_HOST, read_only=True),
            mount("cdi-root", "/var/run/cdi"),
            mount("containerd-config", "/runtime/config-dir/"),
            mount("containerd-drop-in-config", "/runtime/config-dir.d/"),
            mount("containerd-socket", "/runtime/sock-dir/"),
        ],
    )
    return {
        "hostPID": True,
        "initContainers": [driver_validation(spec)],
        "containers": [main],
        "volumes": [
            {
                "name": "nvidia-container-toolkit-entrypoint",
                "configMap": {"name": "nvidia-container-toolkit-entrypoint", "defaultMode": 0o700},
            },
            host("toolkit-root", "/run/nvidia/toolkit", "DirectoryOrCreate"),
            validations(),
            host("driver-install-dir", "/run/nvidia/driver", "DirectoryOrCreate"),
            host("host-root", "/"),
            host("toolkit-install-dir", directory),
            host("crio-hooks", "/run/containers/oci/hooks.d"),
            host("host-dev-char", "/dev/char"),
            host("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
            host("containerd-config", "/etc/containerd", "DirectoryOrCreate"),
            host("containerd-drop-in-config", "/etc/containerd/conf.d", "DirectoryOrCreate"),
            host("containerd-socket", "/run/containerd"),
        ],
    }
