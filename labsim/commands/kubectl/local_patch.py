"""Patching without the server: patch --local and --dry-run=client, run --overrides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.kube.objects import Object
from labsim.kube.patch import PatchError, json_patch, merge_patch, strategic_merge
from labsim.kube.schema import TypeRef


@dataclass(frozen=True)
class Broken:
    """A body that is no JSON."""

    text: str


def schema_of(obj: Object) -> TypeRef | None:
    """The built-in type of an object; None for custom resources, which take no strategic merge patch."""
    from labsim.kube.schema import load

    schema = load()
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    kind = str(obj.get("kind", ""))
    return schema.for_gvk(group, version, kind) if schema.is_builtin(group, version, kind) else None


def apply(kind: str, info: Info, body: Any, text: str) -> Object:
    """The object with the patch applied. Raises Failure with the texts of the patch library."""
    if isinstance(body, Broken):
        raise Failure("invalid JSON document", prefix=True)
    try:
        return patched(kind, info.obj, body)
    except PatchError as error:
        raise Failure(str(error)) from None


def patched(kind: str, obj: Object, body: Any) -> Object:
    """Raises PatchError, or Failure for what a strategic patch cannot be applied to."""
    if kind == "json":
        changed: Object = json_patch(obj, body)
        return changed
    if kind == "merge":
        if not isinstance(body, dict):
            raise Failure("Invalid JSON Patch")
        merged: Object = merge_patch(obj, body)
        return merged
    schema = schema_of(obj)
    if schema is None:
        raise Failure(
            "strategic merge patch is not supported for "
            f"{obj.get('apiVersion')}, Kind={obj.get('kind')} locally, try --type merge"
        )
    return strategic_merge(obj, body, schema)
