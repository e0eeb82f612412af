"""Lists in strategic merge: finding elements by merge key, and putting them in order."""

from __future__ import annotations

from typing import Any

from labsim.kube.patch.equality import equal, go_text, kind_of
from labsim.kube.patch.errors import PatchError

DIRECTIVE = "$patch"
GO_NAMES = {"string": "string", "int": "int64", "float": "float64", "bool": "bool", "null": "<nil>",
            "map": "map[string]interface {}", "list": "[]interface {}"}  # fmt: skip


def element_kind(*lists: list[Any]) -> str:
    """The one kind of all elements. PatchError for a mixture, for lists of lists, and when there is no element."""
    kinds = {kind_of(item): None for items in lists for item in items}
    if not kinds:
        raise PatchError(500, "no elements in any of the given slices")
    if next(iter(kinds)) == "list":
        raise PatchError(422, "lists of lists are not supported")
    if len(kinds) > 1:
        raise PatchError(500, f"list element types are not identical: {go_text(list(lists))}")
    return next(iter(kinds))


def no_merge_key(item: dict[str, Any], key: str) -> PatchError:
    return PatchError(500, f"map: {go_text(item)} does not contain declared merge key: {key}")


def bad_type(expected: str, actual: Any) -> PatchError:
    return PatchError(500, f"expected a {GO_NAMES[expected]}, but received a {GO_NAMES[kind_of(actual)]}")


def key_of(item: Any, key: str) -> Any:
    """The value of the merge key; the item itself when there is no key (scalars)."""
    if not key:
        return item
    if not isinstance(item, dict):
        raise bad_type("map", item)
    if key not in item:
        raise no_merge_key(item, key)
    return item[key]


def find(items: list[Any], key: str, value: Any) -> int:
    """The place of the first map whose merge key has this value, -1 for none."""
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            raise PatchError(500, f"value for key {place} is not a map")
        if key in item and equal(item[key], value):
            return place
    return -1


def place_in(order: list[Any], item: Any, key: str) -> int:
    wanted = item.get(key) if key and isinstance(item, dict) else item
    for place, other in enumerate(order):
        if equal(wanted, other.get(key) if key and isinstance(other, dict) else other):
            return place
    return -1


def sort_like(items: list[Any], order: list[Any], key: str) -> list[Any]:
    """`items` in the order of `order`, deletions last; what `order` does not know moves to the front, one by one."""
    deletions: list[Any] = []
    if key:
        for item in [*items, *order]:
            key_of(item, key)
        deletions = [item for item in items if item.get(DIRECTIVE) == "delete"]
        items = [item for item in items if item.get(DIRECTIVE) != "delete"]
    places = [place_in(order, item, key) for item in items]
    if all(place >= 0 for place in places):
        return [item for _, item in sorted(zip(places, items), key=lambda pair: pair[0])] + deletions
    ordered: list[tuple[int, Any]] = []
    for place, item in zip(places, items):
        at = len(ordered)
        while at and (place < 0 or ordered[at - 1][0] < 0 or place < ordered[at - 1][0]):
            at -= 1
        ordered.insert(at, (place, item))
    return [item for _, item in ordered] + deletions


def interleave(server_only: list[Any], patched: list[Any], server_order: list[Any], key: str) -> list[Any]:
    """Both lists in one, each in its own order; a server-only item stands before the first later one of the patch."""
    out: list[Any] = []
    left, right = 0, 0
    while left < len(server_only) and right < len(patched):
        mine = place_in(server_order, server_only[left], key)
        other = place_in(server_order, patched[right], key)
        if 0 <= mine < other:
            out.append(server_only[left])
            left += 1
        else:
            out.append(patched[right])
            right += 1
    return out + server_only[left:] + patched[right:]


def enforce_order(merged: list[Any], order: list[Any], server_order: list[Any], key: str) -> list[Any]:
    """Items named in `order` in that order, the others where the server has them."""
    named: list[Any] = []
    others: list[Any] = []
    for item in merged:
        known = find(order, key, key_of(item, key)) >= 0 if key else place_in(order, item, "") >= 0
        (named if known else others).append(item)
    return interleave(sort_like(others, server_order, key), sort_like(named, order, key), server_order, key)


def unique(items: list[Any]) -> list[Any]:
    """Scalars without duplicates: the last one takes the place of a removed one, as upstream does it."""
    out = list(items)
    first = 0
    while first < len(out) - 1:
        other = first + 1
        while other < len(out):
            if equal(out[first], out[other]):
                last = out.pop()
                if other < len(out):
                    out[other] = last
            else:
                other += 1
        first += 1
    return out


def sorted_scalars(items: list[Any]) -> list[Any]:
    return sorted(items, key=go_text)
