"""explain: layout, wrapping, enums, errors. Whole outputs are compared with kubectl in tests/oracle."""

from __future__ import annotations

import pytest

from labsim.kube.schema import load
from labsim.kube.schema.explain import ExplainError, explain, wrap
from labsim.kube.schema.openapi_v3 import document

WIDGET = {
    "type": "object",
    "description": "A widget.",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "description": "How big."},
                "mode": {"type": "string", "enum": ["", "a", "b", "c", "d"]},
            },
        }
    },
}
SCHEMA = load().with_crd("example.com", "v1", "Widget", WIDGET)
HEAD = "GROUP:      example.com\nKIND:       Widget\nVERSION:    v1\n\n"


def test_a_field() -> None:
    assert explain(SCHEMA, "example.com", "v1", "Widget", ["spec"]) == (
        HEAD + "FIELD: spec <Object>\n\n\nDESCRIPTION:\n    <empty>\nFIELDS:\n"
        '  mode\t<string>\n  enum: "", a, b, c, ....\n    <no description>\n\n'
        "  size\t<integer> -required-\n    How big.\n\n\n"
    )


def test_an_enum() -> None:
    assert explain(SCHEMA, "example.com", "v1", "Widget", ["spec", "mode"]) == (
        HEAD + 'FIELD: mode <string>\nENUM:\n    ""\n    a\n    b\n    c\n    d\n\nDESCRIPTION:\n    <empty>\n\n'
    )


def test_recursive() -> None:
    text = explain(load(), "", "v1", "ConfigMap", recursive=True)
    assert text.startswith(
        "KIND:       ConfigMap\nVERSION:    v1\n\nDESCRIPTION:\n    ConfigMap holds configuration data"
    )
    assert "FIELDS:\n  apiVersion\t<string>\n  binaryData\t<map[string]string>\n  data\t<map[string]string>\n" in text
    assert "\n  metadata\t<ObjectMeta>\n    annotations\t<map[string]string>\n" in text
    assert "\n    ownerReferences\t<[]OwnerReference>\n      apiVersion\t<string> -required-\n" in text


@pytest.mark.parametrize(("path", "field"), [(["spec", "nope"], "nope"), (["nope", "name"], "name")])
def test_missing_fields(path: list[str], field: str) -> None:
    with pytest.raises(ExplainError) as caught:
        explain(load(), "", "v1", "Pod", path)
    assert (str(caught.value), caught.value.printed) == (
        f'field "{field}" does not exist',
        "KIND:       Pod\nVERSION:    v1\n\n",
    )


@pytest.mark.parametrize(
    ("text", "limit", "lines"),
    [
        ("a b c", 3, "a b\nc"),
        ("aaa bbb", 3, "aaa\nbbb"),
        ("a bbb", 1, "a bbb"),
        ("aa bb", 3, "aa\nbb"),
        ("a\n\nb ", 5, "a\n\nb "),
        ("a   b", 4, "a\nb"),
        ("x aaaaaa b", 4, "x\naaaaaa\nb"),
    ],
)
def test_wrap(text: str, limit: int, lines: str) -> None:
    assert wrap(text, limit) == lines


def test_openapi_v3_is_complete() -> None:
    found = document(load(), "apps", "v1", [("deployments", "Deployment", True), ("nopes", "Nope", True)])
    assert list(found["paths"]) == ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    schemas = found["components"]["schemas"]
    pod_spec = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]
    assert pod_spec["affinity"]["allOf"] == [{"$ref": "#/components/schemas/io.k8s.api.core.v1.Affinity"}]
    assert schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"]["oneOf"] == [{"type": "string"}, {"type": "number"}]
    assert "x-go-type" not in str(found)
    patch = found["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"]
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]


def test_enums_are_the_servers() -> None:
    text = explain(load(), "", "v1", "Pod", ["spec", "containers", "imagePullPolicy"])
    assert "FIELD: imagePullPolicy <string>\nENUM:\n    Always\n    IfNotPresent\n    Never\n\nDESCRIPTION:\n" in text
    assert '    Possible enum values:\n     - `"Always"` means that kubelet always attempts to pull the latest' in text
    assert "  kind\t<string>\n    Kind is a string value" in explain(load(), "", "v1", "Pod")
