"""Making strategic merge patches: between two versions (label, edit, cordon) and among three (apply)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labsim.kube.patch.equality import equal, go_text, kind_of
from labsim.kube.patch.errors import PatchError
from labsim.kube.patch.lists import DIRECTIVE, element_kind, key_of, sort_like, sorted_scalars, unique
from labsim.kube.patch.merge_patch import create_merge_patch
from labsim.kube.patch.strategic import DELETE_FROM, RETAIN_KEYS, SET_ORDER, list_field, merge_map, struct_field
from labsim.kube.schema import TypeRef


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which differences go into a patch."""

    changes: bool = True
    deletions: bool = True
    order: bool = False
    retain_keys: bool = False


def create_two_way(original: dict[str, Any], modified: dict[str, Any], schema: TypeRef | None) -> dict[str, Any]:
    """The patch that makes `modified` out of `original`: strategic for a built-in type, a JSON merge patch else."""
    if schema is None or not schema.name:
        return create_merge_patch(original, modified)
    return _diff_maps(original, modified, schema, _Wanted(order=True))


def create_three_way_strategic(
    original: dict[str, Any] | None, modified: dict[str, Any], current: dict[str, Any], schema: TypeRef | None
) -> dict[str, Any]:
    """The patch of `kubectl apply`: what the file (`modified`) changes or adds to the server's object (`current`), and
    what the file no longer has of what was last applied (`original`). Others' changes are overwritten, not refused.
    """
    delta = _diff_maps(current, modified, schema, _Wanted(deletions=False, order=True))
    deletions = _diff_maps(original or {}, modified, schema, _Wanted(changes=False, order=True))
    return merge_map(deletions, delta, schema, as_patch=True)


def _diff_maps(
    original: dict[str, Any], modified: dict[str, Any], schema: TypeRef | None, wanted: _Wanted
) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    for key, value in modified.items():
        if key not in original:
            if wanted.changes:
                patch[key] = value
            continue
        old = original[key]
        if key == DIRECTIVE:
            if not isinstance(old, str) or not isinstance(value, str):
                raise PatchError(500, f"invalid value for special key: {DIRECTIVE}")
            if value != old:
                patch[key] = value
        elif kind_of(old) != kind_of(value):
            if wanted.changes:
                patch[key] = value
        elif isinstance(value, dict):
            _diff_map_field(key, old, value, patch, schema, wanted)
        elif isinstance(value, list):
            _diff_list_field(key, old, value, patch, schema, wanted)
        elif wanted.changes and not equal(old, value):
            patch[key] = value
    if wanted.deletions:
        patch.update(dict.fromkeys(key for key in original if key not in modified))
    if wanted.retain_keys:
        retained = [key for key, value in modified.items() if value is not None]
        gone = any(value is not None and key not in modified for key, value in original.items())
        if retained and (patch or gone):
            patch[RETAIN_KEYS] = sorted_scalars(retained)
    return patch


def _with_retain(wanted: _Wanted, retain: bool) -> _Wanted:
    return _Wanted(wanted.changes, wanted.deletions, wanted.order, retain)


def _diff_map_field(
    key: str, old: dict[str, Any], new: dict[str, Any], patch: dict[str, Any], schema: TypeRef | None, wanted: _Wanted
) -> None:
    if equal(old, new):
        return
    inner, meta = struct_field(schema, key)
    if meta.strategy == "replace":
        if wanted.changes:
            patch[key] = new
        return
    found = _diff_maps(old, new, inner, _with_retain(wanted, meta.retain_keys))
    if found:
        patch[key] = found


def _diff_list_field(
    key: str, old: list[Any], new: list[Any], patch: dict[str, Any], schema: TypeRef | None, wanted: _Wanted
) -> None:
    try:
        inner, meta = list_field(schema, key)
    except PatchError:
        if equal(old, new):
            return
        raise
    if meta.strategy != "merge":
        if wanted.changes and not equal(old, new):
            patch[key] = new
        return
    inside = _with_retain(wanted, meta.retain_keys)
    if not old:
        if wanted.changes and new:
            patch[key] = new
        return
    if element_kind(old, new) == "map":
        items, order = _diff_list_of_maps(old, new, inner, meta.merge_key, inside)
        deleted: list[Any] = []
    else:
        items, deleted, order = _diff_list_of_scalars(old, new, inside)
    if items:
        patch[key] = items
    if deleted:
        patch[f"{DELETE_FROM}/{key}"] = deleted
    if order:
        patch[f"{SET_ORDER}/{key}"] = order


def _diff_list_of_maps(
    old: list[Any], new: list[Any], schema: TypeRef | None, key: str, wanted: _Wanted
) -> tuple[list[Any], list[Any]]:
    """(changed, added and deleted elements; the order list)."""
    olds = sorted(old, key=lambda item: go_text(key_of(item, key)))
    news = sorted(new, key=lambda item: go_text(key_of(item, key)))
    changed: list[Any] = []
    deleted: list[Any] = []
    i = j = 0
    while i < len(olds) or j < len(news):
        mine = go_text(key_of(olds[i], key)) if i < len(olds) else None
        other = go_text(key_of(news[j], key)) if j < len(news) else None
        if mine is not None and mine == other:
            found = _diff_maps(olds[i], news[j], schema, wanted)
            if found:
                changed.append({**found, key: news[j][key]})
            i, j = i + 1, j + 1
        elif other is not None and (mine is None or mine > other):
            if wanted.changes:
                changed.append(news[j])
            j += 1
        else:
            if wanted.deletions:
                deleted.append({key: olds[i][key], DIRECTIVE: "delete"})
            i += 1
    items = sort_like(changed, new, key) + deleted
    same_order = len(old) == len(new) and all(equal(key_of(a, key), key_of(b, key)) for a, b in zip(old, new))
    if wanted.order and ((wanted.changes and (items or not same_order)) or (wanted.deletions and items)):
        return items, [{key: item[key]} for item in new]
    return items, []


def _diff_list_of_scalars(old: list[Any], new: list[Any], wanted: _Wanted) -> tuple[list[Any], list[Any], list[Any]]:
    """(added, deleted, the order list)."""
    olds, news = sorted_scalars(old), sorted_scalars(new)
    added: list[Any] = []
    deleted: list[Any] = []
    i = j = 0
    while i < len(olds) or j < len(news):
        mine = go_text(olds[i]) if i < len(olds) else None
        other = go_text(news[j]) if j < len(news) else None
        if mine is not None and mine == other:
            i, j = i + 1, j + 1
        elif other is not None and (mine is None or mine > other):
            if wanted.changes:
                added.append(news[j])
            j += 1
        else:
            if wanted.deletions:
                deleted.append(olds[i])
            i += 1
    added, deleted = sort_like(added, new, ""), unique(deleted)
    # upstream sorts the old list in place before it compares, so an unsorted list always gets its order sent
    differs = wanted.changes and not equal(olds, new)
    order = new if wanted.order and ((wanted.deletions and deleted) or differs) else []
    return added, deleted, order
