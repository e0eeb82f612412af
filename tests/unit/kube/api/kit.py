"""A bare cluster and short bodies for the API server's tests."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.client import Client
from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError

START = 1_800_000_000_000
Object = dict[str, Any]


def cluster() -> Cluster:
    made = Cluster(1, START, freeze_objects=True)
    inside = made.client("system:labsim:setup")
    for name in ("default", "lab"):
        inside.create("namespaces", {"metadata": {"name": name}})
    return made


def admin(made: Cluster) -> Client:
    return made.client("kubernetes-admin")


def pod(name: str = "p", **spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "a", "image": "nginx:1"}], **spec},
    }


def container(**fields: Any) -> Object:
    return {"name": "a", "image": "nginx:1", **fields}


def deployment(name: str = "d", **spec: Any) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod()["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }


def refused(call: Any, *args: Any, **options: Any) -> ApiError:
    with pytest.raises(ApiError) as found:
        call(*args, **options)
    return found.value


def message(call: Any, *args: Any, **options: Any) -> str:
    return refused(call, *args, **options).message
