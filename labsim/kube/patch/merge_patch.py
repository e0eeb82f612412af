"""JSON merge patch (RFC 7386): applying one, and making one between two or three versions of an object."""

from __future__ import annotations

from typing import Any

from labsim.kube.patch.equality import equal
from labsim.kube.patch.errors import PatchError


def merge_patch(document: Any, patch: Any) -> Any:
    """`document` with `patch` merged in. Unchanged parts are shared. PatchError 400 for a patch that is no object."""
    if not isinstance(patch, dict):
        raise PatchError(400, "Invalid JSON Patch")
    return _merge(document, patch)


def _merge(document: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    if not isinstance(document, dict):
        return _without_nulls(patch)
    merged = dict(document)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif merged.get(key) is None:
            merged[key] = _without_nulls(value)
        else:
            merged[key] = _merge(merged[key], value)
    return merged


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def create_merge_patch(original: dict[str, Any], modified: dict[str, Any]) -> dict[str, Any]:
    """The merge patch that makes `modified` out of `original`; {} if there is no difference."""
    patch: dict[str, Any] = {}
    for key, value in modified.items():
        old = original.get(key)
        if key not in original:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old, dict):
            inner = create_merge_patch(old, value)
            if inner:
                patch[key] = inner
        elif not equal(value, old):
            patch[key] = value
    patch.update(dict.fromkeys(key for key in original if key not in modified))
    return patch


def three_way_merge_json(
    original: dict[str, Any] | None, modified: dict[str, Any], current: dict[str, Any]
) -> dict[str, Any]:
    """The patch of `kubectl apply` for custom resources.

    It has what `modified` (the file) says differently from `current` (the server), and deletes what `original` (the
    last applied configuration) had and the file has no more. PatchError if apiVersion, kind or name would change.
    """
    changes = _only(create_merge_patch(current, modified), nulls=False)
    deletions = _only(create_merge_patch(original or {}, modified), nulls=True)
    patch = _combine(deletions, changes)
    metadata = patch.get("metadata")
    if "apiVersion" in patch or "kind" in patch or (isinstance(metadata, dict) and "name" in metadata):
        raise PatchError(400, "At least one of apiVersion, kind and name was changed")
    return patch


def _only(patch: dict[str, Any], nulls: bool) -> dict[str, Any]:
    """The patch's deletions, or everything but them. An empty map that is a value stays a change."""
    out: dict[str, Any] = {}
    for key, value in patch.items():
        if value is None:
            if nulls:
                out[key] = None
        elif isinstance(value, dict) and value:
            inner = _only(value, nulls)
            if inner:
                out[key] = inner
        elif not nulls:
            out[key] = value
    return out


def _combine(deletions: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    out = dict(deletions)
    for key, value in changes.items():
        old = out.get(key)
        out[key] = _combine(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return out
