"""Kinds that stand for what lies outside a real cluster's API (docs/architecture.md, hidden resources)."""

from __future__ import annotations

from labsim.kube.objects import Object, get_in
from labsim.kube.strategy import Strategy


def _node(obj: Object) -> list[str]:
    node = get_in(obj, "spec", "nodeName", default="")
    return [node] if node else []


def _pod(obj: Object) -> list[str]:
    uid = get_in(obj, "spec", "podUID", default="")
    return [uid] if uid else []


class Containers(Strategy):
    indexes = {"spec.nodeName": _node, "spec.podUID": _pod}


class DevicePlugins(Strategy):
    indexes = {"spec.nodeName": _node}
