"""Documents that are not objects: version, discovery, OpenAPI v3, health."""

from __future__ import annotations

from typing import Any

from labsim.commands.kubectl.versions import server_version
from labsim.kube import discovery
from labsim.kube.client import Client
from labsim.kube.errors import no_such_path
from labsim.kube.objects import Object, get_in
from labsim.kube.schema import load
from labsim.kube.schema.openapi_v3 import document
from labsim.kube.scheme import Resource

_CRDS = "customresourcedefinitions.apiextensions.k8s.io"
HEALTH = ("/healthz", "/livez", "/readyz")


def find(client: Client, path: str, accept: str) -> tuple[Any, str] | None:
    """The document at a path and its media type; None when the path is one of a resource. Raises 404."""
    plain = path.rstrip("/") or "/"
    parts = plain.strip("/").split("/")
    if plain in HEALTH:
        return "ok", "text/plain; charset=utf-8"
    if plain == "/version":
        return server_version(client), "application/json"
    if plain in ("/api", "/apis") and _aggregated(accept):
        return discovery.aggregated(client.scheme, plain == "/api"), discovery.AGGREGATED
    body = _legacy(client, plain, parts)
    if body is not None:
        return body, "application/json"
    if parts[:2] == ["openapi", "v3"]:
        return (openapi_index(client) if len(parts) == 2 else openapi(client, parts[2:])), "application/json"
    if parts[0] not in ("api", "apis") or len(parts) < 3:
        raise no_such_path()
    return None


def _aggregated(accept: str) -> bool:
    """Media type parameters are compared one by one: v2beta1 is not v2 (rest-api.md 4)."""
    for part in accept.split(","):
        _, *parameters = (word.strip() for word in part.split(";"))
        if {"g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"} <= set(parameters):
            return True
    return False


def _legacy(client: Client, plain: str, parts: list[str]) -> Object | None:
    if plain == "/api":
        return discovery.versions()
    if plain == "/apis":
        return discovery.group_list(client.scheme)
    if parts[0] == "apis" and len(parts) == 2:
        return discovery.group(client.scheme, parts[1])
    if parts[0] == "api" and len(parts) == 2:
        return discovery.resource_list(client.scheme, parts[1])
    if parts[0] == "apis" and len(parts) == 3:
        found = discovery.resource_list(client.scheme, f"{parts[1]}/{parts[2]}")
        if found is None:
            raise no_such_path()
        return found
    return None


def _visible(client: Client) -> list[Resource]:
    return [resource for resource in client.scheme if not resource.hidden]


def openapi_index(client: Client) -> Object:
    """GET /openapi/v3. The revision of the definitions makes the URL, so that a client's cache follows them."""
    paths = {f"apis/{r.api_version}" if r.group else f"api/{r.version}" for r in _visible(client)}
    mark = max((int(d["metadata"]["resourceVersion"]) for d in client.list(_CRDS)), default=1)
    return {"paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={mark:X}"} for path in sorted(paths)}}


def openapi(client: Client, parts: list[str]) -> Object:
    """GET /openapi/v3/api/VERSION or /openapi/v3/apis/GROUP/VERSION. Raises 404."""
    group, version = (parts[1], parts[2]) if len(parts) == 3 else ("", parts[-1])
    named = [r for r in _visible(client) if (r.group, r.version) == (group, version)]
    if not named or parts != (["apis", group, version] if group else ["api", version]):
        raise no_such_path()
    schema = load()
    for resource in named:
        if not resource.custom:
            continue
        definition = client.find(_CRDS, resource.key) or {}
        for served in get_in(definition, "spec", "versions", default=()):
            if served["name"] == version:
                structure = get_in(served, "schema", "openAPIV3Schema", default={})
                schema = schema.with_crd(group, version, resource.kind, structure)
    return document(schema, group, version, [(r.plural, r.kind, r.namespaced) for r in named])
