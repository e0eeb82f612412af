"""From a ticket file to a compiled ticket: validated for every seed it is served with, kept as plain JSON data.

A compiled ticket is `{"source": <unrendered document>, "digest": <hash of the file>}`; `instance(compiled, seed)` draws
the parameters and renders it. Neither needs pydantic or YAML.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

from labsim.documents import Document, DocumentError, read, validation_error
from labsim.tickets.render import UnknownParam, draw, fill

Compiled = dict[str, Any]


def compile_ticket(path: Path) -> Compiled:
    """Read and validate. Raises DocumentError with file, line, field and what was expected."""
    document = read(path)
    seeds = _validate_frame(document)
    dumped: dict[str, Any] = {}
    for seed in seeds:
        dumped = _validate_rendered(document, seed)
    source = document.data
    # What defaults add is the same for every seed; the parts that parameters fill stay as they are written.
    return {"source": _with_defaults(source, dumped), "digest": digest(path.read_bytes()), "path": str(path)}


def digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _validate_frame(document: Document) -> list[int]:
    """`params` and `seeds` must be right before anything can be rendered."""
    from pydantic import ValidationError

    from labsim.tickets.schema import Param, Seeds

    data = document.data
    for name, param in (data.get("params") or {}).items():
        try:
            Param.model_validate(param)
        except ValidationError as error:
            raise document.error(("params", name), _first(error)) from None
        if not name.isidentifier():
            raise document.error(("params", name), "a name of letters, digits and underscores")
    if "seeds" not in data:
        raise DocumentError(document.file, 1, "seeds", "a value (this field is required)")
    try:
        seeds = Seeds.model_validate(data["seeds"])
    except ValidationError as error:
        raise document.error(("seeds",), _first(error)) from None
    return [*seeds.deployed, *seeds.exam_only]


def _first(error: Any) -> str:
    first = error.errors()[0]
    reason = str(first.get("ctx", {}).get("error", first["msg"]))
    place = ".".join(str(p) for p in first["loc"])
    return f"{place}: {reason}" if place else reason


def _validate_rendered(document: Document, seed: int) -> dict[str, Any]:
    from pydantic import ValidationError

    from labsim.tickets.schema import Ticket

    rendered = render(document.data, seed, document)
    try:
        ticket = Ticket.model_validate(rendered)
    except ValidationError as error:
        raise validation_error(Document(document.file, rendered, document.lines), error) from None
    return ticket.model_dump(by_alias=True, exclude_unset=False)


def render(source: dict[str, Any], seed: int, document: Document | None = None) -> dict[str, Any]:
    """The ticket of one seed: every `{{name}}` filled in (but for `params` itself)."""
    values = draw(str(source.get("id", "")), source.get("params") or {}, seed)
    rendered: dict[str, Any] = {}
    for key, part in source.items():
        try:
            rendered[key] = part if key in ("params", "seeds") else fill(part, values)
        except UnknownParam as error:
            if document is None:
                raise
            raise document.error(
                _where(part, str(error), (key,)), f"a known parameter, found {{{{{error}}}}}"
            ) from None
    return rendered


def _where(part: Any, slot: str, place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The place of the string that mentions an unknown parameter."""
    if isinstance(part, str):
        return place if "{{" in part and slot in part else ()
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        found = _where(value, slot, (*place, key))
        if found:
            return found
    return ()


def _with_defaults(source: Any, full: Any) -> Any:
    """`source` plus what the schema added; `full` is one rendered, validated dump of the same shape."""
    if isinstance(source, dict) and isinstance(full, dict):
        if any("{{" in str(key) for key in source):
            return source  # a mapping with keys of its own (devices, files) has no defaults
        merged = {k: _with_defaults(v, full.get(k)) for k, v in source.items()}
        for key, value in full.items():
            if key not in merged and not _unset_choice(source, full, key):
                merged[key] = value
        return merged
    if isinstance(source, list) and isinstance(full, list) and len(source) == len(full):
        return [_with_defaults(s, f) for s, f in zip(source, full)]
    if isinstance(source, str) and isinstance(full, dict) and full.get("line") is not None:
        return {"line": source}  # a bare line of a route
    return source


_CHOICES = (
    {
        "object", "objects", "allocatable", "mig", "pod_on", "log", "file", "answer", "history", "unchanged",
        "all", "any", "not",
    },
    {"line", "edit", "answer", "settle", "advance"},
    {"value", "choice", "range"},
)  # fmt: skip


def _unset_choice(source: dict[str, Any], full: dict[str, Any], key: str) -> bool:
    """In a mapping that takes exactly one of several keys, the unused ones are no defaults."""
    return any(key in choice and set(full) == choice for choice in _CHOICES)


def instance(compiled: Compiled, seed: int) -> dict[str, Any]:
    """The rendered ticket for a seed, with `seed` and `digest` added."""
    return {**render(compiled["source"], seed), "seed": seed, "digest": compiled["digest"]}
