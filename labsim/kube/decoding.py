"""From a request's body to an object of the served version: type checks, canonical quantities, strict decoding.

Source: apiserver endpoints/handlers (transformDecodeError), sigs.k8s.io/json, apimachinery runtime/serializer/json.
"""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.gofmt import quote
from labsim.kube.objects import Object
from labsim.kube.quantity import canonical
from labsim.kube.schema import TypeRef, load
from labsim.kube.scheme import Resource
from labsim.kube.strategy import Request

# Fields without omitempty: null is how they look when unset.
_NULL_KEPT = frozenset({"lastProbeTime", "eventTime"})
_GO_KIND = {"integer": (int,), "number": (int, float), "string": (str,), "boolean": (bool,), "time": (str,)}


class _Mismatch(Exception):
    """The body cannot be read as the Go type."""


def decode(res: Resource, body: Any, field_validation: str, request: Request) -> Object:
    """The object with its apiVersion and kind. `field_validation` is "" (as Warn), Ignore, Warn or Strict.

    Bodies of components come from Go types and are not checked again when they only update.
    """
    if not isinstance(body, dict):
        raise errors.bad_request(
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {_json_kind(body)} into Go value of "
            'type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
        )
    kind, version = body.get("kind") or res.kind, body.get("apiVersion") or res.api_version
    if kind != res.kind or version != res.api_version:
        raise errors.bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({res.api_version})"
            if kind == res.kind
            else f"{kind} in version {quote(str(version).rpartition('/')[2])} cannot be handled as a {res.kind}: "
            f"converting ({kind}) to ({res.kind}): unknown conversion"
        )
    obj: Object = {**body, "apiVersion": res.api_version, "kind": res.kind}
    if res.hidden or (request.trusted and request.updating):
        return obj
    unknown: list[str] = []
    what = f"{res.kind} in version {quote(res.version)} cannot be handled as a {res.kind}"
    if res.custom:
        obj = request.api.strategies[res.key].prune(obj, unknown)
    else:
        ref = load().for_gvk(res.group, res.version, res.kind)
        if ref is None:
            return obj
        try:
            obj = _walk(obj, ref, "", "", res.kind, unknown)
        except _Mismatch as error:
            raise errors.bad_request(f"{what}: {error}") from None
    if unknown:
        texts = [f'unknown field "{path}"' for path in unknown]
        if field_validation == "Strict":
            raise errors.bad_request(f"{what}: strict decoding error: {', '.join(texts)}")
        if field_validation != "Ignore":
            request.warnings.extend(texts)
    return obj


def _json_kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    return "array" if isinstance(value, list) else "null"


def _go_type(ref: TypeRef) -> str:
    return "time.Time" if ref.kind == "time" else ref.go_type


def _refuse(value: Any, ref: TypeRef, plain: str, struct: str) -> _Mismatch:
    shown = _json_kind(value)
    if shown == "number" and isinstance(value, float):
        shown = f"number {value}"
    return _Mismatch(f"json: cannot unmarshal {shown} into Go struct field {struct}.{plain} of type {_go_type(ref)}")


def _walk(value: Any, ref: TypeRef, path: str, plain: str, struct: str, unknown: list[str]) -> Any:
    """`path` has list indexes (strict errors), `plain` has none and `struct` is the Go struct (type errors)."""
    kind = ref.kind
    if kind == "object":
        return _object(value, ref, path, plain, struct, unknown)
    if kind == "map":
        if not isinstance(value, dict):
            raise _refuse(value, ref, plain, struct)
        item = ref.values()
        if item is None:
            return value
        return {
            k: _walk(v, item, f"{path}.{k}" if path else k, plain, struct, unknown)
            for k, v in value.items()
            if v is not None or item.kind in ("string", "any")
        }
    if kind == "array":
        if not isinstance(value, list):
            raise _refuse(value, ref, plain, struct)
        item = ref.items()
        if item is None:
            return value
        return [_walk(v, item, f"{path}[{i}]", plain, struct, unknown) for i, v in enumerate(value)]
    if kind == "quantity":
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise _Mismatch(
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            )
        try:
            return canonical(str(value))
        except ValueError as error:
            raise _Mismatch(str(error)) from None
    wanted = _GO_KIND.get(kind)
    if value is None:
        return "" if kind == "string" else None
    if wanted is not None:
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            raise _refuse(value, ref, plain, struct)
    elif kind == "int-or-string" and (isinstance(value, bool) or not isinstance(value, (int, str))):
        raise _refuse(value, ref, plain, struct)
    return value


def _object(value: Any, ref: TypeRef, path: str, plain: str, struct: str, unknown: list[str]) -> Any:
    if not isinstance(value, dict):
        raise _refuse(value, ref, plain, struct)
    struct = ref.short_name or struct
    required = set(ref.required)
    out = {}
    for key, item in value.items():
        part = ref.field(key)
        here = f"{path}.{key}" if path else str(key)
        if part is None:
            if not ref.keeps_unknown:
                unknown.append(here)
                continue
            out[key] = item
            continue
        if item is None:
            if key in _NULL_KEPT:
                out[key] = None
            continue
        if not path and key in ("apiVersion", "kind"):
            out[key] = item
            continue
        decoded = _walk(item, part, here, f"{plain}.{key}" if plain else str(key), struct, unknown)
        if decoded in ({}, []) and part.kind in ("map", "array") and key not in required:
            continue  # omitempty
        out[key] = decoded
    return out
