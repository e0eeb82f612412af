"""gpu-feature-discovery. Source: assets/gpu-feature-discovery of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu.operands.device_plugin import with_plugin_config
from labsim.operators.gpu.operands.parts import (
    Objects,
    daemon_set,
    env,
    field_env,
    host,
    main_container,
    mig_env,
    mount,
    part,
    privileged,
    service_account,
    waiting_init,
)

NAME = "gpu-feature-discovery"
ACCOUNT = "nvidia-gpu-feature-discovery"


def render(spec: Mapping[str, Any]) -> Objects:
    labels = {"app.kubernetes.io/part-of": "nvidia-gpu"}
    return [
        service_account(ACCOUNT),
        daemon_set(spec, NAME, NAME, ACCOUNT, _pod(spec), labels=labels, selector={"app": NAME, **labels}),
    ]


def _pod(spec: Mapping[str, Any]) -> Object:
    main = main_container(
        part(spec, "gfd"),
        NAME,
        command=[NAME],
        env=[
            *env(GFD_SLEEP_INTERVAL="60s", GFD_FAIL_ON_INIT_ERROR="true"),
            *field_env(NAMESPACE="metadata.namespace", NODE_NAME="spec.nodeName", POD_NAME="metadata.name"),
            *mig_env(spec),
        ],
        volumeMounts=[
            mount("output-dir", "/etc/kubernetes/node-feature-discovery/features.d"),
            mount("host-sys", "/sys", read_only=True),
        ],
        securityContext=privileged(),
    )
    pod: Object = {
        "initContainers": [waiting_init(spec, "stack", "run-nvidia", "/run/nvidia")],
        "containers": [main],
        "volumes": [
            host("output-dir", "/etc/kubernetes/node-feature-discovery/features.d"),
            host("host-sys", "/sys"),
            host("run-nvidia", "/run/nvidia", "Directory"),
        ],
    }
    return with_plugin_config(spec, pod, NAME)
