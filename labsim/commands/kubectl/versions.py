"""The versions that `kubectl version` tells, as the real 1.35.2 build has them."""

from __future__ import annotations

from typing import Any

from labsim.kube.client import Client

CLIENT: dict[str, Any] = {
    "major": "1",
    "minor": "35",
    "gitVersion": "v1.35.2",
    "gitCommit": "fdc9d74cbf2da6754ebf81d56f80ae2948cd6425",
    "gitTreeState": "clean",
    "buildDate": "2026-02-26T20:05:34Z",
    "goVersion": "go1.25.7",
    "compiler": "gc",
    "platform": "linux/amd64",
}
KUSTOMIZE = "v5.7.1"


def server_version(client: Client) -> dict[str, Any]:
    """The control plane has the client's build (design.md 4: one version of Kubernetes)."""
    return dict(CLIENT)
