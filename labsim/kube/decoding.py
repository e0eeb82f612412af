"""From a request's body to an object of the served version: type checks, pruning, strict decoding."""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.objects import Object
from labsim.kube.scheme import Resource
from labsim.kube.strategy import Request


def decode(res: Resource, obj: Any, field_validation: str, request: Request) -> Object:
    """The object with its apiVersion and kind. `field_validation` is "", Ignore, Warn or Strict."""
    if not isinstance(obj, dict):
        raise errors.bad_request("the object provided is unrecognized (must be of type " + res.kind + ")")
    kind, version = obj.get("kind", res.kind), obj.get("apiVersion", res.api_version)
    if kind != res.kind or version != res.api_version:
        raise errors.bad_request(
            f"{kind} in version {str(version).rpartition('/')[2]!r} cannot be handled as a {res.kind}"
        )
    return {**obj, "apiVersion": res.api_version, "kind": res.kind}
