"""Protobuf bodies to plain objects, by the table of `messages` (rest-api.md 5.1). Kinds not in it are a 415."""

from __future__ import annotations

import base64
from typing import Any

from labsim.kube.errors import ApiError, bad_request, unsupported_media_type
from labsim.kube.rest.messages import MESSAGES

MAGIC = b"k8s\x00"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE = {"s": _BYTES, "y": _BYTES, "i": _VARINT, "b": _VARINT}
# Values that are absent in JSON: proto2 sends Go's empty strings as present fields.
_EMPTY: tuple[Any, ...] = ("", None)


class _MalformedError(Exception):
    pass


def decode(raw: bytes) -> dict[str, Any]:
    """The object in the envelope of `raw`. Raises 415 for a kind that is not in the table, 400 for broken bytes."""
    if not raw.startswith(MAGIC):
        raise bad_request("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = _fields(raw[len(MAGIC) :])
        head = _fields(_one(envelope, 1))
        api_version, kind = _one(head, 1).decode(), _one(head, 2).decode()
        if kind not in MESSAGES:
            raise _unknown(kind)
        found: dict[str, Any] = _message(kind, _one(envelope, 2), 0)
    except (_MalformedError, UnicodeDecodeError):
        raise bad_request("unable to decode the protobuf body of the request") from None
    return {"apiVersion": api_version, "kind": kind, **found}


def _unknown(kind: str) -> ApiError:
    return unsupported_media_type(
        f"the body of the request was in an unknown format - labsim reads {kind or 'this kind'} as JSON or YAML only"
    )


def _one(fields: dict[int, list[Any]], number: int) -> bytes:
    found = fields.get(number, [b""])[-1]
    if not isinstance(found, bytes):
        raise _MalformedError
    return found


def _fields(data: bytes) -> dict[int, list[Any]]:
    out: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        value: Any
        if wire == _VARINT:
            value, at = _varint(data, at)
        else:
            if wire == _BYTES:
                size, at = _varint(data, at)
            elif wire in (_FIXED64, _FIXED32):
                size = 8 if wire == _FIXED64 else 4
            else:
                raise _MalformedError
            value = data[at : at + size]
            if len(value) < size:
                raise _MalformedError
            at += size
        out.setdefault(number, []).append(value)
    return out


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
    raise _MalformedError


def _message(name: str, data: bytes, depth: int) -> Any:
    if depth > 40:
        raise _MalformedError
    fields = _fields(data)
    if name == "Quantity":
        return _one(fields, 1).decode()
    if name == "IntOrString":
        text = fields.get(1, [0])[0] == 1
        return _one(fields, 3).decode() if text else _scalar("i", fields.get(2, [0])[0], depth)
    out: dict[str, Any] = {}
    for number, (key, kind) in MESSAGES[name].items():
        if number not in fields:
            continue
        values = fields[number]
        if kind[0] == "%":
            out[key] = {}
            for entry in values:
                if not isinstance(entry, bytes):
                    raise _MalformedError
                pair = _fields(entry)
                out[key][_one(pair, 1).decode()] = _scalar(kind[1:], _one(pair, 2), depth)
        elif kind[0] == "*":
            out[key] = [_scalar(kind[1:], value, depth) for value in values]
        else:
            value = _scalar(kind, values[-1], depth)
            if value not in _EMPTY:
                out[key] = value
    return out


def _scalar(kind: str, value: Any, depth: int) -> Any:
    if isinstance(value, bytes) != (_WIRE.get(kind, _BYTES) == _BYTES):
        raise _MalformedError
    if kind == "s":
        return value.decode()
    if kind == "b":
        return bool(value)
    if kind == "i":
        return value - (1 << 64) if value >= 1 << 63 else value
    if kind == "y":
        return base64.b64encode(value).decode()
    return _message(kind, value, depth + 1)
