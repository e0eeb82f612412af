"""Strict decoding and Go's decoding errors, as API server 1.35 writes them."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.schema import load, prune, strict_errors, strict_message, type_errors
from labsim.kube.schema.model import TypeRef


def ref(kind: str, group: str = "", version: str = "v1") -> TypeRef:
    found = load().for_gvk(group, version, kind)
    assert found is not None
    return found


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def test_unknown_fields() -> None:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "labels": {"any": "x"}, "lables": {}},
        "spec": {
            "replica": 1,
            "template": {"spec": {"containers": [{"name": "a"}, {"name": "b", "imagePullpolicy": "Always"}]}},
        },
        "spce": {},
    }
    errors = strict_errors(ref("Deployment", "apps"), obj)
    assert strict_message(errors) == (
        'strict decoding error: unknown field "metadata.lables", unknown field "spce", unknown field "spec.replica", '
        'unknown field "spec.template.spec.containers[1].imagePullpolicy"'
    )
    pruned = prune(ref("Deployment", "apps"), obj)
    assert pruned["spec"] == {"template": {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}}
    assert "spce" not in pruned and pruned["metadata"] == {"name": "d", "labels": {"any": "x"}}
    assert pruned["spec"]["template"]["spec"]["containers"][0] is obj["spec"]["template"]["spec"]["containers"][0]
    assert prune(ref("Deployment", "apps"), pruned) is pruned
    assert strict_errors(ref("Deployment", "apps"), pruned) == []


FREE = {"metadata": {"managedFields": [{"fieldsV1": {"f:a": {".": {}}}}]}, "data": {"x": {"y": 1}}}


def test_free_form_fields_are_left_alone() -> None:
    assert strict_errors(ref("ControllerRevision", "apps"), FREE) == []
    assert prune(ref("ControllerRevision", "apps"), FREE) is FREE


CANNOT = "json: cannot unmarshal "
QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
TYPES: list[tuple[dict[str, Any], str]] = [
    (pod(containers=[{"name": "a", "env": [{"name": "E", "value": 1}]}]),
     CANNOT + "number into Go struct field EnvVar.spec.containers.env.value of type string"),
    (pod(containers=[{"name": "a", "ports": [{"containerPort": "80"}]}]),
     CANNOT + "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32"),
    (pod(containers={"name": "a"}),
     CANNOT + "object into Go struct field PodSpec.spec.containers of type []v1.Container"),
    (pod(containers=["a"]), CANNOT + "string into Go struct field PodSpec.spec.containers of type v1.Container"),
    (pod(containers=[{"imagePullPolicy": True}]),
     CANNOT + "bool into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy"),
    (pod(nodeSelector={"a": True}), CANNOT + "bool into Go struct field PodSpec.spec.nodeSelector of type string"),
    (pod(hostNetwork="yes"), CANNOT + "string into Go struct field PodSpec.spec.hostNetwork of type bool"),
    (pod(priority=1.5), CANNOT + "number 1.5 into Go struct field PodSpec.spec.priority of type int32"),
    (pod(priority=2**31), CANNOT + "number 2147483648 into Go struct field PodSpec.spec.priority of type int32"),
    (pod(containers=[{"resources": {"limits": {"nvidia.com/gpu": "one"}}}]), QUANTITY),
    (pod(containers=[{"resources": {"limits": {"memory": "1Gb"}}}]), QUANTITY),
    (pod(containers=[{"resources": {"limits": {"memory": "1ki"}}}]), "unable to parse quantity's suffix"),
    (pod(containers=[{"livenessProbe": {"httpGet": {"port": True}}}]), CANNOT + "bool into Go value of type int32"),
    ({"metadata": {"labels": ["a"]}},
     CANNOT + "array into Go struct field ObjectMeta.metadata.labels of type map[string]string"),
    ({"metadata": {"annotations": {"a": 1}}},
     CANNOT + "number into Go struct field ObjectMeta.metadata.annotations of type string"),
    ({"metadata": "x"}, CANNOT + "string into Go struct field Pod.metadata of type v1.ObjectMeta"),
    ({"metadata": {"creationTimestamp": "yesterday"}},
     'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "message"), TYPES)
def test_types(obj: dict[str, Any], message: str) -> None:
    assert type_errors(ref("Pod"), obj) == [message]


def test_what_fits() -> None:
    obj = pod(
        containers=[{"name": "a", "resources": {"limits": {"cpu": 1, "memory": "1Gi", "x": 0.5}}, "command": None}],
        terminationGracePeriodSeconds=30,
    )
    assert type_errors(ref("Pod"), obj) == []
    assert type_errors(ref("Secret"), {"data": {"a": "aGk="}}) == []
    assert type_errors(ref("Secret"), {"data": {"a": "a*k="}}) == ["illegal base64 data at input byte 1"]
