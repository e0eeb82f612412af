"""A small HTTP front over an in-process cluster, for tests only: enough of the REST API for the real kubectl.

Discovery (aggregated), JSON and Table answers, watch with sendInitialEvents, patches, status, scale, eviction, log.
Every RFC 3339 stamp in a reply is moved by `shift` seconds, so that a client on the wall clock sees simulated ages, and
moved back in bodies (rest-api.md 6). While a request waits, the cluster's time goes on by one step each 20 ms.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from labsim.kube import discovery
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError, no_such_path, unsupported_media_type
from labsim.kube.objects import Object, get_in
from labsim.kube.schema import load
from labsim.kube.schema.openapi_v3 import document
from labsim.kube.scheme import Resource

STEP = 10_000
USER = "kubernetes-admin"
_STAMP = re.compile(r'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z"')
_PATCHES = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


def move_stamps(text: str, seconds: int) -> str:
    def moved(found: re.Match[str]) -> str:
        when = datetime.fromisoformat(found[1]).replace(tzinfo=UTC) + timedelta(seconds=seconds)
        return f'"{when:%Y-%m-%dT%H:%M:%S}{found[2] or ""}Z"'

    return _STAMP.sub(moved, text)


class Front:
    """Serves `cluster` on a free loopback port. `kubeconfig` is the text of a file that leads here."""

    def __init__(self, cluster: Cluster, version: str = "v1.35.2") -> None:
        self.cluster, self.version = cluster, version
        self.client = cluster.client(USER)
        self.lock = threading.RLock()
        self.closing = False
        self.shift = 0
        self.requests: list[str] = []
        front = self

        class Handler(_Handler):
            owner = front

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def align(self) -> None:
        """Fix the shift for the next call of a client."""
        self.shift = int(time.time() - self.cluster.clock.now / 1000)

    def close(self) -> None:
        self.closing = True
        self.server.shutdown()
        self.server.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: Front
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    # -- sending -----------------------------------------------------------------------------------------------------

    def _send(self, code: int, body: Any, kind: str = "application/json", warnings: list[str] | None = None) -> None:
        text = body if isinstance(body, str) else move_stamps(json.dumps(body), self.owner.shift)
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for warning in warnings or ():
            quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
            self.send_header("Warning", f'299 - "{quoted}"')
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, parts: Iterator[str], kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                data = part.encode()
                if data:
                    self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                    self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self) -> None:
        url = urlsplit(self.path)
        query = {k: v[-1] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        self.owner.requests.append(f"{self.command} {self.path}")
        try:
            with self.owner.lock:
                act = self._route(unquote(url.path), query, raw)
            act()
        except ApiError as error:
            self._send(error.code, error.status)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        except Exception as error:  # a fault of labsim shows in the client's output
            failure = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500}
            self._send(500, {**failure, "message": repr(error)})

    # -- routing -----------------------------------------------------------------------------------------------------

    def _route(self, path: str, query: dict[str, str], raw: bytes) -> Callable[[], None]:
        parts = [p for p in path.split("/") if p]
        accept = self.headers.get("Accept", "")
        front = self.owner
        if parts == ["version"]:
            major, minor = front.version[1:].split(".")[:2]
            from labsim.commands.kubectl.versions import server_version

            body = {**server_version(front.client), "major": major, "minor": minor, "gitVersion": front.version}
            return lambda: self._send(200, json.dumps(body))
        if parts in (["api"], ["apis"]) and "as=APIGroupDiscoveryList" in accept:
            kind = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
            body = discovery.aggregated(front.client.scheme, parts == ["api"])
            return lambda: self._send(200, body, kind)
        if parts == ["openapi", "v3"]:
            return lambda: self._send(200, openapi_index(front))
        if parts[:2] == ["openapi", "v3"]:
            return lambda: self._send(200, openapi(front, "/".join(parts[3:])))
        if parts[:1] == ["api"] and len(parts) >= 2:
            group, version, rest = "", parts[1], parts[2:]
        elif parts[:1] == ["apis"] and len(parts) >= 3:
            group, version, rest = parts[1], parts[2], parts[3:]
        else:
            raise no_such_path()
        if not rest:
            body = discovery.resource_list(front.client.scheme, f"{group}/{version}" if group else version)
            if body is None:
                raise no_such_path()
            return lambda: self._send(200, body)
        namespace = ""
        if rest[0] == "namespaces" and len(rest) >= 3 and rest[2] not in ("status", "finalize"):
            namespace, rest = rest[1], rest[2:]
        res = next((r for r in _visible(front) if (r.group, r.version, r.plural) == (group, version, rest[0])), None)
        if res is None:
            raise no_such_path()
        name = rest[1] if len(rest) > 1 else ""
        sub = rest[2] if len(rest) > 2 else ""
        return self._resource(res, namespace, name, sub, query, raw)

    def _body(self, raw: bytes) -> Any:
        kind = self.headers.get("Content-Type", "")
        if "protobuf" in kind:
            from protobuf import decode

            return decode(raw)
        if not raw:
            return None
        text = move_stamps(raw.decode(), -self.owner.shift)
        if "yaml" in kind:
            from labsim.kube.codec import load

            return load(text)
        return json.loads(text)

    def _resource(
        self, res: Resource, namespace: str, name: str, sub: str, query: dict[str, str], raw: bytes
    ) -> Callable[[], None]:
        client = self.owner.client
        labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
        warnings: list[str] = []
        options: dict[str, Any] = {"dry_run": query.get("dryRun") == "All"}
        if self.command == "GET":
            if query.get("watch") in ("1", "true"):
                return lambda: self._stream(watch_events(self, res, namespace, query))
            if not name:
                objects = client.list(res.key, namespace, label_selector=labels, field_selector=fields)
                body = self._shown(res, objects, True)
                return lambda: self._send(200, body)
            if sub == "log":
                return self._log(namespace, name, query)
            if sub and sub not in res.subresources:
                raise no_such_path()
            obj = client.get(res.key, name, namespace)
            if sub == "scale":
                scale = client.get_scale(res.key, name, namespace)
                return lambda: self._send(200, scale)
            body = self._shown(res, [obj], False)
            return lambda: self._send(200, body)
        body = self._body(raw)
        if self.command == "DELETE":
            given = body or {}
            grace, orphan = given.get("gracePeriodSeconds"), given.get("propagationPolicy") or ""
            options["dry_run"] = options["dry_run"] or bool(given.get("dryRun"))
            gone = client.delete(res.key, name, namespace, grace_seconds=grace, propagation=orphan, **options)
            return lambda: self._send(200, typed(res, gone))
        options["warnings"] = warnings
        options["field_validation"] = query.get("fieldValidation", "")
        if self.command == "POST":
            if sub == "eviction":
                grace = get_in(body, "deleteOptions", "gracePeriodSeconds")
                client.evict(name, namespace, grace_seconds=grace, dry_run=options["dry_run"])
                return lambda: self._send(201, {"kind": "Status", "apiVersion": "v1", "status": "Success"})
            new = client.create(res.key, body, namespace, **options)
            return lambda: self._send(201, typed(res, new), warnings=warnings)
        if self.command == "PUT":
            if sub == "scale":
                return self._scale(res, namespace, name, body, options["dry_run"])
            new = client.update(res.key, body, namespace, subresource=sub, **options)
            return lambda: self._send(200, typed(res, new), warnings=warnings)
        kind = _PATCHES.get(self.headers.get("Content-Type", "").split(";")[0])
        if kind is None:
            raise unsupported_media_type("the body of the request was in an unknown format")
        if sub == "scale":
            return self._scale(res, namespace, name, body, options["dry_run"])
        if kind == "apply":
            options |= {"field_manager": query.get("fieldManager", ""), "force": query.get("force") == "true"}
        new = client.patch(res.key, name, body, kind, namespace, subresource=sub, **options)
        return lambda: self._send(200, typed(res, new), warnings=warnings)

    def _scale(self, res: Resource, namespace: str, name: str, body: Any, dry_run: bool) -> Callable[[], None]:
        scale = self.owner.client.patch_scale(res.key, name, body, namespace, dry_run=dry_run)
        return lambda: self._send(200, scale)

    def _log(self, namespace: str, name: str, query: dict[str, str]) -> Callable[[], None]:
        from labsim.commands.kubectl.loglines import server_log

        text = server_log(self.owner.client, namespace, name, query)
        if query.get("follow") != "true":
            return lambda: self._send(200, text, "text/plain")
        return lambda: self._stream(self._follow(namespace, name, query), "text/plain")

    def _follow(self, namespace: str, name: str, query: dict[str, str]) -> Iterator[str]:
        from labsim.commands.kubectl.loglines import container_ended, server_log

        shown = 0
        while not self.owner.closing:
            with self.owner.lock:
                text = server_log(self.owner.client, namespace, name, query)
                ended = container_ended(self.owner.client, namespace, name, query.get("container", ""))
            yield text[shown:]
            shown = max(shown, len(text))
            if ended:
                return
            self.let_time_pass()

    def let_time_pass(self) -> None:
        time.sleep(0.02)
        with self.owner.lock:
            self.owner.cluster.loop.advance_to(self.owner.cluster.clock.now + 1000)

    def _shown(self, res: Resource, objects: list[Object], is_list: bool) -> Any:
        front = self.owner
        version = str(front.cluster.journal.revision)
        if "as=Table" in self.headers.get("Accept", ""):
            return table(front, res, objects, version)
        if not is_list:
            return typed(res, objects[0])
        return {
            "kind": f"{res.kind}List",
            "apiVersion": res.api_version,
            "metadata": {"resourceVersion": version},
            "items": [typed(res, obj) for obj in objects],
        }


def _visible(front: Front) -> list[Resource]:
    return [res for res in front.client.scheme if not res.hidden]


def typed(res: Resource, obj: Object) -> Object:
    return {"kind": res.kind, "apiVersion": res.api_version, **obj}


def table(front: Front, res: Resource, objects: list[Object], version: str, columns: bool = True) -> Object:
    strategy = front.client.api.strategies[res.key]
    heads = [
        {"name": c.name, "type": c.type, "format": c.format, "priority": c.priority, "description": c.description}
        for c in strategy.columns
    ]
    now = front.cluster.clock.now
    rows = [{"cells": list(strategy.cells(obj, now)), "object": typed(res, obj)} for obj in objects]
    body: Object = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": version}}
    return {**body, "columnDefinitions": heads if columns else None, "rows": rows}


# -- watching ----------------------------------------------------------------------------------------------------------


def watch_events(handler: _Handler, res: Resource, namespace: str, query: dict[str, str]) -> Iterator[str]:
    front = handler.owner
    as_table = "as=Table" in handler.headers.get("Accept", "")
    labels, fields = query.get("labelSelector", ""), query.get("fieldSelector", "")
    strategy = front.client.api.strategies[res.key]
    first = True

    def event(kind: str, obj: Object) -> str:
        nonlocal first
        body = typed(res, strategy.render(obj, front.client.api))
        if as_table:
            body = table(front, res, [body], str(front.cluster.journal.revision), first)
            first = False
        return move_stamps(json.dumps({"type": kind, "object": body}), front.shift) + "\n"

    with front.lock:
        match = front.client.api.matcher(res.key, labels, fields)
        cursor = int(query.get("resourceVersion") or 0) or front.cluster.journal.revision
        initial = query.get("sendInitialEvents") == "true"
        if initial or query.get("resourceVersion", "") in ("", "0"):
            cursor = front.cluster.journal.revision
            found = front.client.list(res.key, namespace, label_selector=labels, field_selector=fields)
            out = [event("ADDED", obj) for obj in found]
            if initial:
                mark = {"k8s.io/initial-events-end": "true"}
                done = {"metadata": {"resourceVersion": str(cursor), "annotations": mark}}
                out.append(json.dumps({"type": "BOOKMARK", "object": typed(res, done)}) + "\n")
        else:
            out = []
    yield "".join(out)
    deadline = time.time() + float(query.get("timeoutSeconds") or 600)
    while not front.closing and time.time() < deadline:
        with front.lock:
            out = []
            for write in front.cluster.journal.since(cursor):
                cursor = write.revision
                if write.resource != res.key or (namespace and write.namespace != namespace):
                    continue
                was = write.before is not None and match(write.before)
                now = write.after is not None and match(write.after)
                if now:
                    out.append(event("MODIFIED" if was else "ADDED", write.after or {}))
                elif was:
                    out.append(event("DELETED", write.after or write.before or {}))
        yield "".join(out)
        handler.let_time_pass()


# -- discovery -------------------------------------------------------------------------------------------------------


def openapi_index(front: Front) -> Object:
    paths = {f"apis/{r.api_version}" if r.group else f"api/{r.version}" for r in _visible(front)}
    return {"paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash=1"} for path in sorted(paths)}}


def openapi(front: Front, group_version: str) -> Object:
    group, _, version = group_version.rpartition("/")
    found = [(r.plural, r.kind, r.namespaced) for r in _visible(front) if (r.group, r.version) == (group, version)]
    schema = load()
    for res in _visible(front):
        if res.custom and (res.group, res.version) == (group, version):
            definition = front.client.get("customresourcedefinitions.apiextensions.k8s.io", res.key)
            for served in definition["spec"]["versions"]:
                if served["name"] == version:
                    structure = get_in(served, "schema", "openAPIV3Schema", default={})
                    schema = schema.with_crd(group, version, res.kind, structure)
    return document(schema, group, version, found)


def kubeconfig(server: str, namespace: str = "") -> str:
    """The kubeconfig of a world's home with its server's address replaced."""
    context = {"cluster": "kubernetes", "user": "kubernetes-admin"} | ({"namespace": namespace} if namespace else {})
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubernetes", "cluster": {"server": server}}],
        "contexts": [{"name": "kubernetes-admin@kubernetes", "context": context}],
        "current-context": "kubernetes-admin@kubernetes",
        "users": [{"name": "kubernetes-admin", "user": {}}],
    }
    from labsim.kube.codec import dump_yaml

    return dump_yaml(content)
