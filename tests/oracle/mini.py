"""The least API server the real kubectl will talk to: ConfigMaps that are any JSON, on the loopback."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from binary import kubectl_path

DISCOVERY: dict[str, Any] = {
    "/version": {"major": "1", "minor": "35", "gitVersion": "v1.35.2"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [
            {
                "name": "configmaps",
                "singularName": "configmap",
                "namespaced": True,
                "kind": "ConfigMap",
                "shortNames": ["cm"],
                "verbs": ["get", "list"],
            }
        ],
    },
}
COLLECTION = "/api/v1/namespaces/default/configmaps"


class _Handler(BaseHTTPRequestHandler):
    objects: list[dict[str, Any]] = []

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        found = DISCOVERY.get(path)
        if path == COLLECTION:
            found = {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": self.objects}
        elif path.startswith(COLLECTION + "/"):
            name = path[len(COLLECTION) + 1 :]
            found = next((obj for obj in self.objects if obj["metadata"]["name"] == name), None)
        if found is not None and "as=Table" in self.headers.get("Accept", "") and path.startswith(COLLECTION):
            found = _table(found.get("items", [found]))
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
        body = json.dumps(status if found is None else found).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _table(objects: list[dict[str, Any]]) -> dict[str, Any]:
    column = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
    rows = [{"cells": [obj["metadata"]["name"]], "object": obj} for obj in objects]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {},
        "columnDefinitions": [column],
        "rows": rows,
    }


class Kubectl:
    def __init__(self, folder: Path, port: int) -> None:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": ""}}],
            "current-context": "c",
        }
        (folder / "config").write_text(json.dumps(config))
        self.env = {
            "HOME": str(folder),
            "PATH": os.defpath,
            "KUBECONFIG": str(folder / "config"),
            "KUBECACHEDIR": str(folder / "cache"),
            "TZ": "UTC",
        }

    def __call__(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        path = kubectl_path()
        assert path is not None
        return subprocess.run([path, *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, env=self.env)


@contextmanager
def serve(folder: Path, objects: list[dict[str, Any]]) -> Iterator[Kubectl]:
    """A kubectl that sees `objects` (each a ConfigMap by name) until the block ends."""
    handler = type("Handler", (_Handler,), {"objects": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Kubectl(folder, server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
