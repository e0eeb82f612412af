"""From what people type for a kind to the resource that is meant: short names, kinds, groups, categories."""

from __future__ import annotations

from collections.abc import Iterator

from labsim.commands.kubectl.errors import Failure
from labsim.kube.client import Client
from labsim.kube.scheme import Resource


def visible(client: Client) -> Iterator[Resource]:
    """The resources of discovery, in its order."""
    return (res for res in client.scheme if not res.hidden)


def resource_for(client: Client, text: str) -> Resource:
    """pods, po, pod, Pod, pods.v1., deployments.apps, Deployment.v1.apps. Raises Failure."""
    found = find_resource(client, text)
    if found is None:
        raise Failure(f'the server doesn\'t have a resource type "{text.split(".")[0]}"')
    return found


def find_resource(client: Client, text: str) -> Resource | None:
    word = text.lower()
    name, dot, rest = word.partition(".")
    version, second, group = rest.partition(".")
    resources = list(visible(client))
    if second:  # plural.version.group is tried first, as in schema.ParseResourceArg
        for res in resources:
            if _called(res, name) and res.version == version and res.group == group:
                return res
    if dot:
        exact = [r for r in resources if _called(r, name) and r.group == rest]
        if exact:
            return exact[0]
        near = [r for r in resources if _called(r, name) and rest and r.group.startswith(rest)]
        return near[0] if near else None
    for test in (_by_short_name, _called):
        for res in resources:
            if test(res, name):
                return res
    return None


def _called(res: Resource, name: str) -> bool:
    return name in (res.plural, res.singular or res.kind.lower(), res.kind.lower()) or name in res.short_names


def _by_short_name(res: Resource, name: str) -> bool:
    return name in res.short_names


def expand_categories(client: Client, types: list[str]) -> list[str]:
    """`all` and the categories of custom resources become the resources they stand for."""
    out: list[str] = []
    for text in types:
        members = [r.key for r in visible(client) if text in r.categories]
        out += members or [text]
    return out


def kind_name(res: Resource, name: str) -> str:
    """`pod/x`, `daemonset.apps/x`: how results and -o name print an object."""
    return f"{res.kind.lower()}.{res.group}/{name}" if res.group else f"{res.kind.lower()}/{name}"
