"""state-driver: the container that loads the kernel modules. Source: assets/state-driver of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu.operands.parts import (
    BOTH_WAYS,
    FROM_HOST,
    Objects,
    config_map,
    config_volume,
    daemon_set,
    env,
    field_env,
    host,
    image,
    main_container,
    mount,
    part,
    privileged,
    service_account,
    with_env,
)

NAME = "nvidia-driver-daemonset"
ACCOUNT = "nvidia-driver"
# The operator reads the nodes' NFD labels system-os_release.ID and VERSION_ID for the image tag.
OS_TAG = "ubuntu22.04"

_PROBE = """#!/bin/sh
set -eu
if [ ! -f /sys/module/nvidia/refcnt ]; then
  echo "NVIDIA kernel module not loaded"
  exit 1
fi
if ! nvidia-smi; then
  echo "nvidia-smi failed"
  exit 1
fi
mkdir -p /run/nvidia/validations
touch /run/nvidia/validations/.driver-ctr-ready"""


def render(spec: Mapping[str, Any]) -> Objects:
    probe = config_map(
        "nvidia-driver-startup-probe",
        {"app": NAME, "app.kubernetes.io/component": "nvidia-driver"},
        {"startup-probe.sh": _PROBE},
    )
    labels = {"nvidia.com/precompiled": "false", "app.kubernetes.io/component": "nvidia-driver"}
    return [
        service_account(ACCOUNT),
        probe,
        daemon_set(
            spec,
            NAME,
            "driver",
            ACCOUNT,
            _pod(spec),
            labels=labels,
            annotations={"openshift.io/scc": "nvidia-driver"},
            pod_annotations={"kubectl.kubernetes.io/default-container": "nvidia-driver-ctr"},
            runtime_class=False,
            on_delete=True,
        ),
    ]


def _pod(spec: Mapping[str, Any]) -> Object:
    driver = part(spec, "driver")
    anti = {
        "labelSelector": {
            "matchExpressions": [{"key": "app.kubernetes.io/component", "operator": "In", "values": ["nvidia-driver"]}]
        },
        "topologyKey": "kubernetes.io/hostname",
    }
    return {
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [anti]}},
        "hostPID": True,
        "initContainers": [_manager(driver)],
        "containers": [_container(driver)],
        "volumes": [
            host("run-nvidia", "/run/nvidia", "DirectoryOrCreate"),
            host("var-log", "/var/log"),
            host("dev-log", "/dev/log"),
            host("host-os-release", "/etc/os-release"),
            host("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager", "DirectoryOrCreate"),
            host("run-nvidia-topologyd", "/run/nvidia-topologyd", "DirectoryOrCreate"),
            host("mlnx-ofed-usr-src", "/run/mellanox/drivers/usr/src", "DirectoryOrCreate"),
            host("run-mellanox-drivers", "/run/mellanox/drivers", "DirectoryOrCreate"),
            host("run-nvidia-validations", "/run/nvidia/validations", "DirectoryOrCreate"),
            host("host-root", "/"),
            host("host-sys", "/sys", "Directory"),
            host("firmware-search-path", "/sys/module/firmware_class/parameters/path"),
            host("sysfs-memory-online", "/sys/devices/system/memory/auto_online_blocks"),
            host("nv-firmware", "/run/nvidia/driver/lib/firmware", "DirectoryOrCreate"),
            config_volume("driver-startup-probe-script", "nvidia-driver-startup-probe", defaultMode=0o755),
        ],
    }


def _manager(driver: Mapping[str, Any]) -> Object:
    values = [
        *field_env(NODE_NAME="spec.nodeName"),
        *env(
            NVIDIA_VISIBLE_DEVICES="void",
            ENABLE_GPU_POD_EVICTION="true",
            ENABLE_AUTO_DRAIN="false",
            DRAIN_USE_FORCE="false",
            DRAIN_POD_SELECTOR_LABEL="",
            DRAIN_TIMEOUT_SECONDS="0s",
            DRAIN_DELETE_EMPTYDIR_DATA="false",
        ),
        *field_env(OPERATOR_NAMESPACE="metadata.namespace"),
    ]
    return {
        "name": "k8s-driver-manager",
        "image": image(part(driver, "manager")),
        "imagePullPolicy": "IfNotPresent",
        "command": ["driver-manager"],
        "args": ["uninstall_driver"],
        "env": with_env(values, part(driver, "manager").get("env")),
        "securityContext": privileged(),
        "volumeMounts": [
            mount("run-nvidia", "/run/nvidia", BOTH_WAYS),
            mount("host-root", "/host", FROM_HOST, read_only=True),
            mount("host-sys", "/sys"),
            mount("run-mellanox-drivers", "/run/mellanox/drivers", FROM_HOST),
        ],
    }


def _container(driver: Mapping[str, Any]) -> Object:
    tagged = dict(driver)
    if tagged.get("version"):
        tagged["version"] = f"{tagged['version']}-{OS_TAG}"
    probe = {"initialDelaySeconds": 60, "periodSeconds": 10, "timeoutSeconds": 60, "failureThreshold": 120}
    probe |= {k: v for k, v in part(driver, "startupProbe").items() if v}
    values = [
        *field_env(NODE_NAME="spec.nodeName", NODE_IP="status.hostIP"),
        *env(KERNEL_MODULE_TYPE=str(driver.get("kernelModuleType") or "auto")),
    ]
    rm = "rm -f /run/nvidia/validations/.driver-ctr-ready"
    return main_container(
        tagged,
        "nvidia-driver-ctr",
        command=["nvidia-driver"],
        args=["init"],
        env=values,
        securityContext=privileged(level=True),
        startupProbe={"exec": {"command": ["sh", "/usr/local/bin/startup-probe.sh"]}, "successThreshold": 1, **probe},
        lifecycle={"preStop": {"exec": {"command": ["/bin/sh", "-c", rm]}}},
        volumeMounts=[
            mount("run-nvidia", "/run/nvidia", BOTH_WAYS),
            mount("run-nvidia-fabricmanager", "/run/nvidia-fabricmanager"),
            mount("run-nvidia-topologyd", "/run/nvidia-topologyd"),
            mount("var-log", "/var/log"),
            mount("dev-log", "/dev/log"),
            mount("host-os-release", "/host-etc/os-release", read_only=True),
            mount("mlnx-ofed-usr-src", "/run/mellanox/drivers/usr/src", FROM_HOST),
            mount("run-mellanox-drivers", "/run/mellanox/drivers", FROM_HOST),
            mount("sysfs-memory-online", "/sys/devices/system/memory/auto_online_blocks"),
            mount("firmware-search-path", "/sys/module/firmware_class/parameters/path"),
            mount("nv-firmware", "/lib/firmware"),
            mount("driver-startup-probe-script", "/usr/local/bin/startup-probe.sh", sub_path="startup-probe.sh"),
        ],
    )
