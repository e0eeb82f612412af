"""Requests that write, carried out with a client. A request is plain data, so that a lab can keep and replay it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from labsim.kube import subresources
from labsim.kube.client import Client
from labsim.kube.errors import ApiError, bad_request, method_not_allowed, unsupported_media_type
from labsim.kube.objects import Object, get_in, meta
from labsim.kube.patching import MEDIA_TYPES
from labsim.kube.rest.paths import Target, find
from labsim.kube.scheme import Resource

PATCHES = {media: kind for kind, media in MEDIA_TYPES.items()} | {"application/apply-patch+cbor": ""}
# Stores whose ReturnDeletedObject is set answer a delete with the object, the others with a Status.
_RETURNED = (
    "pods", "services", "serviceaccounts", "persistentvolumes", "persistentvolumeclaims", "resourcequotas",
    "podtemplates",
)  # fmt: skip
_CALLS = ("exec", "attach", "portforward", "proxy", "token", "log")


@dataclass(frozen=True)
class Answer:
    """What a request is answered: an HTTP code, a JSON body and the texts of its Warning headers."""

    code: int
    body: Object
    warnings: list[str] = field(default_factory=list)


def refusal(error: ApiError) -> Answer:
    return Answer(error.code, error.status)


def changes(client: Client, entry: dict[str, Any]) -> bool:
    """Whether a request can change the store: dry runs, reviews and calls (exec ...) cannot. Raises 404."""
    if entry["query"].get("dryRun"):
        return False
    body = entry["body"]
    options = get_in(body, "deleteOptions") if isinstance(body, dict) and body.get("kind") == "Eviction" else body
    if isinstance(options, dict) and options.get("dryRun"):
        return False
    target = find(client.scheme, entry["path"])
    return target.resource.verbs != ("create",) and target.sub not in _CALLS


def perform(client: Client, entry: dict[str, Any]) -> Answer:
    """`entry` has method, path (decoded), query (text to text), type (media type) and body (a plain value).

    Raises ApiError where the real server refuses.
    """
    target = find(client.scheme, entry["path"])
    method, query, body = entry["method"], entry["query"], entry["body"]
    if target.sub in _CALLS:
        raise method_not_allowed(f"labsim: {method} of {target.resource.plural}/{target.sub} is not simulated")
    warnings: list[str] = []
    options: dict[str, Any] = {"dry_run": _dry(query.get("dryRun"))}
    if method == "DELETE":
        if target.sub:
            raise method_not_allowed()
        return _delete(client, target, query, body, options)
    options |= {"warnings": warnings, "field_validation": _validation(query)}
    if method == "POST":
        return _post(client, target, body, options)
    if not target.name:
        raise method_not_allowed()
    if method == "PUT":
        return Answer(200, _put(client, target, body, options), warnings)
    if method == "PATCH":
        return Answer(200, _patch(client, target, entry["type"], query, body, options), warnings)
    raise method_not_allowed()


def _dry(value: Any) -> bool:
    found = [value] if isinstance(value, str) else (value or [])
    if not isinstance(found, list) or any(item not in ("All", "") for item in found):
        raise bad_request(f'Invalid value: {found}: supported values: "All"')
    return "All" in found


def _validation(query: dict[str, str]) -> str:
    value = query.get("fieldValidation", "")
    if value not in ("", "Ignore", "Warn", "Strict"):
        raise bad_request(
            f'fieldValidation: Unsupported value: "{value}": supported values: "", "Ignore", "Warn", "Strict"'
        )
    return value


def _body(body: Any) -> Object:
    if not isinstance(body, dict):
        raise bad_request("couldn't get version/kind; json parse error: the body is not a JSON object")
    return {k: v for k, v in body.items() if v is not None}  # null is how a Go type looks when unset


def _post(client: Client, target: Target, body: Any, options: dict[str, Any]) -> Answer:
    res, api = target.resource, client.api
    body = _body(body)
    if target.sub == "eviction":
        given = delete_options(body.get("deleteOptions"), {})
        given["dry_run"] |= options["dry_run"]
        given.pop("propagation")
        subresources.evict(api, client.user, target.name, target.namespace, **given)
        return Answer(201, _success())
    if target.sub == "binding":
        subresources.bind(api, client.user, target.name, target.namespace, body)
        return Answer(201, _success())
    if target.name or (res.namespaced and not target.namespace and res.verbs != ("create",)):
        raise method_not_allowed()
    new = api.create(client.user, res.key, body, target.namespace, **options)
    return Answer(201, typed(res, new), options["warnings"])


def _put(client: Client, target: Target, body: Any, options: dict[str, Any]) -> Object:
    res, body = target.resource, _body(body)
    metadata = dict(meta(body)) if body.get("metadata") else {}
    named, place = metadata.get("name") or target.name, metadata.get("namespace") or target.namespace
    if named != target.name:
        raise bad_request(f"the name of the object ({named}) does not match the name on the URL ({target.name})")
    if res.namespaced and place != target.namespace:
        raise bad_request(
            f"the namespace of the object ({place}) does not match the namespace on the request ({target.namespace})"
        )
    metadata |= {"name": named} | ({"namespace": place} if res.namespaced else {})
    body = {**body, "metadata": metadata}
    if target.sub == "scale":
        dry_run = options["dry_run"]
        return subresources.set_scale(client.api, client.user, res.key, body, target.namespace, dry_run=dry_run)
    return typed(res, client.update(res.key, body, target.namespace, subresource=target.sub, **options))


def _patch(
    client: Client, target: Target, media: str, query: dict[str, str], body: Any, options: dict[str, Any]
) -> Object:
    res = target.resource
    kind = PATCHES.get(media, "")
    if not kind:
        listed = ", ".join(media for media, known in PATCHES.items() if known)
        raise unsupported_media_type(
            f"the body of the request was in an unknown format - accepted media types include: {listed}"
        )
    if not isinstance(body, list if kind == "json" else dict):
        found = "array" if isinstance(body, list) else "object" if isinstance(body, dict) else "value"
        raise bad_request(f"json: cannot unmarshal {found} into Go value of type patch")
    if target.sub == "scale":
        if kind not in ("json", "merge"):
            kind = "merge"
        dry_run = options["dry_run"]
        return client.patch_scale(res.key, target.name, body, target.namespace, kind=kind, dry_run=dry_run)
    if kind == "apply":
        options |= {"field_manager": query.get("fieldManager", ""), "force": query.get("force") in ("true", "1")}
    new = client.patch(res.key, target.name, body, kind, target.namespace, subresource=target.sub, **options)
    return typed(res, new)


def delete_options(body: Any, query: dict[str, str]) -> dict[str, Any]:
    """DeleteOptions of a body (or, without one, of the query) as keywords of `Client.delete`. Raises 400, 422."""
    given = _body(body) if body is not None else dict(query)
    grace: Any = given.get("gracePeriodSeconds")
    if isinstance(grace, str) and grace.lstrip("-").isdecimal() and len(grace) < 12:
        grace = int(grace)
    if grace is not None and (isinstance(grace, bool) or not isinstance(grace, int) or abs(grace) >= 1 << 40):
        raise bad_request("json: cannot unmarshal into Go struct field DeleteOptions.gracePeriodSeconds of type int64")
    policy = given.get("propagationPolicy") or ""
    if policy not in ("", "Background", "Foreground", "Orphan"):
        allowed = '"Foreground","Background","Orphan","nil"'
        raise ApiError(
            422,
            "Invalid",
            f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "{policy}": '
            f"must be one of {allowed}",
        )
    if given.get("orphanDependents") in (True, "true"):
        policy = "Orphan"
    conditions = given.get("preconditions")
    if conditions is not None and not isinstance(conditions, dict):
        raise bad_request(
            "json: cannot unmarshal into Go struct field DeleteOptions.preconditions of type v1.Preconditions"
        )
    dry_run = _dry(given.get("dryRun"))
    return {"grace_seconds": grace, "propagation": policy, "preconditions": conditions, "dry_run": dry_run}


def _delete(client: Client, target: Target, query: dict[str, str], body: Any, options: dict[str, Any]) -> Answer:
    res = target.resource
    given = delete_options(body, query)
    given["dry_run"] |= options["dry_run"]
    if not target.name:
        if res.namespaced and not target.namespace:
            raise method_not_allowed()
        given.pop("preconditions")
        labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "").strip(",")
        gone = client.delete_collection(
            res.key, target.namespace, label_selector=labels, field_selector=fields, **given
        )
        return Answer(200, listed(client, res, gone))
    old = client.delete(res.key, target.name, target.namespace, **given)
    there = client.find(res.key, target.name, target.namespace) if not given["dry_run"] else None
    if there is not None or res.key in _RETURNED or given["dry_run"]:
        return Answer(200, typed(res, old))
    group = {"group": res.group} if res.group else {}
    return Answer(200, _success({"name": target.name, **group, "kind": res.plural, "uid": meta(old).get("uid", "")}))


def _success(details: Object | None = None) -> Object:
    body: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return {**body, "details": details} if details else {**body, "code": 201}


def typed(res: Resource, obj: Object) -> Object:
    return {"kind": res.kind, "apiVersion": res.api_version, **obj}


def listed(client: Client, res: Resource, objects: list[Object]) -> Object:
    """A list as the server sends it; items of built-in kinds do not say their kind again."""
    items = [
        typed(res, obj) if res.custom else {k: v for k, v in obj.items() if k not in ("kind", "apiVersion")}
        for obj in objects
    ]
    version = str(client.api.store.journal.revision)
    return {"kind": f"{res.kind}List", "apiVersion": res.api_version, "metadata": {"resourceVersion": version},
            "items": items}  # fmt: skip
