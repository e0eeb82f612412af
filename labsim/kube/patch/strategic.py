"""Strategic merge patch: applying one to an object, driven by the schema's patch strategies and merge keys.

Directives: `$patch: replace|delete` in a map, `$patch: delete` and `$patch: replace` in a list of maps,
`$retainKeys`, `$deleteFromPrimitiveList/FIELD` and `$setElementOrder/FIELD`.
"""

from __future__ import annotations

from typing import Any

from labsim.kube.patch.equality import equal, go_text, kind_of
from labsim.kube.patch.errors import PatchError
from labsim.kube.patch.lists import (
    DIRECTIVE,
    bad_type,
    element_kind,
    enforce_order,
    find,
    key_of,
    no_merge_key,
    place_in,
    unique,
)
from labsim.kube.schema import FieldMeta, TypeRef

RETAIN_KEYS = "$retainKeys"
DELETE_FROM = "$deleteFromPrimitiveList"
SET_ORDER = "$setElementOrder"
_ANY = FieldMeta()


def strategic_merge(document: dict[str, Any], patch: Any, schema: TypeRef | None) -> dict[str, Any]:
    """`document` with a strategic merge patch applied; inputs are not changed and unchanged parts are shared.

    `schema` is the type of the object (None: no lists are merged). PatchError for a bad patch (400, 422 or 500).
    """
    if not isinstance(patch, dict):
        what = {"list": "array", "int": "number", "float": "number"}.get(kind_of(patch), kind_of(patch))
        raise PatchError(400, f"json: cannot unmarshal {what} into Go value of type map[string]interface {{}}")
    return merge_map(document, patch, schema, as_patch=False)


def struct_field(schema: TypeRef | None, key: str) -> tuple[TypeRef | None, FieldMeta]:
    """The type and merge metadata of a field. PatchError if the type has fields, but not this one."""
    if schema is None:
        return None, _ANY
    ref = schema.field(key)
    if ref is None:
        if schema.kind == "object":
            where = schema.short_name or "object"
            raise PatchError(500, f'unable to find api field in struct {where} for the json field "{key}"')
        return None, _ANY
    return ref, ref.meta


def list_field(schema: TypeRef | None, key: str) -> tuple[TypeRef | None, FieldMeta]:
    """The type of the elements, and the merge metadata of the field."""
    ref, meta = struct_field(schema, key)
    return (ref.items() if ref is not None else None), meta


def merge_map(
    original: dict[str, Any] | None, patch: dict[str, Any], schema: TypeRef | None, as_patch: bool
) -> dict[str, Any]:
    """Merge `patch` into `original`. With `as_patch` the original is a patch too: directives and nulls are kept."""
    if DIRECTIVE in patch:
        directive = patch[DIRECTIVE]
        if directive == "replace":
            return {key: value for key, value in patch.items() if key != DIRECTIVE}
        if directive == "delete":
            return {}
        raise PatchError(500, f"unknown patch type: {go_text(directive)} in map: {go_text(patch)}")
    merged = dict(original or {})
    rest = dict(patch)
    _retain_keys(merged, rest, as_patch)
    _set_orders(merged, rest, schema, as_patch)
    for key, value in rest.items():
        if key.startswith(DELETE_FROM):
            if as_patch:
                merged[key] = value
            else:
                _delete_from(merged, key, value)
            continue
        if value is None:
            merged.pop(key, None)
            if as_patch:
                merged[key] = None
            continue
        if key in merged and kind_of(merged[key]) == kind_of(value) and isinstance(value, dict | list):
            merged[key] = _merge_value(merged[key], value, schema, key, as_patch)
            continue
        kept, keep = _without_directives(value if as_patch else _without_nulls(value), as_patch)
        if keep:
            merged[key] = kept
        else:
            merged.pop(key, None)
    return merged


def _merge_value(original: Any, value: Any, schema: TypeRef | None, key: str, as_patch: bool) -> Any:
    if isinstance(value, dict):
        inner, meta = struct_field(schema, key)
        return value if meta.strategy == "replace" else merge_map(original, value, inner, as_patch)
    inner, meta = list_field(schema, key)
    return merge_list(original, value, inner, meta, as_patch) if meta.strategy == "merge" else value


def merge_list(
    original: list[Any], patch: list[Any], schema: TypeRef | None, meta: FieldMeta, as_patch: bool
) -> list[Any]:
    if not original and not patch:
        return original
    key = meta.merge_key
    if element_kind(original, patch) != "map":
        return enforce_order(unique([*original, *patch]), patch, original, "")
    if not key:
        name = schema.short_name if schema is not None else ""
        raise PatchError(500, f"cannot merge lists without merge key for {name}")
    base, patch = _special_elements(original, patch, key)
    merged = list(base)
    for item in patch:
        value = key_of(item, key)
        at = find(merged, key, value)
        if at >= 0:
            merged[at] = merge_map(merged[at], item, schema, as_patch)
        else:
            merged.append(item)
    return enforce_order(merged, patch, base, key)


