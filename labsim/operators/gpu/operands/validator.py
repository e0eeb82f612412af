"""state-operator-validation: four init containers, each a check, and the CUDA test pod (gpu-operator v26.3.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu import names
from labsim.operators.gpu.operands.parts import (
    BOTH_WAYS,
    FROM_HOST,
    Objects,
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
    validations,
    with_env,
)

NAME = "nvidia-operator-validator"
CUDA_APP = "nvidia-cuda-validator"


def driver_validation(spec: Mapping[str, Any]) -> Object:
    """The init container `driver-validation`, of the toolkit and of the validator."""
    return _check(
        spec,
        "driver",
        [*env(WITH_WAIT="true", COMPONENT="driver"), *field_env(OPERATOR_NAMESPACE="metadata.namespace")],
        [
            mount("host-root", "/host", FROM_HOST, read_only=True),
            mount("driver-install-dir", "/run/nvidia/driver", FROM_HOST),
            mount("run-nvidia-validations", "/run/nvidia/validations", BOTH_WAYS),
            mount("host-dev-char", "/host-dev-char"),
        ],
    )


def render(spec: Mapping[str, Any]) -> Objects:
    labels = {"app.kubernetes.io/part-of": "gpu-operator"}
    return [
        service_account(NAME),
        daemon_set(
            spec,
            NAME,
            "operator-validator",
            NAME,
            _pod(spec),
            labels=labels,
            selector={"app": NAME, **labels},
        ),
    ]


def cuda_pod(spec: Mapping[str, Any], node: str, owners: list[Object]) -> Object:
    """The bare pod that runs vectorAdd on `node`; it asks for no device and sees all of them."""
    picture = image(part(spec, "validator"))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": CUDA_APP + "-",
            "namespace": names.NAMESPACE,
            "labels": {"app": CUDA_APP},
            "annotations": {"nvidia.cdi.k8s.io/container.cuda-validation": "management.nvidia.com/gpu=all"},
            "ownerReferences": owners,
        },
        "spec": {
            "nodeName": node,
            "restartPolicy": "OnFailure",
            "runtimeClassName": str(part(spec, "operator").get("runtimeClass") or "nvidia"),
            "serviceAccountName": NAME,
            "tolerations": part(spec, "daemonsets").get("tolerations")
            or [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "initContainers": [
                {
                    "name": "cuda-validation",
                    "image": picture,
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["sh", "-c"],
                    "args": ["vectorAdd"],
                    "env": env(NVIDIA_VISIBLE_DEVICES="all"),
                    "securityContext": privileged(),
                }
            ],
            "containers": [
                {
                    "name": CUDA_APP,
                    "image": picture,
                    "imagePullPolicy": "IfNotPresent",
                    "command": ["sh", "-c"],
                    "args": ["echo cuda workload validation is successful"],
                    "securityContext": {"privileged": True, "readOnlyRootFilesystem": True},
                }
            ],
        },
    }


def _check(spec: Mapping[str, Any], component: str, values: list[Object], mounts: list[Object]) -> Object:
    section = part(spec, "validator")
    return {
        "name": f"{component}-validation",
        "image": image(section),
        "imagePullPolicy": str(section.get("imagePullPolicy") or "IfNotPresent"),
        "command": ["sh", "-c"],
        "args": ["nvidia-validator"],
        "env": with_env(values, part(section, component).get("env")),
        "securityContext": privileged(level=component == "driver"),
        "volumeMounts": mounts,
    }


def _pod(spec: Mapping[str, Any]) -> Object:
    section = part(spec, "validator")
    files = [mount("run-nvidia-validations", "/run/nvidia/validations", BOTH_WAYS)]
    place = field_env(NODE_NAME="spec.nodeName", OPERATOR_NAMESPACE="metadata.namespace")
    workload = env(
        VALIDATOR_IMAGE=image(section),
        VALIDATOR_IMAGE_PULL_POLICY=str(section.get("imagePullPolicy") or "IfNotPresent"),
        VALIDATOR_RUNTIME_CLASS=str(part(spec, "operator").get("runtimeClass") or "nvidia"),
    )
    checks = [
        driver_validation(spec),
        _check(spec, "toolkit", env(NVIDIA_VISIBLE_DEVICES="all", WITH_WAIT="false", COMPONENT="toolkit"), files),
        _check(spec, "cuda", [*env(WITH_WAIT="false", COMPONENT="cuda"), *place, *workload], files),
    ]
    if part(spec, "devicePlugin").get("enabled", True):
        strategy = str(part(spec, "mig").get("strategy", ""))
        values = env(COMPONENT="plugin", WITH_WAIT="false", WITH_WORKLOAD="false", MIG_STRATEGY=strategy)
        checks.append(_check(spec, "plugin", [*values, *place, *workload], files))
    main = main_container(
        section,
        NAME,
        command=["sh", "-c"],
        args=["echo all validations are successful; while true; do sleep 86400; done"],
        securityContext=privileged(),
        lifecycle={"preStop": {"exec": {"command": ["sh", "-c", "rm -f /run/nvidia/validations/*-ready"]}}},
        volumeMounts=files,
    )
    return {
        "initContainers": checks,
        "containers": [main],
        "volumes": [
            validations(),
            host("driver-install-dir", "/run/nvidia/driver"),
            host("host-root", "/"),
            host("host-dev-char", "/dev/char"),
        ],
    }
