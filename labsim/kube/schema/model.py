"""Schema and TypeRef: walking the types of an object field by field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

DATA_FILE = "openapi-1.35.json.gz"

_FREE = {  # types that take any JSON although the document calls them objects, or says nothing
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1",
    "io.k8s.apimachinery.pkg.runtime.RawExtension",
}
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@dataclass(frozen=True, slots=True)
class FieldMeta:
    """How a strategic merge treats a field: `strategy` is "", merge or replace; `merge_key` of a list of maps."""

    strategy: str = ""
    merge_key: str = ""
    retain_keys: bool = False


class TypeRef:
    """A type as it stands at a field. `prop` is the field's own schema node, `node` the one it refers to."""

    __slots__ = ("name", "node", "prop", "schema")

    def __init__(self, schema: Schema, prop: Mapping[str, Any]) -> None:
        self.schema, self.prop = schema, prop
        self.name: str = prop.get("$ref", "")
        """The definition's full name (`io.k8s.api.core.v1.Pod`), "" for an inline type."""
        self.node: Mapping[str, Any] = schema.definitions[self.name] if self.name else prop

    @property
    def kind(self) -> str:
        """object, map, array, string, integer, number, boolean, int-or-string, quantity, time, or any."""
        node = self.node
        if self.name in _FREE:
            return "any"
        if self.name == _QUANTITY:
            return "quantity"
        if node.get("x-kubernetes-int-or-string") or node.get("format") == "int-or-string":
            return "int-or-string"
        kind = node.get("type", "any")
        if kind == "object" and "properties" not in node:
            return "map" if isinstance(node.get("additionalProperties"), dict) else "any"
        if kind == "any" and "properties" in node:
            return "object"
        if kind == "string" and self.name and node.get("format") == "date-time":
            return "time"
        return str(kind)

    @property
    def short_name(self) -> str:
        """`PodSpec` of `io.k8s.api.core.v1.PodSpec`."""
        return self.name.rpartition(".")[2]

    @property
    def go_type(self) -> str:
        """As Go's reflect prints it: `v1.PodSpec`, `[]string`, `int32`."""
        if "x-go-type" in self.prop:
            return str(self.prop["x-go-type"])
        kind = self.kind
        if self.name:
            package, _, name = self.name.rpartition(".")
            return f"{package.rpartition('.')[2]}.{name}"
        if kind == "array":
            item = self.items()
            return f"[]{item.go_type if item else 'interface {}'}"
        if kind == "map":
            value = self.values()
            return f"map[string]{value.go_type if value else 'interface {}'}"
        if kind in ("integer", "number"):
            known = str(self.node.get("format") or ("int64" if kind == "integer" else "double"))
            return "float64" if known == "double" else known
        if kind == "string" and self.node.get("format") == "byte":
            return "[]uint8"
        return {"boolean": "bool"}.get(kind, kind)

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = self.node.get("properties") or {}
        return found

    @property
    def required(self) -> Iterable[str]:
        found: Iterable[str] = self.node.get("required") or ()
        return found

    @property
    def keeps_unknown(self) -> bool:
        return bool(self.node.get("x-kubernetes-preserve-unknown-fields"))

    @property
    def embedded(self) -> bool:
        """A whole object inside an object: its apiVersion, kind and metadata are always known."""
        return bool(self.node.get("x-kubernetes-embedded-resource"))

    def field(self, name: str) -> TypeRef | None:
        """The type of a named field or of a map's value; None if the type has no such field."""
        prop = self.properties.get(name)
        if prop is not None:
            return TypeRef(self.schema, prop)
        return self.values()

    def values(self) -> TypeRef | None:
        """The type of a map's values, None if this is not a map of known values."""
        prop = self.node.get("additionalProperties")
        return TypeRef(self.schema, prop) if isinstance(prop, dict) else None

    def items(self) -> TypeRef | None:
        """The type of a list's elements."""
        prop = self.node.get("items")
        return TypeRef(self.schema, prop) if isinstance(prop, dict) else None

    def at(self, *path: str) -> TypeRef | None:
        """The type at a path of field names; lists are stepped into."""
        ref: TypeRef | None = self
        for name in path:
            while ref is not None and ref.kind == "array":
                ref = ref.items()
            ref = ref.field(name) if ref is not None else None
        return ref

    @property
    def meta(self) -> FieldMeta:
        """What this field's own node says about strategic merge."""
        words = str(self.prop.get("x-kubernetes-patch-strategy", "")).split(",")
        strategy = next((word for word in words if word and word != "retainKeys"), "")
        return FieldMeta(strategy, self.prop.get("x-kubernetes-patch-merge-key", ""), "retainKeys" in words)

    @property
    def list_type(self) -> str:
        """atomic, set or map: how server-side apply merges a list."""
        return str(self.prop.get("x-kubernetes-list-type") or self.node.get("x-kubernetes-list-type") or "atomic")

    @property
    def list_map_keys(self) -> list[str]:
        found = self.prop.get("x-kubernetes-list-map-keys") or self.node.get("x-kubernetes-list-map-keys") or []
        return list(found)

    @property
    def map_type(self) -> str:
        """granular or atomic: how server-side apply merges a map or object."""
        return str(self.prop.get("x-kubernetes-map-type") or self.node.get("x-kubernetes-map-type") or "granular")


