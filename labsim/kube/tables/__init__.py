"""Server-side Tables (meta.k8s.io/v1): what `kubectl get` prints is decided here, one module a family of kinds.

Source of columns and cells: kubernetes pkg/printers/internalversion/printers.go of 1.35 (kubectl.md 1.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labsim.kube.duration import human_duration
from labsim.kube.matching import selector_text
from labsim.kube.objects import Object, get_in, meta, name_of
from labsim.sim.clock import parse_time

NONE, UNKNOWN, UNSET = "<none>", "<unknown>", "<unset>"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a server-side Table; priority 1 shows with `-o wide` only."""

    name: str
    type: str = "string"
    format: str = ""
    priority: int = 0
    description: str = ""


Cells = Callable[[Object, int], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """`cells(object, now in ms)` gives one cell a column."""

    columns: tuple[Column, ...]
    cells: Cells


NAME, AGE = Column("Name", format="name"), Column("Age")


def columns(shown: str, wide: str = "") -> tuple[Column, ...]:
    """Columns from heads separated by commas; the first one is the object's name. `:int` gives the type."""

    def column(text: str, priority: int) -> Column:
        name, _, kind = text.strip().partition(":")
        if name == "Name":
            return NAME
        return Column(name, {"int": "integer", "bool": "boolean"}.get(kind, "string"), priority=priority)

    found = [column(text, 0) for text in shown.split(",")]
    return (*found, *(column(text, 1) for text in wide.split(",") if text))


def table(shown: str, wide: str = "") -> Callable[[Cells], Table]:
    """Decorator: the function below gives the cells of these columns."""
    return lambda cells: Table(columns(shown, wide), cells)


def age(obj: Object, now: int) -> str:
    """Time since metadata.creationTimestamp as HumanDuration, `<unknown>` when unset (kubectl.md 2)."""
    return since(meta(obj).get("creationTimestamp"), now)


def since(stamp: str | None, now: int) -> str:
    """Time since an RFC 3339 stamp as HumanDuration; `<unknown>` when there is none."""
    if not stamp:
        return UNKNOWN
    return human_duration((now - parse_time(stamp)) // 1000)


def created_at(obj: Object) -> str:
    return str(meta(obj).get("creationTimestamp") or UNKNOWN)


def containers(spec: Object | None) -> tuple[str, str]:
    """Names and images of a pod template's containers, comma-joined."""
    found = (spec or {}).get("containers") or ()
    return ",".join(c.get("name", "") for c in found), ",".join(c.get("image", "") for c in found)


def selector(value: Mapping[str, Any] | None) -> str:
    return selector_text(value) or NONE


def label_text(labels: Mapping[str, str] | None) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted((labels or {}).items())) or NONE


def joined(values: Iterable[Any], empty: str = NONE, most: int = 0) -> str:
    """Comma-joined; beyond `most`, `+ N more...`."""
    values = [str(v) for v in values]
    if most and len(values) > most:
        return ",".join(values[:most]) + f" + {len(values) - most} more..."
    return ",".join(values) or empty


def number(obj: Object, *path: str) -> int:
    return int(get_in(obj, *path, default=0))


DEFAULT = Table((NAME, AGE), lambda obj, now: [name_of(obj), age(obj, now)])
CREATED = Table((NAME, Column("Created At")), lambda obj, now: [name_of(obj), created_at(obj)])
