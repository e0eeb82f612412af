"""From a request's body to an object of the served version: type checks, canonical quantities, strict decoding.

Source: apiserver endpoints/handlers (transformDecodeError), sigs.k8s.io/json, apimachinery runtime/serializer/json.
"""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.gofmt import quote
from labsim.kube.objects import Object
from labsim.kube.quantity import canonical
from labsim.kube.schema import TypeRef
from labsim.kube.schema.decode import prune, strict_errors, strict_message, type_errors
from labsim.kube.scheme import Resource
from labsim.kube.strategy import Request

# Fields without omitempty: null is how they look when unset.
_NULL_KEPT = frozenset({"lastProbeTime", "eventTime"})


def decode(res: Resource, body: Any, field_validation: str, request: Request) -> Object:
    """The object with its apiVersion and kind. `field_validation` is "" (as Warn), Ignore, Warn or Strict.

    Bodies of components come from Go types and are not checked again when they only update.
    """
    if not isinstance(body, dict):
        raise errors.bad_request("couldn't get version/kind; json parse error: the body is not a JSON object")
    kind, version = body.get("kind") or res.kind, body.get("apiVersion") or res.api_version
    if kind != res.kind:
        plain = str(version).rpartition("/")[2]
        raise errors.bad_request(f"{kind} in version {quote(plain)} cannot be handled as a {res.kind}")
    if version != res.api_version:
        raise errors.bad_request(
            f"the API version in the data ({version}) does not match the expected API version ({res.api_version})"
        )
    obj: Object = {**body, "apiVersion": res.api_version, "kind": res.kind}
    ref = request.api.strategies[res.key].type
    if ref is None or (request.trusted and request.updating):
        return obj
    what = f"{res.kind} in version {quote(res.version)} cannot be handled as a {res.kind}"
    if not res.custom and (found := type_errors(ref, obj)):
        raise errors.bad_request(f"{what}: {found[0]}")
    unknown = strict_errors(ref, obj) if field_validation != "Ignore" else []
    if unknown and field_validation == "Strict":
        raise errors.bad_request(f"{what}: {strict_message(unknown)}")
    request.warnings.extend(unknown)
    obj = prune(ref, obj)
    if res.custom:
        return obj
    try:
        read: Object = _read(obj, ref)
    except ValueError as error:  # a quantity that is none
        raise errors.bad_request(f"{what}: {error}") from None
    return read


def _read(value: Any, ref: TypeRef) -> Any:
    """As the Go type gives it back: canonical quantities, no nulls, no empty maps or lists that have omitempty."""
    kind = ref.kind
    if kind == "quantity":
        return canonical(str(value).strip())
    if isinstance(value, dict) and kind in ("object", "map"):
        return _read_map(value, ref, kind == "map")
    if isinstance(value, list) and kind == "array":
        item = ref.items()
        if item is None:
            return value
        # null in a list of structs is an empty struct
        return [_read({} if v is None and item.kind == "object" else v, item) for v in value]
    return "" if value is None and kind == "string" else value


def _read_map(value: Object, ref: TypeRef, is_map: bool) -> Object:
    required = frozenset(ref.required)
    out: Object = {}
    for key, item in value.items():
        part = ref.field(key)
        if part is None:
            out[key] = item
        elif item is None and not is_map:
            if key in _NULL_KEPT:
                out[key] = None
        else:
            read = _read(item, part)
            if is_map or read or key in required or part.kind not in ("map", "array"):
                out[key] = read
    return out
