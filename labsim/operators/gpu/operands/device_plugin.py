"""state-device-plugin. Source: assets/state-device-plugin of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu.operands.parts import (
    FROM_HOST,
    Objects,
    config_volume,
    daemon_set,
    entry_script,
    env,
    field_env,
    host,
    image,
    main_container,
    mig_env,
    mount,
    part,
    privileged,
    service_account,
    validations,
    waiting_init,
    with_env,
)

NAME = "nvidia-device-plugin-daemonset"
ACCOUNT = "nvidia-device-plugin"
CONTAINER = "nvidia-device-plugin"


def render(spec: Mapping[str, Any]) -> Objects:
    return [
        service_account(ACCOUNT),
        entry_script("nvidia-device-plugin-entrypoint", NAME, CONTAINER),
        daemon_set(
            spec, NAME, "device-plugin", ACCOUNT, _pod(spec), annotations={"openshift.io/scc": "hostmount-anyuid"}
        ),
    ]


def _pod(spec: Mapping[str, Any]) -> Object:
    section = part(spec, "devicePlugin")
    directory = str(part(spec, "toolkit").get("installDir") or "/usr/local/nvidia")
    values = [
        *env(
            PASS_DEVICE_SPECS="true",
            FAIL_ON_INIT_ERROR="true",
            DEVICE_LIST_STRATEGY="envvar",
            DEVICE_ID_STRATEGY="uuid",
            NVIDIA_VISIBLE_DEVICES="all",
            NVIDIA_DRIVER_CAPABILITIES="all",
            MPS_ROOT="/run/nvidia/mps",
        ),
        *mig_env(spec),
    ]
    if part(spec, "cdi").get("enabled", True):
        cdi = env(
            CDI_ENABLED="true",
            DEVICE_LIST_STRATEGY="cdi-annotations,cdi-cri",
            CDI_ANNOTATION_PREFIX="cdi.k8s.io/",
            NVIDIA_CDI_HOOK_PATH=f"{directory}/toolkit/nvidia-cdi-hook",
        )
        values = with_env(values, cdi)
    main = main_container(
        section,
        CONTAINER,
        command=["/bin/sh", "-c"],
        args=["/bin/entrypoint.sh"],
        env=values,
        securityContext=privileged(),
        volumeMounts=[
            mount("nvidia-device-plugin-entrypoint", "/bin/entrypoint.sh", read_only=True, sub_path="entrypoint.sh"),
            mount("device-plugin", "/var/lib/kubelet/device-plugins"),
            mount("run-nvidia-validations", "/run/nvidia/validations"),
            mount("driver-install-dir", "/driver-root", FROM_HOST),
            mount("host-root", "/host", FROM_HOST, read_only=True),
            mount("cdi-root", "/var/run/cdi"),
            mount("mps-shm", "/dev/shm"),
            mount("mps-root", "/mps"),
        ],
    )
    pod: Object = {
        "initContainers": [
            waiting_init(spec, "stack", "run-nvidia-validations", "/run/nvidia/validations"),
        ],
        "containers": [main],
        "volumes": [
            config_volume("nvidia-device-plugin-entrypoint", "nvidia-device-plugin-entrypoint", defaultMode=0o700),
            host("device-plugin", "/var/lib/kubelet/device-plugins"),
            validations(),
            host("driver-install-dir", "/run/nvidia/driver", "DirectoryOrCreate"),
            host("host-root", "/"),
            host("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
            host("mps-root", "/run/nvidia/mps", "DirectoryOrCreate"),
            host("mps-shm", "/run/nvidia/mps/shm"),
        ],
    }
    return with_plugin_config(spec, pod, CONTAINER)


def with_plugin_config(spec: Mapping[str, Any], pod: Object, program: str) -> Object:
    """With `spec.devicePlugin.config.name` device plugin and GFD get two config-manager containers (gpu.md 3.5)."""
    config = part(spec, "devicePlugin", "config")
    name = str(config.get("name") or "")
    if not name:
        return pod
    mounts = [mount("config", "/config"), mount(name, "/available-configs")]
    main, *others = pod["containers"]
    main = {
        **main,
        "env": with_env(main["env"], env(CONFIG_FILE="/config/config.yaml")),
        "volumeMounts": [*main["volumeMounts"], *mounts],
    }

    def manager(container: str, oneshot: bool) -> Object:
        return {
            "name": container,
            "image": image(part(spec, "devicePlugin")),
            "imagePullPolicy": "IfNotPresent",
            "command": ["config-manager"],
            "env": [
                *env(ONESHOT=str(oneshot).lower(), KUBECONFIG=""),
                *field_env(NODE_NAME="spec.nodeName"),
                *env(
                    NODE_LABEL="nvidia.com/device-plugin.config",
                    CONFIG_FILE_SRCDIR="/available-configs",
                    CONFIG_FILE_DST="/config/config.yaml",
                    DEFAULT_CONFIG=str(config.get("default") or ""),
                    SEND_SIGNAL=str(not oneshot).lower(),
                    SIGNAL="" if oneshot else "1",
                    PROCESS_TO_SIGNAL="" if oneshot else program,
                ),
            ],
            "volumeMounts": mounts,
            **({} if oneshot else {"securityContext": privileged()}),
        }

    return {
        **pod,
        "shareProcessNamespace": True,
        "initContainers": [*pod["initContainers"], manager("config-manager-init", True)],
        "containers": [main, *others, manager("config-manager", False)],
        "volumes": [*pod["volumes"], config_volume(name, name), {"name": "config", "emptyDir": {}}],
    }