def _special_elements(original: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Carry out `$patch` elements: (what is left of the original, the patch without them)."""
    plain: list[Any] = []
    replace = False
    for item in patch:
        directive = item.get(DIRECTIVE)
        if DIRECTIVE not in item:
            plain.append(item)
        elif directive == "delete":
            if key not in item:
                raise no_merge_key(item, key)
            original = [old for old in original if not (key in old and equal(old[key], item[key]))]
        elif directive == "replace":
            replace = True
        elif directive == "merge":
            raise PatchError(500, "merging lists cannot yet be specified in the patch")
        else:
            raise PatchError(500, f"unknown patch type: {go_text(directive)} in map: {go_text(item)}")
    return (plain, []) if replace else (original, plain)


def _retain_keys(merged: dict[str, Any], patch: dict[str, Any], as_patch: bool) -> None:
    if RETAIN_KEYS not in patch:
        return
    wanted = patch.pop(RETAIN_KEYS)
    if as_patch:
        if RETAIN_KEYS in merged and not equal(merged[RETAIN_KEYS], wanted):
            raise PatchError(
                500,
                f"{go_text(merged[RETAIN_KEYS])} and {go_text(wanted)} are not deep equal: "
                "this may happen when calculating the 3-way diff patch",
            )
        merged[RETAIN_KEYS] = wanted
        return
    allowed = [key for key in patch if patch[key] is not None and not key.startswith((DELETE_FROM, SET_ORDER))]
    if not isinstance(wanted, list) or any(key not in wanted for key in allowed):
        raise PatchError(400, "invalid patch format of retainKeys")
    for key in [key for key in merged if key not in wanted]:
        del merged[key]


def _set_orders(merged: dict[str, Any], patch: dict[str, Any], schema: TypeRef | None, as_patch: bool) -> None:
    """Carry out every `$setElementOrder/FIELD` together with the field's own part of the patch."""
    for directive in [key for key in patch if key.startswith(SET_ORDER)]:
        order = patch.pop(directive)
        if as_patch:
            if directive in merged and not equal(merged[directive], order):
                raise PatchError(400, "invalid patch format of setElementOrder list")
            merged[directive] = order
        if not isinstance(order, list):
            raise bad_type("list", order)
        prefix, slash, field = directive.partition("/")
        if prefix != SET_ORDER or not slash:
            raise PatchError(400, "invalid patch format of setElementOrder list")
        for side in (merged, patch):
            if field in side and not isinstance(side[field], list):
                raise bad_type("list", side[field])
        inner, meta = list_field(schema, field)
        old, new = merged.get(field), patch.pop(field, None)
        _check_order(new or [], order, meta.merge_key)
        if old is None and new is None:
            continue
        if new is None:
            result = old
        elif old is None:
            result, _ = _without_directives(new, as_patch)
        elif meta.strategy == "merge":
            result = merge_list(old, new, inner, meta, as_patch)
        else:
            result = new
        merged[field] = enforce_order(result or [], order, old or [], meta.merge_key)


def _check_order(patch: list[Any], order: list[Any], key: str) -> None:
    """The patch's elements must stand in the order list, in the same order."""
    items = [item for item in patch if not (key and isinstance(item, dict) and DIRECTIVE in item)]
    if not items or not order:
        return
    at = 0
    for item in items:
        while at < len(order) and not equal(key_of(item, key), key_of(order[at], key)):
            at += 1
        if at == len(order):
            raise PatchError(
                500,
                f"The order in patch list:\n{go_text(patch)}\n doesn't match {SET_ORDER} list:\n{go_text(order)}\n",
            )
        at += 1


def _delete_from(merged: dict[str, Any], directive: str, value: Any) -> None:
    prefix, slash, field = directive.partition("/")
    if prefix != DELETE_FROM or not slash:
        raise PatchError(400, "invalid patch format of primitive list")
    if value is None:
        merged.pop(field, None)
    elif isinstance(merged.get(field), list) and isinstance(value, list):
        merged[field] = [item for item in merged[field] if place_in(value, item, "") < 0]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _without_directives(value: Any, as_patch: bool) -> tuple[Any, bool]:
    """A value that is taken as a whole, without the directives in it; False if it is one itself.

    A patch keeps what says how to merge. An object does not: the real server leaves such keys in and then drops them
    as unknown fields.
    """
    if isinstance(value, dict):
        if DIRECTIVE in value:
            return None, False
        out: dict[str, Any] = {}
        for key, inner in value.items():
            kept, keep = _without_directives(inner, as_patch)
            if keep and (as_patch or not _is_directive(key)):
                out[key] = kept
        return out, True
    if isinstance(value, list):
        return [kept for kept, keep in (_without_directives(item, as_patch) for item in value) if keep], True
    return value, True


def _is_directive(key: str) -> bool:
    return key == RETAIN_KEYS or key.startswith((SET_ORDER + "/", DELETE_FROM + "/"))
