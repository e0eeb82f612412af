"""Custom resources and the definitions that bring them (apiextensions.k8s.io/v1; conversion strategy None only)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from labsim.kube.crdcleanup import FINALIZER
from labsim.kube.errors import FieldError, invalid_value, required
from labsim.kube.jsonpath import JSONPathError, Template
from labsim.kube.objects import Object, get_in, name_of, set_in
from labsim.kube.schema import TypeRef, load
from labsim.kube.schema.structural import apply_defaults, validate
from labsim.kube.scheme import ALL_VERBS, Resource
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategy import Request, Strategy
from labsim.kube.tables import DEFAULT, NAME, Column, Table, since
from labsim.sim.clock import rfc3339


def served_version(crd: Object) -> Object | None:
    """The version objects are served in: the storage version (there is no conversion), else the first one served."""
    versions = [v for v in get_in(crd, "spec", "versions", default=()) if v.get("served")]
    stored = [v for v in versions if v.get("storage")]
    found: Object | None = (stored or versions or [None])[0]
    return found


class CustomResources(Strategy):
    """One served kind of a CustomResourceDefinition."""

    has_generation = True

    def __init__(self, resource: Resource, version: Object) -> None:
        super().__init__(resource)
        self._schema: Object = get_in(version, "schema", "openAPIV3Schema", default={})
        self.scale: Object | None = get_in(version, "subresources", "scale")
        self.table = _table(version.get("additionalPrinterColumns") or ())
        self.fields = {
            str(f["jsonPath"]).removeprefix("."): _field(str(f["jsonPath"]))
            for f in version.get("selectableFields") or ()
        }

    @cached_property
    def custom_type(self) -> TypeRef:
        group = (self.resource.group, self.resource.version, self.resource.kind)
        found = load().with_crd(*group, self._schema).for_gvk(*group)
        assert found is not None
        return found

    @property
    def type(self) -> TypeRef:
        return self.custom_type

    def default(self, obj: Object) -> Object:
        filled_in: Object = apply_defaults(self.custom_type, obj)
        return filled_in

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        return validate(self.custom_type, obj)

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        """A status is checked when it is written; `validate` sees to all else."""
        if request.subresource != "status":
            return []
        return [e for e in validate(self.custom_type, new) if e.field.partition(".")[0] == "status"]


def _field(path: str) -> Any:
    parts = path.removeprefix(".").split(".")
    return lambda obj: str(get_in(obj, *parts, default=""))


def _table(declared: Sequence[Object]) -> Table:
    """Name and the declared columns; Name and Age where none are declared."""
    if not declared:
        return DEFAULT
    columns = [NAME]
    templates = []
    for column in declared:
        priority = 1 if int(column.get("priority") or 0) else 0
        columns.append(
            Column(column["name"], column["type"], column.get("format", ""), priority, column.get("description", ""))
        )
        templates.append((Template.parse("{" + column["jsonPath"] + "}"), column["type"]))

    def cells(obj: Object, now: int) -> list[Any]:
        return [name_of(obj), *(_cell(obj, template, kind, now) for template, kind in templates)]

    return Table(tuple(columns), cells)


def _cell(obj: Object, template: Template, kind: str, now: int) -> Any:
    """A missing value is an empty cell; a date is an age; a string cell joins several values with commas."""
    try:
        values = [value for row in template.find(obj) for value in row]
    except JSONPathError:
        return None
    if not values:
        return None
    if kind == "date":
        try:
            return since(str(values[0]), now) if values[0] else "<unknown>"
        except ValueError:
            return "<invalid>"
    if kind == "string":
        return ",".join(_text(v) for v in values)
    value = values[0]
    if kind == "integer":
        return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if kind == "number":
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str:
    from labsim.kube.codec import dump_compact

    if isinstance(value, str):
        return value
    return dump_compact(value)


class CustomResourceDefinitions(Strategy):
    has_generation = True

    def default(self, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        names = spec.get("names") or {}
        kind = str(names.get("kind", ""))
        names = filled(names, singular=kind.lower(), listKind=kind + "List") if kind else names
        spec = {**filled(spec, conversion={"strategy": "None"}), "names": names}
        return {**obj, "spec": spec}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        """The establishing controllers accept names at once."""
        now = rfc3339(request.api.now)
        spec = obj["spec"]
        conditions = [
            {
                "type": kind,
                "status": "True",
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
                "observedGeneration": 1,
            }
            for kind, reason, message in (
                ("NamesAccepted", "NoConflicts", "no conflicts found"),
                ("Established", "InitialNamesAccepted", "the initial names have been accepted"),
            )
        ]
        stored = [v["name"] for v in spec.get("versions") or () if v.get("storage")]
        status = {"conditions": conditions, "acceptedNames": spec["names"], "storedVersions": stored}
        return {**obj, "status": status}

    def deleting(self, obj: Object) -> Object:
        """Its objects go first; the finalizer is taken off when none is left."""
        held = list(get_in(obj, "metadata", "finalizers", default=()))
        return obj if FINALIZER in held else set_in(obj, ("metadata", "finalizers"), [*held, FINALIZER])

    def holds(self, obj: Object) -> bool:
        return not get_in(obj, "metadata", "deletionTimestamp")

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        spec = obj["spec"]
        found = [
            required(f"spec.{'.'.join(path)}")
            for path in (("group",), ("scope",), ("names", "plural"), ("names", "kind"))
            if not get_in(spec, *path)
        ]
        wanted = f"{get_in(spec, 'names', 'plural', default='')}.{spec.get('group', '')}"
        if name_of(obj) != wanted:
            found.append(invalid_value("metadata.name", name_of(obj), 'must be spec.names.plural+"."+spec.group'))
        if not spec.get("versions"):
            found.append(required("spec.versions", "must have at least one version"))
        elif sum(bool(v.get("storage")) for v in spec["versions"]) != 1:
            found.append(
                invalid_value(
                    "spec.versions", spec["versions"], "must have exactly one version marked as storage version"
                )
            )
        return found

    def observe(self, api: Any) -> None:
        """Serve what definitions say, however they come or go (writes, undo, load)."""

        def on_change(before: Object | None, after: Object | None) -> None:
            if before is not None and (after is None or before["spec"] != after["spec"]):
                key = f"{before['spec']['names']['plural']}.{before['spec']['group']}"
                if key in api.scheme:
                    api.uninstall(key)
            if after is None or (before is not None and before["spec"] == after["spec"]):
                return
            version = served_version(after)
            if version is not None:
                api.install(CustomResources(_resource(after, version), version))

        self.on_change = on_change


def _resource(crd: Object, version: Object) -> Resource:
    spec, names = crd["spec"], crd["spec"]["names"]
    subresources = version.get("subresources") or {}
    return Resource(
        spec["group"],
        version["name"],
        names["plural"],
        names.get("singular", ""),
        names["kind"],
        spec["scope"] == "Namespaced",
        tuple(names.get("shortNames") or ()),
        tuple(names.get("categories") or ()),
        ALL_VERBS,
        tuple(sorted(k for k in ("scale", "status") if subresources.get(k) is not None)),
        custom=True,
    )
