"""CustomResourceDefinitions and the kinds they define: a definition in the store is a kind that is served.

Source: apiextensions-apiserver of 1.35 (defaults, conditions, table converter).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from labsim.kube.objects import Object, get_in, name_of
from labsim.kube.scheme import Resource
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategy import Request, Strategy
from labsim.kube.tables import DEFAULT, NAME, Column, Table, since
from labsim.sim.clock import rfc3339

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"


class Custom(Strategy):
    """An object of a defined kind."""

    has_generation = True


class Definitions(Strategy):
    has_generation = True

    def default(self, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        names = dict(spec.get("names") or {})
        kind = str(names.get("kind", ""))
        names = filled(names, singular=kind.lower(), listKind=kind + "List")
        return {**obj, "spec": filled({**spec, "names": names}, conversion={"strategy": "None"})}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        now = rfc3339(request.api.now)

        def condition(kind: str, reason: str, message: str) -> Object:
            return {
                "lastTransitionTime": now,
                "message": message,
                "reason": reason,
                "status": "True",
                "type": kind,
            }

        versions = [v["name"] for v in get_in(obj, "spec", "versions", default=()) if v.get("storage")]
        status = {
            "acceptedNames": get_in(obj, "spec", "names"),
            "conditions": [
                condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
            ],
            "storedVersions": versions,
        }
        return {**obj, "status": status}


def serve(api: APIServer) -> None:
    """Serve what the stored definitions define, from now on."""

    def changed(before: Object | None, after: Object | None) -> None:
        if before is not None and get_in(before, "spec") == get_in(after, "spec"):
            return
        resource = defined(after or before or {})
        if resource is None:
            return
        if after is None:
            api.scheme.remove(resource.key)
            api.strategies.pop(resource.key, None)
            return
        strategy = Custom(resource)
        strategy.table = printer(after)
        api.scheme.add(resource)
        api.strategies[resource.key] = strategy

    api.store.observers[DEFINITIONS] = changed


def served_version(definition: Mapping[str, Any]) -> Object | None:
    """The storage version, the only one served here."""
    versions: Sequence[Object] = get_in(definition, "spec", "versions", default=())
    return next((v for v in versions if v.get("storage") and v.get("served")), None)


def defined(definition: Mapping[str, Any]) -> Resource | None:
    version = served_version(definition)
    if version is None:
        return None
    spec = definition["spec"]
    names = spec["names"]
    return Resource(
        group=str(spec["group"]),
        version=str(version["name"]),
        plural=str(names["plural"]),
        singular=str(names.get("singular", "")),
        kind=str(names["kind"]),
        namespaced=spec.get("scope") == "Namespaced",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=tuple(sorted(version.get("subresources") or ())),
        custom=True,
    )


def printer(definition: Mapping[str, Any]) -> Table:
    """The table of additionalPrinterColumns: missing values print empty, dates as an age, all else as it is."""
    rows = (served_version(definition) or {}).get("additionalPrinterColumns")
    if not rows:
        return DEFAULT
    columns = (
        NAME,
        *(
            Column(r["name"], r["type"], r.get("format", ""), int(r.get("priority", 0)), r.get("description", ""))
            for r in rows
        ),
    )

    def cells(obj: Object, now: int) -> list[Any]:
        return [name_of(obj), *(_cell(obj, str(r["jsonPath"]), str(r["type"]), now) for r in rows)]

    return Table(columns, cells)


def _cell(obj: Object, path: str, kind: str, now: int) -> Any:
    value = get_in(obj, *path.lstrip(".").split("."))
    if value is None:
        return None if kind in ("integer", "number", "boolean") else ""
    if kind == "date":
        return since(str(value), now)
    return value if kind in ("integer", "number", "boolean") else str(value)
