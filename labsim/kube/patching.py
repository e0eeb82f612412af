"""Patches as the API server takes them: which kinds of patch a resource accepts, and the errors for bad ones."""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.objects import Object, meta
from labsim.kube.patch import PatchError, json_patch, merge_patch, strategic_merge
from labsim.kube.rest.bodies import check_metadata
from labsim.kube.schema import load
from labsim.kube.scheme import Resource

MEDIA_TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
_BUILTIN_TYPES = ("json", "merge", "strategic", "apply")
_CUSTOM_TYPES = ("json", "merge", "apply")


def apply_patch(
    kind: str, old: Object, patch: Any, res: Resource, field_manager: str = "", force: bool = False
) -> Object:
    """`old` with `patch` applied. ApiError 415 for a strategic patch of a custom resource, 400 or 422 for bad ones.

    `apply` merges as server-side apply does, without tracking who manages a field: it never conflicts and what a
    manager leaves out of a later apply is not removed. `field_manager` is only checked for presence.
    """
    accepted = _CUSTOM_TYPES if res.custom else _BUILTIN_TYPES
    if kind not in accepted:
        listed = ", ".join(MEDIA_TYPES[k] for k in accepted)
        raise errors.unsupported_media_type(
            f"the body of the request was in an unknown format - accepted media types include: {listed}"
        )
    if kind == "apply":
        if not field_manager:
            raise errors.bad_request(
                'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
            )
        if meta(patch).get("managedFields"):
            raise errors.bad_request("metadata.managedFields must be nil")
    try:
        if kind == "json":
            new = json_patch(old, patch)
        elif kind == "strategic" or (kind == "apply" and not res.custom):
            new = strategic_merge(old, patch, load().for_gvk(res.group, res.version, res.kind))
        else:
            new = merge_patch(old, patch)
    except PatchError as error:
        reason = {400: "BadRequest", 422: "Invalid"}.get(error.code, "")
        raise errors.ApiError(error.code, reason, error.shown) from None
    if not isinstance(new, dict):
        raise errors.bad_request("couldn't get version/kind; json parse error: the body is not a JSON object")
    check_metadata(new)
    result: Object = new
    return result
