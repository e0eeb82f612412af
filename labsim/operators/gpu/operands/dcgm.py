"""state-dcgm and state-dcgm-exporter. Source: assets of gpu-operator v26.3.3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.objects import Object
from labsim.operators.gpu import names
from labsim.operators.gpu.operands.parts import (
    Objects,
    daemon_set,
    env,
    field_env,
    host,
    main_container,
    mount,
    part,
    privileged,
    service_account,
    waiting_init,
)

ENGINE = "nvidia-dcgm"
EXPORTER = "nvidia-dcgm-exporter"


def render_engine(spec: Mapping[str, Any]) -> Objects:
    main = main_container(
        part(spec, "dcgm"),
        "nvidia-dcgm-ctr",
        env=env(DCGM_POLICY_TYPE="none"),
        ports=[{"name": "dcgm", "containerPort": 5555}],
        securityContext=privileged(),
    )
    pod: Object = {
        "initContainers": [waiting_init(spec, "stack", "run-nvidia", "/run/nvidia")],
        "containers": [main],
        "volumes": [host("run-nvidia", "/run/nvidia")],
    }
    return [service_account(ENGINE), daemon_set(spec, ENGINE, "dcgm", ENGINE, pod), _service(ENGINE, "dcgm", 5555, {})]


def render_exporter(spec: Mapping[str, Any]) -> Objects:
    section = part(spec, "dcgmExporter")
    health = {"httpGet": {"path": "/health", "port": 9400}, "initialDelaySeconds": 45}
    main = main_container(
        section,
        EXPORTER,
        env=[
            *env(
                DCGM_EXPORTER_LISTEN=":9400",
                DCGM_EXPORTER_KUBERNETES="true",
                DCGM_EXPORTER_COLLECTORS="/etc/dcgm-exporter/dcp-metrics-included.csv",
            ),
            *field_env(NODE_NAME="spec.nodeName"),
        ],
        ports=[{"name": "metrics", "containerPort": 9400}],
        livenessProbe={**health, "periodSeconds": 5},
        readinessProbe=health,
        volumeMounts=[mount("pod-gpu-resources", "/var/lib/kubelet/pod-resources", read_only=True)],
        securityContext=privileged(),
    )
    pod: Object = {
        "automountServiceAccountToken": False,
        "initContainers": [waiting_init(spec, "stack", "run-nvidia", "/run/nvidia")],
        "containers": [main],
        "volumes": [
            host("pod-gpu-resources", "/var/lib/kubelet/pod-resources"),
            host("run-nvidia", "/run/nvidia"),
        ],
    }
    scrape = {"prometheus.io/scrape": "true"}
    return [
        service_account(EXPORTER),
        _service(EXPORTER, "gpu-metrics", 9400, scrape),
        daemon_set(
            spec,
            EXPORTER,
            "dcgm-exporter",
            EXPORTER,
            pod,
            annotations={"openshift.io/scc": "nvidia-dcgm-exporter"},
            pod_annotations=part(section, "annotations"),
        ),
    ]


def _service(name: str, port_name: str, port: int, annotations: Mapping[str, str]) -> Object:
    metadata: Object = {"name": name, "namespace": names.NAMESPACE, "labels": {"app": name}}
    if annotations:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {
            "type": "ClusterIP",
            "internalTrafficPolicy": "Cluster",
            "selector": {"app": name},
            "ports": [{"name": port_name, "port": port, "protocol": "TCP", "targetPort": port}],
        },
    }
