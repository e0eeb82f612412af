"""A pod template that admission refuses: every controller says FailedCreate, comes to rest and recovers."""

from __future__ import annotations

import pytest

from labsim.lab import Lab

TEMPLATE = (
    "{selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, "
    "spec: {serviceAccountName: later, containers: [{name: c, image: nginx}]}}"
)
KINDS = {
    "Deployment": ("apps/v1", TEMPLATE + "}"),
    "ReplicaSet": ("apps/v1", TEMPLATE + "}"),
    "StatefulSet": ("apps/v1", TEMPLATE + ", serviceName: w}"),
    "DaemonSet": ("apps/v1", TEMPLATE + "}"),
    "Job": ("batch/v1", "{template: {metadata: {labels: {app: w}}, spec: {restartPolicy: Never, "
            "serviceAccountName: later, containers: [{name: c, image: nginx}]}}}"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_service_account_is_told_and_waited_for(kind: str) -> None:
    lab = Lab.open("dgx-h100", seed=1, freeze_objects=True)
    version, spec = KINDS[kind]
    manifest = f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: w}}, spec: {spec}}}"
    assert lab.run(f"echo '{manifest}' | kubectl apply -f -").exit_code == 0
    lab.advance(6)
    events = lab.run("kubectl get events --field-selector reason=FailedCreate").stdout
    assert 'serviceaccount "later" not found' in events
    assert len(lab.client.list("pods", "default", label_selector="app=w")) == 0
    lab.run("kubectl create serviceaccount later")
    lab.advance(120)
    assert len(lab.client.list("pods", "default", label_selector="app=w")) >= 1
