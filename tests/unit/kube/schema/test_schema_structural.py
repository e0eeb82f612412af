"""Custom resources: what their structural schema refuses, defaults, and pruning."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.schema import load, prune, strict_errors
from labsim.kube.schema.structural import apply_defaults, validate

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 5},
        "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
        "list": {"type": "array", "maxItems": 1, "items": {"type": "object", "properties": {"x": {"type": "boolean"}}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "port": {"x-kubernetes-int-or-string": True},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "nested": {"type": "object", "default": {}, "properties": {"deep": {"type": "integer", "default": 7}}},
        "none": {"type": "string", "nullable": True},
    },
}
SCHEMA = load().with_crd("example.com", "v1", "Widget", {"type": "object", "properties": {"spec": SPEC}})
REF = SCHEMA.for_gvk("example.com", "v1", "Widget")
assert REF is not None

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"size": 1, "none": None, "port": "x", "labels": {"a": "b"}}, []),
    ({}, ["spec.size: Required value"]),
    ({"size": "1"}, ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"']),
    ({"size": 0}, ["spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"]),
    ({"size": 6}, ["spec.size: Invalid value: 6: spec.size in body should be less than or equal to 5"]),
    ({"size": 1, "mode": "c"}, ['spec.mode: Unsupported value: "c": supported values: "a", "b"']),
    ({"size": 1, "name": "ABCD"}, ["spec.name: Too long: may not be more than 3 bytes",
                                   "spec.name: Invalid value: \"ABCD\": spec.name in body should match '^[a-z]+$'"]),
    ({"size": 1, "list": [{"x": 1}, {}]}, ["spec.list: Too many: 2: must have at most 1 item",
     'spec.list[0].x: Invalid value: "integer": spec.list[0].x in body must be of type boolean: "integer"']),
    ({"size": 1, "labels": {"a": 1}},
     ['spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"']),
    ({"size": 1, "port": True},
     ['spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"']),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "messages"), CASES)
def test_validate(spec: dict[str, Any], messages: list[str]) -> None:
    obj = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}
    assert [str(error) for error in validate(REF, obj)] == messages


def test_defaults() -> None:
    obj = {"metadata": {"name": "w"}, "spec": {"size": 1, "labels": {"a": "b"}}}
    full = apply_defaults(REF, obj)
    assert full["spec"] == {"size": 1, "mode": "a", "nested": {"deep": 7}, "labels": {"a": "b"}}
    assert full["spec"]["labels"] is obj["spec"]["labels"]
    assert apply_defaults(REF, full) is full
    assert obj["spec"] == {"size": 1, "labels": {"a": "b"}}


def test_pruning_keeps_what_the_schema_keeps() -> None:
    obj = {
        "spec": {"size": 1, "sise": 2, "any": {"x": {"y": 1}}, "list": [{"z": 1}]},
        "other": 1,
        "metadata": {"nmae": 1},
    }
    assert strict_errors(REF, obj) == [
        'unknown field "metadata.nmae"',
        'unknown field "other"',
        'unknown field "spec.list[0].z"',
        'unknown field "spec.sise"',
    ]
    assert prune(REF, obj) == {"spec": {"size": 1, "any": {"x": {"y": 1}}, "list": [{}]}, "metadata": {}}
