"""Which resources exist: their names, scope and verbs. Custom resources join when their CRD is created."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Served to internal identities only; absent from discovery, completion and error texts (design.md 3).
HIDDEN_GROUPS = frozenset({"hardware.labsim", "runtime.labsim"})

READ = ("get", "list", "watch")
ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Resource:
    """One served resource. `key` (plural, or plural.group) is its name everywhere inside labsim."""

    group: str
    version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    subresources: tuple[str, ...] = ()
    custom: bool = False

    @property
    def key(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def hidden(self) -> bool:
        return self.group in HIDDEN_GROUPS


class Scheme:
    """The registry of resources. Iteration is in order of registration (discovery order)."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._by_key: dict[str, Resource] = {}
        self._by_plural: dict[str, str] = {}
        self._by_kind: dict[tuple[str, str], Resource] = {}
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        self._by_key[resource.key] = resource
        self._by_plural.setdefault(resource.plural, resource.key)
        self._by_kind[(resource.group, resource.kind)] = resource

    def remove(self, key: str) -> None:
        resource = self._by_key.pop(key)
        self._by_kind.pop((resource.group, resource.kind), None)
        if self._by_plural.get(resource.plural) == key:
            del self._by_plural[resource.plural]
            for other in self._by_key.values():
                self._by_plural.setdefault(other.plural, other.key)

    def find(self, name: str) -> Resource | None:
        """By key ("deployments.apps") or bare plural ("deployments"; the first registered group wins)."""
        return self._by_key.get(name) or self._by_key.get(self._by_plural.get(name, ""))

    def for_kind(self, api_version: str, kind: str) -> Resource | None:
        """The resource of an object's apiVersion and kind; None when that version is not served."""
        group, _, version = api_version.rpartition("/")
        resource = self._by_kind.get((group, kind))
        return resource if resource is not None and resource.version == version else None

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_key.values())

    def __contains__(self, key: str) -> bool:
        return key in self._by_key
