"""Bodies as they come over the wire: JSON, YAML or protobuf, to plain values. Whatever is wrong with one is a 4xx."""

from __future__ import annotations

import json
from typing import Any

from labsim.kube.errors import ApiError, bad_request, unsupported_media_type
from labsim.kube.rest import protobuf

# apiserver config.go: MaxRequestBodyBytes.
MAX_BYTES = 3 * 1024 * 1024
# Go's decoder stops at 10,000 levels; no schema of Kubernetes comes near this one.
MAX_DEPTH = 100
JSON = "application/json"


def too_large() -> ApiError:
    return ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {MAX_BYTES}")


def parse(raw: bytes, content_type: str) -> Any:
    """The value of a body; None for an empty one. Raises 400, 413 or 415."""
    if len(raw) > MAX_BYTES:
        raise too_large()
    if not raw:
        return None
    kind = content_type.split(";")[0].strip().lower()
    if kind == "application/vnd.kubernetes.protobuf":
        value: Any = protobuf.decode(raw)
    else:
        text = _text(raw)
        if kind.endswith("yaml"):
            value = _yaml(text)
        elif kind in ("", JSON) or kind.endswith("+json"):
            value = _json(text)
        else:
            raise unsupported_media_type(
                "the body of the request was in an unknown format - accepted media types include: "
                "application/json, application/yaml, application/vnd.kubernetes.protobuf"
            )
    value = _plain(value, 0)
    if isinstance(value, dict):
        check_metadata(value)
    return value


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise bad_request("the request body is not valid UTF-8") from None


def _json(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(f"invalid character '{constant[0]}' looking for beginning of value")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise bad_request("json: exceeded max depth") from None
    except ValueError as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {_one_line(error)}") from None


def _yaml(text: str) -> Any:
    from labsim.kube.codec import load

    try:
        return load(text)
    except RecursionError:
        raise bad_request("yaml: exceeded max depth") from None
    except ValueError as error:
        raise bad_request(f"error decoding YAML: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _plain(value: Any, depth: int) -> Any:
    """The value with lone surrogates replaced as Go's decoder does; too deep or infinite ones are refused."""
    if depth > MAX_DEPTH:
        raise bad_request("json: exceeded max depth")
    if isinstance(value, dict):
        return {_whole(str(key)): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise bad_request("json: cannot unmarshal number into Go value: value out of range")
    return value


def _whole(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("�" if 0xD800 <= ord(char) < 0xE000 else char for char in text)
    return text


_STRINGS = ("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink", "creationTimestamp")
_MAPS = ("labels", "annotations")
_LISTS = ("finalizers", "ownerReferences", "managedFields")


def check_metadata(obj: dict[str, Any]) -> None:
    """ObjectMeta is typed for every kind, custom ones too: raises 400 for a value of another type in it."""
    metadata = obj.get("metadata")
    if metadata is None:
        return
    if not isinstance(metadata, dict):
        raise _wrong(metadata, "metadata", "ObjectMeta")
    for key in _STRINGS:
        if not isinstance(metadata.get(key, ""), str | None):
            raise _wrong(metadata[key], f"metadata.{key}", "string")
    for key in _MAPS:
        found = metadata.get(key)
        if found is not None and not isinstance(found, dict):
            raise _wrong(found, f"metadata.{key}", "map[string]string")
        for name, value in (found or {}).items():
            # null in a patch takes the key away
            if not isinstance(value, str | None):
                raise _wrong(value, f"metadata.{key}.{name}", "string")
    for key in _LISTS:
        found = metadata.get(key)
        inner = str if key == "finalizers" else dict
        if found is not None and not (isinstance(found, list) and all(isinstance(item, inner) for item in found)):
            raise _wrong(found, f"metadata.{key}", "[]" + ("string" if inner is str else "object"))


def _wrong(value: Any, field: str, wanted: str) -> ApiError:
    names = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    found = names.get(type(value), "null")
    return bad_request(f"json: cannot unmarshal {found} into Go struct field ObjectMeta.{field} of type {wanted}")
