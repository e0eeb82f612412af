"""What the API server refuses, in its words."""

from __future__ import annotations

from typing import Any

import pytest
from kit import admin, cluster, container, deployment, message, pod, refused

from labsim.kube.objects import set_in

POD_CASES: list[tuple[dict[str, Any], str]] = [
    ({"containers": []}, 'Pod "p" is invalid: spec.containers: Required value'),
    ({"containers": [{"name": "a"}]}, 'Pod "p" is invalid: spec.containers[0].image: Required value'),
    (
        {"containers": [container(), container()]},
        'Pod "p" is invalid: spec.containers[1].name: Duplicate value: "a"',
    ),
    (
        {"containers": [container(imagePullPolicy="Sometimes")]},
        'Pod "p" is invalid: spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": '
        'supported values: "Always", "IfNotPresent", "Never"',
    ),
    (
        {"containers": [container(volumeMounts=[{"name": "v", "mountPath": "/v"}])]},
        'Pod "p" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ),
    (
        {"containers": [container(resources={"limits": {"nvidia.com/gpu": "500m"}})]},
        'Pod "p" is invalid: [spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": '
        'must be an integer, spec.containers[0].resources.requests[nvidia.com/gpu]: Invalid value: "500m": '
        "must be an integer]",
    ),
    (
        {"containers": [container(resources={"limits": {"nvidia.com/gpu": 2}, "requests": {"nvidia.com/gpu": 1}})]},
        'Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "1": '
        "must be equal to nvidia.com/gpu limit of 2",
    ),
    (
        {"containers": [container(resources={"requests": {"nvidia.com/gpu": 1}})]},
        'Pod "p" is invalid: spec.containers[0].resources.limits: Required value: '
        "Limit must be set for non overcommitable resources",
    ),
    (
        {"containers": [container(resources={"limits": {"cpu": 1}, "requests": {"cpu": "1500m"}})]},
        'Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "1500m": '
        "must be less than or equal to cpu limit of 1",
    ),
    (
        {"restartPolicy": "Sometimes"},
        'Pod "p" is invalid: spec.restartPolicy: Unsupported value: "Sometimes": '
        'supported values: "Always", "OnFailure", "Never"',
    ),
    (
        {"tolerations": [{"key": "a", "operator": "Exists", "value": "x"}]},
        'Pod "p" is invalid: spec.tolerations[0].operator: Invalid value: '
        '{"key":"a","operator":"Exists","value":"x"}: value must be empty when `operator` is \'Exists\'',
    ),
    (
        {"containers": [container(ports=[{"containerPort": 70000}])]},
        'Pod "p" is invalid: spec.containers[0].ports[0].containerPort: Invalid value: 70000: '
        "must be between 1 and 65535, inclusive",
    ),
    (
        {"containers": [container(livenessProbe={"periodSeconds": 5})]},
        'Pod "p" is invalid: spec.containers[0].livenessProbe: Required value: must specify a handler type',
    ),
    ({"terminationGracePeriodSeconds": -1},
     'Pod "p" is invalid: spec.terminationGracePeriodSeconds: Invalid value: -1: '
     "must be greater than or equal to 0"),
]  # fmt: skip


@pytest.mark.parametrize("spec, text", POD_CASES)
def test_pod(spec: dict[str, Any], text: str) -> None:
    error = refused(admin(cluster()).create, "pods", pod(**spec))
    assert (error.code, error.reason, error.message) == (422, "Invalid", text)


@pytest.mark.parametrize(
    "metadata, start",
    [
        ({"name": "Bad_Name"}, 'metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123'),
        ({}, "metadata.name: Required value: name or generateName is required"),
        ({"name": "p", "labels": {"a b": "c"}}, 'metadata.labels: Invalid value: "a b": name part must'),
        ({"name": "p", "labels": {"a": "b c"}}, 'metadata.labels: Invalid value: "b c": a valid label must'),
        ({"name": "p", "finalizers": ["x"]},
         'metadata.finalizers: Invalid value: "x": name is neither a standard finalizer name'),
    ],
)  # fmt: skip
def test_metadata(metadata: dict[str, Any], start: str) -> None:
    text = message(admin(cluster()).create, "configmaps", {"metadata": metadata})
    assert text.partition(" is invalid: ")[2].startswith(start)


def test_pod_update() -> None:
    client = admin(cluster())
    client.create("pods", pod())
    client.patch("pods", "p", [{"op": "replace", "path": "/spec/containers/0/image", "value": "nginx:2"}], "json")
    assert client.get("pods", "p")["metadata"]["generation"] == 2
    text = message(client.patch, "pods", "p", {"spec": {"nodeSelector": {"a": "b"}}})
    assert text.startswith(
        'Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than '
        "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` "
        "(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
        "(allow it to be set to 1 if it was previously negative)\n  core.PodSpec{\n"
    )
    assert '\n+ \tNodeSelector: {"a":"b"},\n' in text


def test_workload_selectors() -> None:
    client = admin(cluster())
    body = deployment()
    assert message(client.create, "deployments.apps", set_in(body, ("spec", "selector"), None)) == (
        'Deployment.apps "d" is invalid: spec.selector: Required value'
    )
    wrong = set_in(body, ("spec", "selector", "matchLabels"), {"app": "x"})
    assert message(client.create, "deployments.apps", wrong) == (
        'Deployment.apps "d" is invalid: spec.template.metadata.labels: Invalid value: {"app":"d"}: '
        "`selector` does not match template `labels`"
    )
    client.create("deployments.apps", body)
    both = {"matchLabels": {"app": "x"}}
    template = {"metadata": {"labels": {"app": "x"}}}
    text = message(client.patch, "deployments.apps", "d", {"spec": {"selector": both, "template": template}})
    assert text == (
        'Deployment.apps "d" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable'
    )
    assert message(client.patch, "deployments.apps", "d", {"spec": {"replicas": -1}}).endswith(
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    )


def test_job() -> None:
    client = admin(cluster())
    job = {"metadata": {"name": "j"}, "spec": {"template": {"spec": pod()["spec"]}}}
    assert message(client.create, "jobs.batch", job) == (
        'Job.batch "j" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Always": '
        'supported values: "OnFailure", "Never"'
    )
    client.create("jobs.batch", set_in(job, ("spec", "template", "spec", "restartPolicy"), "Never"))
    text = message(client.patch, "jobs.batch", "j", {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}})
    assert text.startswith('Job.batch "j" is invalid: spec.template: Invalid value: ')
    assert text.endswith(": field is immutable")
    client.patch("jobs.batch", "j", {"spec": {"parallelism": 2}})


