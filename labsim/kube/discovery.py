"""Discovery documents, legacy and aggregated, from the scheme (rest-api.md 4). Hidden groups are never in them."""

from __future__ import annotations

from collections.abc import Iterable

from labsim.kube.objects import Object
from labsim.kube.scheme import Resource, Scheme

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_CREATE, _GET = ("create",), ("get",)
_CHANGE = ("get", "patch", "update")
# (kind, group, version, verbs) of subresources that are not a part of their object.
_SUBRESOURCES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "attach": ("PodAttachOptions", "", "v1", ("create", "get")),
    "binding": ("Binding", "", "v1", _CREATE),
    "eviction": ("Eviction", "policy", "v1", _CREATE),
    "exec": ("PodExecOptions", "", "v1", ("create", "get")),
    "log": ("Pod", "", "v1", _GET),
    "portforward": ("PodPortForwardOptions", "", "v1", ("create", "get")),
    "scale": ("Scale", "autoscaling", "v1", _CHANGE),
    "token": ("TokenRequest", "authentication.k8s.io", "v1", _CREATE),
}
_PROXY_VERBS = ("create", "delete", "get", "patch", "update")


def _visible(scheme: Scheme) -> list[Resource]:
    return [resource for resource in scheme if not resource.hidden]


def groups(scheme: Scheme) -> dict[str, list[str]]:
    """Named groups and their versions, in discovery order."""
    found: dict[str, list[str]] = {}
    for resource in _visible(scheme):
        if resource.group and resource.version not in found.setdefault(resource.group, []):
            found[resource.group].append(resource.version)
    return found


def versions() -> Object:
    """GET /api"""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
    }


def group_list(scheme: Scheme) -> Object:
    """GET /apis"""
    found = [_group(name, served) for name, served in groups(scheme).items()]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": found}


def _group(name: str, served: Iterable[str]) -> Object:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in served]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def group(scheme: Scheme, name: str) -> Object | None:
    """GET /apis/GROUP; None for an unknown one."""
    served = groups(scheme).get(name)
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, served)} if served else None


def resource_list(scheme: Scheme, api_version: str) -> Object | None:
    """GET /api/v1 or /apis/GROUP/VERSION; None for an unknown one."""
    rows: list[Object] = []
    for resource in _visible(scheme):
        if resource.api_version != api_version:
            continue
        row: Object = {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": list(resource.verbs),
        }
        if resource.short_names:
            row["shortNames"] = list(resource.short_names)
        if resource.categories:
            row["categories"] = list(resource.categories)
        rows.append(row)
        for name in resource.subresources:
            kind, kind_group, version, verbs = _subresource(resource, name)
            other = {"group": kind_group, "version": version} if (kind_group, version) != ("", "v1") else {}
            rows.append(
                {
                    "name": f"{resource.plural}/{name}",
                    "singularName": "",
                    "namespaced": resource.namespaced,
                    **(other if kind_group != resource.group else {}),
                    "kind": kind,
                    "verbs": list(verbs),
                }
            )
    if not rows:
        return None
    rows.sort(key=lambda row: str(row["name"]))
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": rows}


def _subresource(resource: Resource, name: str) -> tuple[str, str, str, tuple[str, ...]]:
    if name == "proxy":
        return f"{resource.kind}ProxyOptions", "", "v1", _PROXY_VERBS
    own = (resource.kind, resource.group, resource.version)
    if name in ("finalize",):
        return (*own, ("update",))
    return _SUBRESOURCES.get(name) or (*own, _CHANGE)


def aggregated(scheme: Scheme, core: bool) -> Object:
    """GET /api (core) or /apis with an Accept of `AGGREGATED`."""
    by_group: dict[str, dict[str, list[Object]]] = {}
    for resource in _visible(scheme):
        if (resource.group == "") == core:
            by_group.setdefault(resource.group, {}).setdefault(resource.version, []).append(_aggregated(resource))
    items = [
        {
            "metadata": {"name": name, "creationTimestamp": None} if name else {"creationTimestamp": None},
            "versions": [
                {"version": version, "resources": rows, "freshness": "Current"} for version, rows in served.items()
            ],
        }
        for name, served in by_group.items()
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def _aggregated(resource: Resource) -> Object:
    row: Object = {
        "resource": resource.plural,
        "responseKind": _gvk(resource.group, resource.version, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        row["shortNames"] = list(resource.short_names)
    if resource.categories:
        row["categories"] = list(resource.categories)
    below = []
    for name in resource.subresources:
        kind, group_name, version, verbs = _subresource(resource, name)
        below.append({"subresource": name, "responseKind": _gvk(group_name, version, kind), "verbs": list(verbs)})
    if below:
        row["subresources"] = below
    return row


def _gvk(group_name: str, version: str, kind: str) -> Object:
    return {"group": group_name, "version": version, "kind": kind}
