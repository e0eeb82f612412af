"""kubectl explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure, not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.mapping import find_resource, resource_for, visible
from labsim.kube.objects import get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl
    from labsim.kube.client import Client
    from labsim.kube.schema import Schema
    from labsim.kube.scheme import Resource

USAGE = "explain TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group]"
ABOUT = "Say what the fields of a kind mean. A dot leads to a field: TYPE.field.field."
EXAMPLES = "  kubectl explain pods.spec.containers\n  kubectl explain deployment --recursive"
SPEC = (
    Flag("api-version", help="Explain this group/version"),
    Flag("output", "o", default="plaintext", help="plaintext (plaintext-openapiv2 is not simulated)"),
    Flag("recursive", kind="bool", help="Show the fields of fields"),
)


def run(kubectl: Kubectl) -> int:
    from labsim.kube.schema.explain import ExplainError, explain

    flags, client = kubectl.flags, kubectl.client
    if not kubectl.args:
        raise Failure(
            "You must specify the type of resource to explain. "
            'Use "kubectl api-resources" for a complete list of supported resources.'
        )
    if len(kubectl.args) > 1:
        raise Failure("We accept only this format: explain RESOURCE")
    if flags["output"] == "plaintext-openapiv2":
        raise not_simulated("kubectl explain -o plaintext-openapiv2")
    if flags["output"] != "plaintext":
        raise Failure(f'output format "{flags["output"]}" not recognized')
    whole = find_resource(client, kubectl.args[0])
    first, *path = kubectl.args[0].split(".")
    if whole is None and find_resource(client, first) is None:
        raise Failure(f'the server doesn\'t have a resource type "{first}"', prefix=False)
    res, path = (whole, []) if whole is not None else (resource_for(client, first), path)
    group, version = res.group, res.version
    if flags["api-version"]:
        group, _, version = flags["api-version"].rpartition("/")
        if not any((r.group, r.version, r.kind) == (group, version, res.kind) for r in visible(client)):
            raise Failure(f'couldn\'t find resource for "{flags["api-version"]}, Resource={res.plural}"')
    try:
        kubectl.out(explain(_schema(client, res), group, version, res.kind, path, flags["recursive"]))
    except ExplainError as error:
        raise Failure(str(error), shown=error.printed) from None
    return 0


def _schema(client: Client, res: Resource) -> Schema:
    """The built-in types, with those of the kind's definition where it is a custom one."""
    from labsim.kube.schema import load

    if not res.custom:
        return load()
    definition = client.find("customresourcedefinitions.apiextensions.k8s.io", res.key) or {}
    for version in get_in(definition, "spec", "versions", default=()):
        if version.get("name") == res.version:
            structure = get_in(version, "schema", "openAPIV3Schema", default={})
            return load().with_crd(res.group, res.version, res.kind, structure)
    return load()
