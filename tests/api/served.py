"""A served lab and the real kubectl that talks to it."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labsim.api import server
from labsim.lab import Lab


def kubectl_path() -> str | None:
    """$LABSIM_KUBECTL, else the copy in the cache folder, else None."""
    for candidate in (os.environ.get("LABSIM_KUBECTL"), str(Path.home() / ".cache/labsim/oracle/kubectl")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


@dataclass
class Served:
    lab: Lab
    running: server.Running
    folder: Path

    def kubectl(self, *args: str, stdin: str = "", code: int = 0) -> str:
        """Standard output, with standard error behind it."""
        path = kubectl_path()
        assert path is not None
        config = self.folder / "config"
        config.write_text(self.running.kubeconfig)
        env = {"PATH": os.defpath, "KUBECONFIG": str(config), "KUBECACHEDIR": str(self.folder / "cache"), "TZ": "UTC"}
        done = subprocess.run(
            [path, *args], input=stdin, capture_output=True, text=True, timeout=40, check=False, env=env
        )
        assert done.returncode == code, (args, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, dict[str, str]]:
        """Code, JSON body (or text) and headers of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.running.port, timeout=10)
        try:
            connection.putrequest(method, path, skip_host=bool(headers and "Host" in headers))
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            found = {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()
        return answer.status, json.loads(text) if "json" in found.get("content-type", "") else text, found


@contextmanager
def serve(folder: Path, clock: str = "step", world: str = "dgx-h100", ticket: str | None = None) -> Iterator[Served]:
    lab = Lab.open(None if ticket else world, ticket, seed=1, freeze_objects=True)
    lab.save(folder / "lab.jsonl")
    running = server.start(lab, clock=clock)
    try:
        yield Served(lab, running, folder)
    finally:
        running.stop()
    assert lab.hands.faults == []
