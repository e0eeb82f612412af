"""From the path of a request to the resource it means (Kubernetes API conventions, "Resources")."""

from __future__ import annotations

from dataclasses import dataclass

from labsim.kube.errors import no_such_path
from labsim.kube.scheme import Resource, Scheme


@dataclass(frozen=True, slots=True)
class Target:
    """`name` is empty for a collection, `sub` for the object itself; `namespace` is empty for all of them."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    sub: str = ""


def find(scheme: Scheme, path: str) -> Target:
    """The target of `/api/v1/...` or `/apis/GROUP/VERSION/...` (decoded). Raises 404 for all else."""
    parts = path.strip("/").split("/")
    if "" in parts or not path.startswith("/"):
        raise no_such_path()
    if parts[0] == "api" and len(parts) >= 3:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 4:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise no_such_path()
    namespace = ""
    # /namespaces/NAME/status is the namespace's own subresource; no resource is called status or finalize.
    if rest[0] == "namespaces" and len(rest) >= 3 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource = _served(scheme, group, version, rest[0])
    if len(rest) > 3 or (namespace and not resource.namespaced):
        raise no_such_path()
    name, sub = (rest[1] if len(rest) > 1 else ""), (rest[2] if len(rest) > 2 else "")
    if name and resource.namespaced and not namespace:
        raise no_such_path()
    if sub and sub not in resource.subresources:
        raise no_such_path()
    return Target(resource, namespace, name, sub)


def _served(scheme: Scheme, group: str, version: str, plural: str) -> Resource:
    found = scheme.find(f"{plural}.{group}" if group else plural)
    if found is None or found.hidden or (found.group, found.version, found.plural) != (group, version, plural):
        raise no_such_path()
    return found
