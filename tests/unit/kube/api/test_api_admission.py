"""Admission: what is filled in, what is charged, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from kit import admin, cluster, container, deployment, message, pod, refused

from labsim.kube.cluster import Cluster

RESTRICTED = (
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), '
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), '
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), '
    'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or '
    '"Localhost")'
)


def enforce(made: Cluster, level: str, mode: str = "enforce") -> list[str]:
    warnings: list[str] = []
    labels = {f"pod-security.kubernetes.io/{mode}": level}
    admin(made).patch("namespaces", "lab", {"metadata": {"labels": labels}}, warnings=warnings)
    return warnings


def test_a_pod_is_completed() -> None:
    made = admin(cluster()).create("pods", pod())["spec"]
    assert made["serviceAccountName"] == made["serviceAccount"] == "default"
    assert made["priority"] == 0
    assert made["preemptionPolicy"] == "PreemptLowerPriority"
    assert [(t["key"], t["effect"], t["tolerationSeconds"]) for t in made["tolerations"]] == [
        ("node.kubernetes.io/not-ready", "NoExecute", 300),
        ("node.kubernetes.io/unreachable", "NoExecute", 300),
    ]
    (volume,) = made["volumes"]
    assert volume["name"].startswith("kube-api-access-")
    assert len(volume["name"]) == len("kube-api-access-") + 5
    assert volume["projected"]["sources"][0] == {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}
    assert made["containers"][0]["volumeMounts"] == [
        {"name": volume["name"], "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    ]


def test_no_token_where_it_is_not_wanted() -> None:
    made = admin(cluster()).create("pods", pod(automountServiceAccountToken=False))["spec"]
    assert "volumes" not in made


def test_tolerating_everything_needs_no_more() -> None:
    made = admin(cluster()).create("pods", pod(tolerations=[{"operator": "Exists"}]))["spec"]
    assert made["tolerations"] == [{"operator": "Exists"}]


@pytest.mark.parametrize(
    "spec, text",
    [
        ({"serviceAccountName": "x"},
         'pods "p" is forbidden: error looking up service account default/x: serviceaccount "x" not found'),
        ({"priorityClassName": "x"}, 'pods "p" is forbidden: no PriorityClass with name x was found'),
        ({"priority": 5},
         'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; '
         "priority admission controller computed 0 from the given PriorityClass name"),
        ({"runtimeClassName": "x"}, 'pods "p" is forbidden: pod rejected: RuntimeClass "x" not found'),
    ],
)  # fmt: skip
def test_refused(spec: dict[str, Any], text: str) -> None:
    error = refused(admin(cluster()).create, "pods", pod(**spec))
    assert (error.code, error.message) == (403, text)


def test_priority_of_a_class() -> None:
    made = cluster()
    admin(made).create("priorityclasses.scheduling.k8s.io", {"metadata": {"name": "high"}, "value": 1000})
    assert admin(made).create("pods", pod(priorityClassName="high"))["spec"]["priority"] == 1000
    assert (
        admin(made).create("pods", pod("q", priorityClassName="system-node-critical"))["spec"]["priority"] == 2000001000
    )


def test_namespaces() -> None:
    made = cluster()
    client = admin(made)
    missing = refused(client.create, "pods", pod(), "nope")
    assert (missing.code, missing.message) == (404, 'namespaces "nope" not found')
    client.delete("namespaces", "lab")
    going = refused(made.client("system:serviceaccount:kube-system:job-controller").create, "pods", pod(), "lab")
    assert going.code == 403
    assert going.message == (
        'pods "p" is forbidden: unable to create new content in namespace lab because it is being terminated'
    )
    assert going.details["causes"][0]["reason"] == "NamespaceTerminating"
    assert message(client.delete, "namespaces", "default") == (
        'namespaces "default" is forbidden: this namespace may not be deleted'
    )


def quota(made: Cluster, **hard: str) -> None:
    inside = made.client("system:labsim:setup")
    found = inside.create("resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": hard}})
    status = {"hard": hard, "used": dict.fromkeys(hard, "0")}
    inside.update_status("resourcequotas", {**found, "status": status})


def test_quota_charges_and_refuses() -> None:
    made = cluster()
    quota(made, **{"requests.nvidia.com/gpu": "8", "pods": "3"})
    client = admin(made)
    gpus = [container(resources={"limits": {"nvidia.com/gpu": 4}})]
    client.create("pods", pod("a", containers=gpus))
    used = client.get("resourcequotas", "q")["status"]["used"]
    assert used == {"requests.nvidia.com/gpu": "4", "pods": "1"}
    eight = [container(resources={"limits": {"nvidia.com/gpu": 8}})]
    assert message(client.create, "pods", pod("b", containers=eight)) == (
        'pods "b" is forbidden: exceeded quota: q, requested: requests.nvidia.com/gpu=8, '
        "used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=8"
    )
    client.create("pods", pod("c", containers=gpus), dry_run=True)
    assert client.get("resourcequotas", "q")["status"]["used"]["pods"] == "1"


def test_quota_demands_requests() -> None:
    made = cluster()
    quota(made, **{"limits.cpu": "4", "requests.memory": "4Gi"})
    assert message(admin(made).create, "pods", pod()) == (
        'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: a; requests.memory for: a'
    )


def test_limit_ranges() -> None:
    made = cluster()
    client = admin(made)
    limits = [{"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "500m"}, "max": {"cpu": "2"}}]
    client.create("limitranges", {"metadata": {"name": "l"}, "spec": {"limits": limits}})
    found = client.create("pods", pod())
    assert found["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}, "requests": {"cpu": "500m"}}
    assert found["metadata"]["annotations"] == {
        "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container a; cpu limit for container a"
    }
    assert found["status"]["qosClass"] == "Burstable"
    big = [container(resources={"limits": {"cpu": "3"}})]
    assert message(client.create, "pods", pod("b", containers=big)) == (
        'pods "b" is forbidden: maximum cpu usage per Container is 2, but limit is 3'
    )


BASELINE = [
    ({"hostNetwork": True, "hostPID": True}, "host namespaces (hostNetwork=true, hostPID=true)"),
    ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, 'hostPath volumes (volume "v")'),
    ({"containers": [container(securityContext={"privileged": True})]},
     'privileged (container "a" must not set securityContext.privileged=true)'),
    ({"containers": [container(ports=[{"containerPort": 80, "hostPort": 80}])]},
     'hostPort (container "a" uses hostPort 80)'),
    ({"containers": [container(securityContext={"capabilities": {"add": ["SYS_ADMIN", "CHOWN"]}})]},
     'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)'),
]  # fmt: skip


@pytest.mark.parametrize("spec, text", BASELINE)
def test_baseline(spec: dict[str, Any], text: str) -> None:
    made = cluster()
    enforce(made, "baseline")
    assert message(admin(made).create, "pods", pod(**spec), "lab") == (
        f'pods "p" is forbidden: violates PodSecurity "baseline:latest": {text}'
    )


def test_restricted() -> None:
    made = cluster()
    enforce(made, "restricted")
    assert message(admin(made).create, "pods", pod(), "lab") == (
        f'pods "p" is forbidden: violates PodSecurity "restricted:latest": {RESTRICTED}'
    )
    good = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    admin(made).create("pods", pod(containers=[container(securityContext=good)]), "lab")


def test_warn_mode_speaks_of_templates_too() -> None:
    made = cluster()
    enforce(made, "restricted", "warn")
    warnings: list[str] = []
    admin(made).create("deployments.apps", deployment(), "lab", warnings=warnings)
    assert warnings == ['would violate PodSecurity "restricted:latest": ' + RESTRICTED]


def test_a_stricter_level_names_the_pods_that_offend() -> None:
    made = cluster()
    for name in ("x", "y"):
        admin(made).create("pods", pod(name, hostNetwork=True), "lab")
    assert enforce(made, "baseline") == [
        'existing pods in namespace "lab" violate the new PodSecurity enforce level "baseline:latest"',
        "x (and 1 other pod): host namespaces",
    ]
