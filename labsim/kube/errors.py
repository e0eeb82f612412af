"""API errors as v1 Status objects; the messages are the API server's (kubectl.md 4.9, rest-api.md 9.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class ApiError(Exception):
    """A request was refused. `code` is the HTTP status, `reason` a metav1.StatusReason ('' for none)."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.reason, self.message, self.details = code, reason, message, details or {}

    @property
    def status(self) -> dict[str, Any]:
        """The body that goes over the wire."""
        body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        body["message"] = self.message
        if self.reason:
            body["reason"] = self.reason
        if self.details:
            body["details"] = self.details
        body["code"] = self.code
        return body


@dataclass(frozen=True, slots=True)
class FieldError:
    """One cause of an Invalid: `kind` is a field.ErrorType such as FieldValueRequired, `text` what follows the path."""

    field: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.field}: {self.text}"


def required(field: str, detail: str = "") -> FieldError:
    return FieldError(field, "FieldValueRequired", "Required value" + (f": {detail}" if detail else ""))


def invalid_value(field: str, value: object, detail: str) -> FieldError:
    return FieldError(field, "FieldValueInvalid", f"Invalid value: {quote(value)}: {detail}")


def forbidden_field(field: str, detail: str) -> FieldError:
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {detail}")


def unsupported(field: str, value: object, allowed: Sequence[str]) -> FieldError:
    listed = ", ".join(f'"{a}"' for a in allowed)
    return FieldError(field, "FieldValueNotSupported", f"Unsupported value: {quote(value)}: supported values: {listed}")


def duplicate(field: str, value: object) -> FieldError:
    return FieldError(field, "FieldValueDuplicate", f"Duplicate value: {quote(value)}")


def field_not_found(field: str, value: object) -> FieldError:
    return FieldError(field, "FieldValueNotFound", f"Not found: {quote(value)}")


def quote(value: object) -> str:
    """Go's %#v as field.Error prints it: strings quoted, numbers bare, null, structs as JSON."""
    import json

    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None:
        return "null"
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def not_found(resource: str, name: str, group: str = "") -> ApiError:
    what = f"{resource}.{group}" if group else resource
    details = {"name": name, **({"group": group} if group else {}), "kind": resource}
    return ApiError(404, "NotFound", f'{what} "{name}" not found', details)


def no_such_path() -> ApiError:
    return ApiError(404, "NotFound", "the server could not find the requested resource")


def already_exists(resource: str, name: str, group: str = "") -> ApiError:
    what = f"{resource}.{group}" if group else resource
    details = {"name": name, **({"group": group} if group else {}), "kind": resource}
    return ApiError(409, "AlreadyExists", f'{what} "{name}" already exists', details)


def conflict(resource: str, name: str, detail: str, group: str = "") -> ApiError:
    what = f"{resource}.{group}" if group else resource
    details = {"name": name, **({"group": group} if group else {}), "kind": resource}
    message = f'Operation cannot be fulfilled on {what} "{name}": {detail}'
    return ApiError(409, "Conflict", message, details)


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def forbidden(resource: str, name: str, detail: str, group: str = "") -> ApiError:
    what = f"{resource}.{group}" if group else resource
    details = {"name": name, **({"group": group} if group else {}), "kind": resource}
    quoted = f' "{name}"' if name else ""
    return ApiError(403, "Forbidden", f"{what}{quoted} is forbidden: {detail}", details)


def invalid(kind: str, name: str, errors: Sequence[FieldError], group: str = "") -> ApiError:
    """422 with one cause a field error; several are joined in brackets (apimachinery errors.NewInvalid)."""
    what = f"{kind}.{group}" if group else kind
    texts: list[str] = []
    for error in errors:
        if str(error) not in texts:  # utilerrors.Aggregate prints equal messages once
            texts.append(str(error))
    joined = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    causes = [{"reason": e.kind, "message": e.text, "field": e.field} for e in errors]
    details = {"name": name, **({"group": group} if group else {}), "kind": kind, "causes": causes}
    return ApiError(422, "Invalid", f'{what} "{name}" is invalid: {joined}', details)


def bad_request(message: str) -> ApiError:
    return ApiError(400, "BadRequest", message)


def unsupported_media_type(message: str) -> ApiError:
    return ApiError(415, "UnsupportedMediaType", message)


def method_not_allowed(message: str = "the server does not allow this method on the requested resource") -> ApiError:
    return ApiError(405, "MethodNotAllowed", message)


def too_many_requests(message: str, causes: Sequence[dict[str, str]] = (), retry: int = 0) -> ApiError:
    details: dict[str, Any] = {}
    if causes:
        details["causes"] = list(causes)
    if retry:
        details["retryAfterSeconds"] = retry
    return ApiError(429, "TooManyRequests", message, details)


def gone(message: str) -> ApiError:
    return ApiError(410, "Expired", message)


def internal(message: str) -> ApiError:
    return ApiError(500, "InternalError", f"Internal error occurred: {message}")
