"""A loopback API server of a few lines: it has objects, says what they are, and writes down every PATCH."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from labsim.kube.schema import Schema
from labsim.kube.schema.openapi_v3 import document

RESOURCES = {
    "v1": [("configmaps", "ConfigMap", True), ("nodes", "Node", False), ("pods", "Pod", True),
           ("services", "Service", True), ("serviceaccounts", "ServiceAccount", True)],
    "apps/v1": [("deployments", "Deployment", True), ("daemonsets", "DaemonSet", True)],
    "batch/v1": [("cronjobs", "CronJob", True), ("jobs", "Job", True)],
    "networking.k8s.io/v1": [("networkpolicies", "NetworkPolicy", True)],
    "example.com/v1": [("widgets", "Widget", True)],
}  # fmt: skip


class Server:
    """`objects` by path; `patches` as (path, media type, body)."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.objects: dict[str, dict[str, Any]] = {}
        self.patches: list[tuple[str, str, Any]] = []

    def put(self, obj: dict[str, Any]) -> None:
        version, kind = obj["apiVersion"], obj["kind"]
        plural, namespaced = next((p, n) for p, k, n in RESOURCES[version] if k == kind)
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        scope = "/namespaces/default" if namespaced else ""
        self.objects[f"{root}{scope}/{plural}/{obj['metadata']['name']}"] = obj

    def get(self, path: str) -> Any:
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            groups = []
            for version in [version for version in RESOURCES if "/" in version]:
                entry = {"groupVersion": version, "version": version.partition("/")[2]}
                groups.append({"name": version.partition("/")[0], "versions": [entry], "preferredVersion": entry})
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        if path == "/openapi/v3":
            paths = {("apis/" if "/" in version else "api/") + version: {} for version in RESOURCES}
            return {"paths": {name: {"serverRelativeURL": f"/openapi/v3/{name}"} for name in paths}}
        if path.startswith("/openapi/v3/"):
            version = path.removeprefix("/openapi/v3/").partition("/")[2]
            group, _, short = version.rpartition("/")
            return document(self.schema, group, short, RESOURCES[version])
        version = path.partition("/")[2].partition("/")[2]
        if version in RESOURCES and path.startswith(("/api/", "/apis/")):
            verbs = ["create", "delete", "get", "list", "patch", "update", "watch"]
            rows = [
                {"name": p, "singularName": k.lower(), "kind": k, "namespaced": n, "verbs": verbs}
                for p, k, n in RESOURCES[version]
            ]
            return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": rows}
        return self.objects.get(path)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._answer(server.get(self.path.partition("?")[0]))

        def do_PATCH(self) -> None:
            path = self.path.partition("?")[0]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.patches.append((path, self.headers["Content-Type"], json.loads(body)))
            self._answer(server.objects.get(path))

        def _answer(self, found: Any) -> None:
            code = 200
            if found is None:
                code, found = 404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound",
                                    "code": 404, "message": "not found"}  # fmt: skip
            body = json.dumps(found).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@contextmanager
def running(server: Server, folder: Path) -> Iterator[str]:
    """Serve on a free loopback port; gives the path of a kubeconfig."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{http.server_address[1]}"
    config = folder / "kubeconfig"
    config.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "c",
                "clusters": [{"name": "c", "cluster": {"server": url}}],
                "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                "users": [{"name": "u", "user": {}}],
            }
        )
    )
    try:
        yield str(config)
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
