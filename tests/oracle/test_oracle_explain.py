"""`kubectl explain` over the OpenAPI documents we serve prints what explain.py prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from binary import kubectl, kubectl_path
from server import RESOURCES, Server, running

from labsim.kube.schema import load
from labsim.kube.schema.explain import ExplainError, explain

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(kubectl_path() is None, reason="the real kubectl is not here"),
]

WIDGET = {
    "type": "object",
    "description": "A widget.",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "description": "How big.\n\n  - one\n  - " + "very long " * 12},
                "mode": {"type": "string", "enum": ["", "a", "b", "c", "d", "e"]},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "rows": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            },
        }
    },
}
PATHS = [
    "pods", "pods.spec", "pods.spec.containers", "pods.spec.containers.resources",
    "pods.spec.containers.resources.limits",
    "pods.spec.containers.imagePullPolicy", "pods.spec.containers.livenessProbe.httpGet.port", "pods.metadata",
    "pods.metadata.labels", "pods.metadata.managedFields.fieldsV1", "pods.status.conditions.lastTransitionTime",
    "pods.spec.nope", "pods.spec.containers.name.x", "pods.nope.name", "deployments", "deployments.spec.strategy",
    "deployments.spec.template.spec.tolerations.operator", "nodes.spec.taints", "configmaps.data",
    "services.spec.ports",
    "cronjobs.spec", "jobs.spec.podFailurePolicy.rules", "networkpolicies.spec.ingress.from", "widgets", "widgets.spec",
    "widgets.spec.mode", "widgets.spec.free", "widgets.spec.rows", "widgets.spec.size", "widgets.metadata",
]  # fmt: skip


@pytest.mark.parametrize("recursive", [False, True])
def test_explain(recursive: bool, tmp_path: Path) -> None:
    schema = load().with_crd("example.com", "v1", "Widget", WIDGET)
    places = {plural: (version, kind) for version, rows in RESOURCES.items() for plural, kind, _ in rows}
    with running(Server(schema), tmp_path) as config:
        for path in PATHS:
            plural, *fields = path.split(".")
            version, kind = places[plural]
            group, _, short = version.rpartition("/")
            found = kubectl("explain", path, *(["--recursive"] if recursive else []), kubeconfig=config)
            try:
                text, error = explain(schema, group, short, kind, fields, recursive), ""
            except ExplainError as problem:
                text, error = problem.printed, f"error: {problem}\n"
            assert (path, found.stdout, found.stderr) == (path, text, error)
