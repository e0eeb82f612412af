"""Requests that read objects: items and lists, as JSON, Table or metadata only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labsim.kube.client import Client
from labsim.kube.errors import ApiError, bad_request, method_not_allowed
from labsim.kube.objects import Object
from labsim.kube.rest.paths import Target
from labsim.kube.rest.writes import listed, typed
from labsim.kube.watch import Watch

OBJECT, TABLE, METADATA = "object", "table", "metadata"
_META = ("meta.k8s.io/v1", "PartialObjectMetadata")


def form(accept: str) -> str:
    """What a client can take, the first that labsim has: OBJECT, TABLE or METADATA. Raises 406."""
    for part in accept.split(",") if accept.strip() else ["*/*"]:
        media, *parameters = (word.strip() for word in part.split(";"))
        if media not in ("application/json", "application/*", "*/*"):
            continue
        wanted = dict(p.split("=", 1) for p in parameters if "=" in p)
        kind = wanted.get("as", "")
        if not kind:
            return OBJECT
        if wanted.get("g") == "meta.k8s.io" and wanted.get("v") == "v1":
            if kind == "Table":
                return TABLE
            if kind in ("PartialObjectMetadata", "PartialObjectMetadataList"):
                return METADATA
    raise ApiError(406, "NotAcceptable", "only the following media types are accepted: application/json")


@dataclass(frozen=True)
class Shape:
    """How objects of one resource are shown to one client."""

    client: Client
    target: Target
    form: str
    include: str = "Metadata"

    @property
    def key(self) -> str:
        return self.target.resource.key

    def _table(self, objects: list[Object]) -> Object:
        res = self.target.resource
        version = str(self.client.api.store.journal.revision)
        shown = [typed(res, obj) for obj in objects]
        return self.client.api.table(self.client.user, self.key, shown, include=self.include, version=version)

    def item(self, obj: Object) -> Object:
        if self.form == TABLE:
            return self._table([obj])
        if self.form == METADATA:
            return {"kind": _META[1], "apiVersion": _META[0], "metadata": obj.get("metadata") or {}}
        return typed(self.target.resource, obj)

    def list(self, objects: list[Object]) -> Object:
        if self.form == TABLE:
            return self._table(objects)
        body = listed(self.client, self.target.resource, objects)
        if self.form == METADATA:
            items = [{"metadata": obj.get("metadata") or {}} for obj in objects]
            return {**body, "kind": f"{_META[1]}List", "apiVersion": _META[0], "items": items}
        return body

    def event(self, kind: str, obj: Object, first: bool) -> Object:
        """One event of a watch; a Table has its columns only in the first (rest-api.md 2)."""
        if kind == "BOOKMARK":
            body = obj if self.form == OBJECT else self._bookmark(obj)
        else:
            body = self.item(obj)
            if self.form == TABLE and not first:
                body = {**body, "columnDefinitions": None}
        return {"type": kind, "object": body}

    def _bookmark(self, obj: Object) -> Object:
        kind, version = ("Table", "meta.k8s.io/v1") if self.form == TABLE else (_META[1], _META[0])
        body: Object = {"kind": kind, "apiVersion": version, "metadata": obj["metadata"]}
        return {**body, "columnDefinitions": None, "rows": []} if self.form == TABLE else body


def shape(client: Client, target: Target, accept: str, query: dict[str, str]) -> Shape:
    include = query.get("includeObject", "Metadata")
    if include not in ("None", "Metadata", "Object"):
        raise bad_request(f"unrecognized includeObject value: {include!r}")
    return Shape(client, target, form(accept), include)


def selectors(query: dict[str, str]) -> dict[str, str]:
    """kr8s ends a field selector with a comma (rest-api.md 5.10)."""
    return {
        "label_selector": query.get("labelSelector", ""),
        "field_selector": query.get("fieldSelector", "").strip(","),
    }


def read(client: Client, target: Target, accept: str, query: dict[str, str]) -> Any:
    """The body of a GET that is neither a watch nor a log."""
    res = target.resource
    shown = shape(client, target, accept, query)
    if target.sub in ("eviction", "binding", "token", "proxy", "portforward", "exec", "attach", "finalize"):
        raise method_not_allowed()
    if target.sub == "scale":
        return client.get_scale(res.key, target.name, target.namespace)
    if target.name:
        return shown.item(client.get(res.key, target.name, target.namespace))
    _version(query)
    return shown.list(client.list(res.key, target.namespace, **selectors(query)))


def _version(query: dict[str, str]) -> str:
    version = query.get("resourceVersion", "")
    if version and not (version.isascii() and version.isdecimal() and len(version) < 20):
        raise bad_request(
            f'resourceVersion: Invalid value: "{version}": strconv.ParseUint: parsing "{version}": invalid syntax'
        )
    return version


def open_watch(client: Client, target: Target, query: dict[str, str]) -> Watch:
    """A watch of a collection, or of one name (`fieldSelector=metadata.name=`). Raises 400, 405, 410."""
    chosen = selectors(query)
    if target.name:
        chosen["field_selector"] = f"metadata.name={target.name}"
    return Watch(
        client.api, client.user, target.resource.key, target.namespace, **chosen, since=_version(query),
        initial_events=query.get("sendInitialEvents") in ("true", "1"),
    )  # fmt: skip
