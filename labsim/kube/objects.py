"""Path-copy helpers for API objects (plain JSON dicts that are never changed once stored).

Every writer returns a new object that shares all unchanged sub-trees with the old one; deepcopy is 500 times dearer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Object = dict[str, Any]
_MISSING: Any = object()


def get_in(obj: Any, *path: str | int, default: Any = None) -> Any:
    """The value at `path` (dict keys, list indexes), or `default` where any part is missing or null."""
    for part in path:
        if isinstance(obj, dict):
            obj = obj.get(part, _MISSING)
        elif isinstance(obj, list) and isinstance(part, int) and -len(obj) <= part < len(obj):
            obj = obj[part]
        else:
            return default
        if obj is _MISSING or obj is None:
            return default
    return obj


def set_in(obj: Mapping[str, Any], path: Iterable[str], value: Any) -> Object:
    """A copy of `obj` with `value` at `path`; missing dicts on the way are made."""
    first, *rest = path
    copy = dict(obj)
    copy[first] = set_in(copy.get(first) or {}, rest, value) if rest else value
    return copy


def drop_in(obj: Mapping[str, Any], path: Iterable[str]) -> Object:
    """A copy of `obj` without the key at `path` (unchanged copy where it is missing)."""
    first, *rest = path
    copy = dict(obj)
    if rest:
        if isinstance(copy.get(first), dict):
            copy[first] = drop_in(copy[first], rest)
    else:
        copy.pop(first, None)
    return copy


def merge_in(obj: Mapping[str, Any], path: Iterable[str], values: Mapping[str, Any]) -> Object:
    """A copy with the dict at `path` updated by `values`; a value of None removes its key."""
    path = list(path)
    merged = dict(get_in(obj, *path, default={}))
    for key, value in values.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    return set_in(obj, path, merged)


def update_in(obj: Mapping[str, Any], path: Iterable[str], change: Callable[[Any], Any]) -> Object:
    """A copy with `change(old value or None)` at `path`."""
    path = list(path)
    return set_in(obj, path, change(get_in(obj, *path)))


def meta(obj: Mapping[str, Any]) -> Object:
    found: Object = obj.get("metadata") or {}
    return found


def name_of(obj: Mapping[str, Any]) -> str:
    return str(meta(obj).get("name", ""))


def namespace_of(obj: Mapping[str, Any]) -> str:
    return str(meta(obj).get("namespace", ""))


def uid_of(obj: Mapping[str, Any]) -> str:
    return str(meta(obj).get("uid", ""))


def labels_of(obj: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = meta(obj).get("labels") or {}
    return found


def annotations_of(obj: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = meta(obj).get("annotations") or {}
    return found


def controller_of(obj: Mapping[str, Any]) -> Object | None:
    """The owner reference with controller: true, or None."""
    for ref in meta(obj).get("ownerReferences") or ():
        if ref.get("controller"):
            found: Object = ref
            return found
    return None


def condition_of(obj: Mapping[str, Any], kind: str) -> Object | None:
    """The status condition of this type, or None."""
    for condition in get_in(obj, "status", "conditions", default=()):
        if condition.get("type") == kind:
            found: Object = condition
            return found
    return None


def is_true(obj: Mapping[str, Any], kind: str) -> bool:
    condition = condition_of(obj, kind)
    return condition is not None and condition.get("status") == "True"


class FrozenDict(dict[str, Any]):
    """What the store hands out under tests: any change raises, so a writer that skips the helpers is found at once."""

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a stored object was changed in place; use labsim.kube.objects helpers")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse


class FrozenList(list[Any]):
    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a stored list was changed in place; use labsim.kube.objects helpers")

    __setitem__ = __delitem__ = append = extend = insert = pop = remove = clear = sort = reverse = _refuse
    __iadd__ = __imul__ = _refuse


def freeze(value: Any) -> Any:
    """Deeply frozen copy; already frozen parts are kept, so the cost follows what is new."""
    if isinstance(value, (FrozenDict, FrozenList)):
        return value
    if isinstance(value, dict):
        return FrozenDict((k, freeze(v)) for k, v in value.items())
    if isinstance(value, list):
        return FrozenList(freeze(v) for v in value)
    return value