class Schema:
    """Types by group, version and kind. Never changed: `with_crd` gives a new one that shares everything else."""

    def __init__(self, definitions: Mapping[str, Any], kinds: Mapping[tuple[str, str, str], Mapping[str, Any]]) -> None:
        self.definitions, self._kinds = definitions, kinds

    def for_gvk(self, group: str, version: str, kind: str) -> TypeRef | None:
        prop = self._kinds.get((group, version, kind))
        return TypeRef(self, prop) if prop is not None else None

    def for_object(self, obj: Mapping[str, Any]) -> TypeRef | None:
        """By the object's own apiVersion and kind."""
        group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
        return self.for_gvk(group, version, str(obj.get("kind", "")))

    def is_builtin(self, group: str, version: str, kind: str) -> bool:
        """Whether the kind has Go types in the server: only those take strategic merge patches."""
        return "$ref" in self._kinds.get((group, version, kind), {})

    @cached_property
    def gvks(self) -> list[tuple[str, str, str]]:
        return sorted(self._kinds)

    def merge_info(self, group: str, version: str, kind: str, path: Iterable[str]) -> FieldMeta | None:
        """The strategic merge metadata of the field at `path` (no list indexes), None if there is no such field."""
        ref = self.for_gvk(group, version, kind)
        found = ref.at(*path) if ref is not None else None
        return found.meta if found is not None else None

    def with_crd(self, group: str, version: str, kind: str, open_api: Mapping[str, Any]) -> Schema:
        """With a custom resource's `openAPIV3Schema`; apiVersion, kind and metadata are the server's own."""
        top = self.definitions["io.k8s.api.core.v1.Namespace"]["properties"]
        own = {name: dict(top[name]) for name in ("apiVersion", "kind", "metadata")}
        node = {**open_api, "type": "object", "properties": {**(open_api.get("properties") or {}), **own}}
        return Schema(self.definitions, {**self._kinds, (group, version, kind): node})


@lru_cache(maxsize=1)
def load() -> Schema:
    """The built-in kinds (about 8 ms, once)."""
    import gzip
    import json
    from importlib.resources import files

    data = json.loads(gzip.decompress(files(__package__).joinpath(DATA_FILE).read_bytes()))
    kinds = {}
    for api_version, names in data["kinds"].items():
        group, _, version = api_version.rpartition("/")
        for kind, name in names.items():
            kinds[group, version, kind] = {"$ref": name}
    return Schema(data["definitions"], kinds)