@pytest.mark.parametrize(
    "resource, body, patch, text",
    [
        ("configmaps", {"immutable": True, "data": {"a": "b"}}, {"data": {"a": "c"}},
         'ConfigMap "x" is invalid: data: Forbidden: field is immutable when `immutable` is set'),
        ("secrets", {}, {"type": "other"}, 'Secret "x" is invalid: type: Invalid value: "other": field is immutable'),
        ("priorityclasses.scheduling.k8s.io", {"value": 5}, {"value": 6},
         'PriorityClass.scheduling.k8s.io "x" is invalid: value: Forbidden: may not be changed in an update.'),
        ("runtimeclasses.node.k8s.io", {"handler": "a"}, {"handler": "b"},
         'RuntimeClass.node.k8s.io "x" is invalid: handler: Invalid value: "b": field is immutable'),
        ("clusterrolebindings.rbac.authorization.k8s.io",
         {"roleRef": {"kind": "ClusterRole", "name": "a"}}, {"roleRef": {"name": "b"}},
         'ClusterRoleBinding.rbac.authorization.k8s.io "x" is invalid: roleRef: Invalid value: '
         '{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"b"}: cannot change roleRef'),
    ],
)  # fmt: skip
def test_immutable(resource: str, body: dict[str, Any], patch: dict[str, Any], text: str) -> None:
    client = admin(cluster())
    client.create(resource, {"metadata": {"name": "x"}, **body})
    assert message(client.patch, resource, "x", patch) == text


def test_user_priority_has_a_ceiling() -> None:
    body = {"metadata": {"name": "x"}, "value": 1_000_000_001}
    assert message(admin(cluster()).create, "priorityclasses.scheduling.k8s.io", body).endswith(
        "value: Forbidden: maximum allowed value of a user defined priority is 1000000000"
    )


def test_node_taints() -> None:
    made = cluster()
    made.client("system:node:n1").create("nodes", {"metadata": {"name": "n1"}})
    taints = [{"key": "a", "effect": "Foo"}]
    assert message(admin(made).patch, "nodes", "n1", {"spec": {"taints": taints}}) == (
        'Node "n1" is invalid: metadata.taints[0].effect: Unsupported value: "Foo": '
        'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
    )


def test_node_ports() -> None:
    client = admin(cluster())
    body = {"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]}}
    client.create("services", body)
    assert message(client.create, "services", set_in(body, ("metadata", "name"), "t")).endswith(
        "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"
    )


DECODING = [
    ({"spec": {**pod()["spec"], "foo": 1}}, 'strict decoding error: unknown field "spec.foo"'),
    ({"spec": {"containers": [container(imagePolicy="x")]}},
     'strict decoding error: unknown field "spec.containers[0].imagePolicy"'),
    ({"spec": {"containers": [container(env=[{"name": "A", "value": 1}])]}},
     "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string"),
    ({"spec": {"containers": [container(resources={"limits": {"cpu": "x"}})]}},
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
]  # fmt: skip


@pytest.mark.parametrize("body, text", DECODING)
def test_decoding(body: dict[str, Any], text: str) -> None:
    error = refused(admin(cluster()).create, "pods", {"metadata": {"name": "p"}, **body}, field_validation="Strict")
    assert (error.code, error.message) == (400, f'Pod in version "v1" cannot be handled as a Pod: {text}')


def test_unknown_fields_warn_and_go() -> None:
    warnings: list[str] = []
    body = set_in(pod(), ("spec", "foo"), 1)
    made = admin(cluster()).create("pods", body, field_validation="Warn", warnings=warnings)
    assert warnings == ['unknown field "spec.foo"']
    assert "foo" not in made["spec"]


def test_quantities_come_back_canonical() -> None:
    limits = {"cpu": "1000m", "memory": "1024Mi", "nvidia.com/gpu": 2}
    made = admin(cluster()).create("pods", pod(containers=[container(resources={"limits": limits})]))
    canonical = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "2"}
    assert made["spec"]["containers"][0]["resources"] == {"limits": canonical, "requests": canonical}
    assert made["status"] == {"phase": "Pending", "qosClass": "Guaranteed"}
