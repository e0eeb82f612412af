"""JSON patch (RFC 6902) as the API server applies it: its patch library is laxer than the RFC in a few places.

`replace` of a key that is not there adds it, and negative array indexes count from the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from labsim.kube.patch.equality import equal, kind_of
from labsim.kube.patch.errors import PatchError

MAX_OPERATIONS = 10_000
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_GO_NAMES = {"map": "object", "list": "array", "int": "number", "float": "number"}


def json_patch(document: Any, patch: Any) -> Any:
    """`document` with all operations applied in order.

    PatchError: 400 for what is no patch, 413 for too many operations, 422 for one that does not apply.
    """
    if not isinstance(patch, list):
        what = _GO_NAMES.get(kind_of(patch), kind_of(patch))
        raise PatchError(
            400, f"error decoding patch: json: cannot unmarshal {what} into Go value of type []handlers.jsonPatchOp"
        )
    for operation in patch:
        if not isinstance(operation, Mapping):
            what = _GO_NAMES.get(kind_of(operation), kind_of(operation))
            raise PatchError(
                400, f"error decoding patch: json: cannot unmarshal {what} into Go value of type handlers.jsonPatchOp"
            )
    if len(patch) > MAX_OPERATIONS:
        raise PatchError(413, f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(patch)}")
    for operation in patch:
        document = _apply(document, operation)
    return document


def _apply(document: Any, operation: Mapping[str, Any]) -> Any:
    op = operation.get("op")
    if not isinstance(op, str) or op not in ("add", "remove", "replace", "move", "copy", "test"):
        raise PatchError(422, f"Unexpected kind: {op if isinstance(op, str) else 'unknown'}")
    if op in ("move", "copy"):
        return _transfer(document, operation, op)
    path = _pointer(operation, "path", op)
    if op == "add":
        return _add(document, path, operation.get("value"))
    if op == "remove":
        return _remove(document, path)
    if op == "replace":
        return _replace(document, path, operation.get("value"))
    _test(document, path, operation.get("value"))
    return document


def _pointer(operation: Mapping[str, Any], key: str, op: str) -> str:
    value = operation.get(key)
    if not isinstance(value, str):
        missing = "missing value" if op in ("add", "remove") else f"operation missing {key} field: missing value"
        raise PatchError(422, f"{op} operation failed to decode {key}: {missing}")
    return value


def _transfer(document: Any, operation: Mapping[str, Any], op: str) -> Any:
    source = _pointer(operation, "from", op)
    holder = _holder(document, source)
    if holder is None:
        raise PatchError(422, f"{op} operation does not apply: doc is missing from path: {source}: missing value")
    key = _key(source)
    try:
        value = _get(holder, key)
        if op == "move":
            document = _changed(document, source, lambda inner: _without(inner, key))
    except _KeyError as error:
        place = f"error in move for path: '{key}'" if op == "move" else f"error in copy for from: '{source}'"
        raise PatchError(422, f"{place}: {error}") from None
    path = _pointer(operation, "path", op)
    if _holder(document, path) is None:
        raise PatchError(422, f"{op} operation does not apply: doc is missing destination path: {path}: missing value")
    try:
        return _changed(document, path, lambda inner: _with(inner, _key(path), value, insert=True))
    except _KeyError as error:
        place = f"error in move for path: '{path}'" if op == "move" else "error while adding value during copy"
        raise PatchError(422, f"{place}: {error}") from None


def _add(document: Any, path: str, value: Any) -> Any:
    if _holder(document, path) is None:
        raise PatchError(422, f'add operation does not apply: doc is missing path: "{path}": missing value')
    try:
        return _changed(document, path, lambda inner: _with(inner, _key(path), value, insert=True))
    except _KeyError as error:
        raise PatchError(422, f"error in add for path: '{path}': {error}") from None


def _remove(document: Any, path: str) -> Any:
    if _holder(document, path) is None:
        raise PatchError(422, f'remove operation does not apply: doc is missing path: "{path}": missing value')
    try:
        return _changed(document, path, lambda inner: _without(inner, _key(path)))
    except _KeyError as error:
        raise PatchError(422, f"error in remove for path: '{path}': {error}") from None


def _replace(document: Any, path: str, value: Any) -> Any:
    if path == "":
        if not isinstance(value, dict | list):
            raise PatchError(422, "replace operation value must be object or array: %!w(<nil>)")
        return value
    holder = _holder(document, path)
    if holder is None:
        raise PatchError(422, f"replace operation does not apply: doc is missing path: {path}: missing value")
    try:
        _get(holder, _key(path))
    except _KeyError:
        raise PatchError(422, f"replace operation does not apply: doc is missing key: {path}: missing value") from None
    return _changed(document, path, lambda inner: _with(inner, _key(path), value, insert=False))


def _test(document: Any, path: str, value: Any) -> None:
    if path == "":
        found = document
    else:
        holder = _holder(document, path)
        if holder is None:
            raise PatchError(422, f"test operation does not apply: is missing path: {path}: missing value")
        try:
            found = _get(holder, _key(path))
        except _KeyError as error:
            raise PatchError(422, f"error in test for path: '{path}': {error}") from None
    if not equal(found, value):
        raise PatchError(422, f"testing value {path} failed: test failed")


class _KeyError(Exception):
    """The last step of a path does not exist, in the patch library's words."""


def _parts(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _key(path: str) -> str:
    return _parts(path)[-1]


def _holder(document: Any, path: str) -> dict[str, Any] | list[Any] | None:
    """The object or array that has (or would have) the last part of `path`."""
    parts = _parts(path)
    if not parts:
        return None
    here = document
    for part in parts[:-1]:
        try:
            here = _get(here, part)
        except _KeyError:
            return None
        if not isinstance(here, dict | list):
            return None
    return here if isinstance(here, dict | list) else None


def _index(items: list[Any], key: str, size: int) -> int:
    if not _INTEGER.match(key):
        raise _KeyError(f'strconv.Atoi: parsing "{key}": invalid syntax')
    index = int(key)
    if index >= size or index < -size:
        raise _KeyError(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + size if index < 0 else index


def _get(holder: Any, key: str) -> Any:
    if isinstance(holder, list):
        return holder[_index(holder, key, len(holder))]
    return holder.get(key)


def _with(holder: Any, key: str, value: Any, insert: bool) -> Any:
    if isinstance(holder, dict):
        return {**holder, key: value}
    if not insert:
        index = _index(holder, key, len(holder))
        return [*holder[:index], value, *holder[index + 1 :]]
    if key == "-":
        return [*holder, value]
    if not _INTEGER.match(key):
        raise _KeyError(f"value was not a proper array index: '{key}': strconv.Atoi: parsing \"{key}\": invalid syntax")
    index = _index(holder, key, len(holder) + 1)
    return [*holder[:index], value, *holder[index:]]


def _without(holder: Any, key: str) -> Any:
    if isinstance(holder, list):
        index = _index(holder, key, len(holder))
        return [*holder[:index], *holder[index + 1 :]]
    if key not in holder:
        raise _KeyError(f"Unable to remove nonexistent key: {key}: missing value")
    return {name: value for name, value in holder.items() if name != key}


def _changed(document: Any, path: str, change: Any) -> Any:
    """A copy of `document` along `path`, with the last holder replaced by `change(holder)`."""

    def step(here: Any, parts: list[str]) -> Any:
        if len(parts) == 1:
            return change(here)
        return _with(here, parts[0], step(_get(here, parts[0]), parts[1:]), insert=False)

    return step(document, _parts(path))
