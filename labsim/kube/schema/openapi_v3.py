"""The OpenAPI v3 documents of a server, as far as kubectl looks at them (rest-api.md 4): explain, apply, edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labsim.kube.schema.explain import UNTYPED
from labsim.kube.schema.model import Schema, TypeRef

STRATEGIC = "application/strategic-merge-patch+json"
_EXTENSION = "x-kubernetes-group-version-kind"


def document(schema: Schema, group: str, version: str, resources: Iterable[tuple[str, str, bool]]) -> dict[str, Any]:
    """The document of one group version. `resources` are (plural, kind, namespaced); kinds without schema are left out.

    Its paths have the operations kubectl asks for: `get` with the response's type, `patch` with `fieldValidation` and,
    for built-in kinds, the strategic media type.
    """
    components: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    for plural, kind, namespaced in resources:
        ref = schema.for_gvk(group, version, kind)
        if ref is None:
            continue
        name = _component(ref, group, version, kind, components)
        gvk = {"group": group, "version": version, "kind": kind}
        scope = "/namespaces/{namespace}" if namespaced else ""
        paths[f"{root}{scope}/{plural}/{{name}}"] = _operations(gvk, name, ref)
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": paths,
        "components": {"schemas": components},
    }


def _operations(gvk: dict[str, str], name: str, ref: TypeRef) -> dict[str, Any]:
    media = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"]
    if ref.name:
        media.append(STRATEGIC)
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {
        "get": {_EXTENSION: gvk, "responses": {"200": {"description": "OK", "content": content}}},
        "patch": {
            _EXTENSION: gvk,
            "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
            "requestBody": {"content": {name: {"schema": {"type": "object"}} for name in sorted(media)}},
            "responses": {"200": {"description": "OK", "content": content}},
        },
    }


def _component(ref: TypeRef, group: str, version: str, kind: str, components: dict[str, Any]) -> str:
    name = ref.name
    if not name:  # a custom resource: named after its reversed group, as the server does it
        name = ".".join([*reversed(group.split(".")), version, kind])
        gvk = [{"group": group, "version": version, "kind": kind}]
        components[name] = {**_node(ref.schema, ref.prop, components), _EXTENSION: gvk}
        return name
    _collect(ref.schema, name, components)
    return name


def _collect(schema: Schema, name: str, components: dict[str, Any]) -> None:
    if name not in components:
        components[name] = {}
        node = _node(schema, schema.definitions[name], components)
        if name in UNTYPED:
            number = "integer" if name.endswith("IntOrString") else "number"
            node = {**node, "oneOf": [{"type": "string"}, {"type": number}]}
            del node["type"]
        components[name] = node


def _node(schema: Schema, node: Mapping[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "$ref":
            _collect(schema, value, components)
            out["allOf"] = [{"$ref": f"#/components/schemas/{value}"}]
        elif key == "properties":
            out[key] = {name: _node(schema, inner, components) for name, inner in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            out[key] = _node(schema, value, components)
        elif key != "x-go-type":
            out[key] = value
    return out
