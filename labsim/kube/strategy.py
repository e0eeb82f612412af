"""What a kind adds to the generic API server: defaults, lifecycle of a write, validation, field selectors, table cells.

One file a kind under `labsim/kube/strategies/` subclasses Strategy; `strategies/__init__.py` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labsim.kube.errors import FieldError
from labsim.kube.objects import Object, get_in, name_of, namespace_of
from labsim.kube.scheme import Resource
from labsim.kube.tables import DEFAULT, Column, Table

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer
    from labsim.kube.schema import TypeRef
    from labsim.kube.store import Index


@dataclass(slots=True)
class Request:
    """What a strategy may need to know about the write it is part of."""

    api: APIServer
    user: str
    subresource: str = ""
    dry_run: bool = False
    warnings: list[str] = field(default_factory=list)
    updating: bool = False

    @property
    def trusted(self) -> bool:
        """A component of the cluster, whose objects come from Go types; the set-up identity writes as a person does."""
        return self.user.startswith("system:") and not self.user.startswith("system:labsim:")


class Strategy:
    """Defaults serve kinds without behaviour. All methods are pure: they return new objects."""

    table: Table = DEFAULT
    # Extra field selectors beyond metadata.name and metadata.namespace.
    fields: Mapping[str, Callable[[Object], str]] = {}
    indexes: Mapping[str, Index] = {}
    # metadata.generation is kept and raised when the spec changes.
    has_generation: bool = False
    # PUT of an absent object creates it.
    creates_on_update: bool = False
    # Told of every change of an object of this kind, undo and load included: (before, after).
    on_change: Callable[[Object | None, Object | None], None] | None = None

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    @property
    def has_status(self) -> bool:
        """The status is a subtree that only the status subresource writes."""
        return "status" in self.resource.subresources

    @property
    def storage(self) -> str:
        """The resource under which objects are kept; another kind's for a second view of it."""
        return self.resource.key

    def to_stored(self, obj: Object) -> Object:
        """From this view to the form that is kept; `render` is the way back."""
        return obj

    def computed(self, api: APIServer, namespace: str) -> list[Object] | None:
        """The objects of a kind that is worked out when read (metrics); None for kinds that are stored."""
        return None

    def answer(self, obj: Object, request: Request) -> Object | None:
        """The reply of a kind that is only asked (reviews); None for kinds that are stored."""
        return None

    @cached_property
    def type(self) -> TypeRef | None:
        """The API type; None for hidden kinds and for those that are not in the published document.

        Read when first needed: a line that only looks does not pay for the schema.
        """
        from labsim.kube.schema import load

        return load().for_gvk(self.resource.group, self.resource.version, self.resource.kind)

    def default(self, obj: Object) -> Object:
        """Fill in API defaults; idempotent."""
        return obj

    def prepare_create(self, obj: Object, request: Request) -> Object:
        """Drop what a client may not set and add what the server sets (after defaulting, before admission)."""
        return {k: v for k, v in obj.items() if k != "status"} if self.has_status else obj

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        """Keep from `old` what this (sub)resource may not change."""
        if not self.has_status:
            return new
        if request.subresource == "status":
            kept = {**old, "metadata": new["metadata"]}
            if "status" in new:
                kept["status"] = new["status"]
            else:
                kept.pop("status", None)
            return kept
        kept = {k: v for k, v in new.items() if k != "status"}
        if "status" in old:
            kept["status"] = old["status"]
        return kept

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return []

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        """Errors beyond those of `validate(new)`; immutable fields belong here."""
        return []

    def delete_grace(self, obj: Object, seconds: int | None) -> int:
        """Seconds to wait before the object goes; 0 = at once. Only pods have a grace period."""
        return 0

    def holds(self, obj: Object) -> bool:
        """Something other than metadata.finalizers keeps a deleted object (a namespace's content)."""
        return False

    def deleting(self, obj: Object) -> Object:
        """Marks of a deletion beside those in metadata."""
        return obj

    def warn(self, new: Object, old: Object | None) -> list[str]:
        """Texts for Warning headers."""
        return []

    def after_create(self, obj: Object, request: Request) -> None:
        """A hook for what must exist beside a new object (ClusterIP allocation, default service accounts ...)."""

    def render(self, obj: Object, api: APIServer) -> Object:
        """What only shows that time passes (heartbeats, lease renewals), filled in when read."""
        return obj

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns

    def cells(self, obj: Object, now: int) -> Sequence[Any]:
        """The Table cells of one object, one a column. `now` in ms."""
        return self.table.cells(obj, now)

    def field_value(self, obj: Object, path: str) -> str | None:
        """The value a field selector compares, or None when this kind has no such selector."""
        if path == "metadata.name":
            return name_of(obj)
        if path == "metadata.namespace" and self.resource.namespaced:
            return namespace_of(obj)
        getter = self.fields.get(path)
        return getter(obj) if getter is not None else None


def field_path(*path: str, default: str = "") -> Callable[[Object], str]:
    """A getter for `Strategy.fields`: the value at the path as text."""

    def read(obj: Object) -> str:
        value = get_in(obj, *path, default=default)
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    return read
