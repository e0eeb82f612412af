"""NamespaceLifecycle: nothing new in a namespace that is missing or going away; system namespaces stay."""

from __future__ import annotations

from labsim.kube import errors
from labsim.kube.admission.base import Plugin, refused
from labsim.kube.objects import Object, get_in, namespace_of
from labsim.kube.strategy import Request, Strategy

_IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
# Made by the API server itself, so that they are there whatever a world says.
_ALWAYS_THERE = _IMMORTAL | {"kube-node-lease"}


class NamespaceLifecycle(Plugin):
    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None:
        if new is None and old is not None and strategy.resource.key == "namespaces":
            if old["metadata"]["name"] in _IMMORTAL:
                raise refused(strategy, old, "this namespace may not be deleted")
            return
        if new is None or old is not None or not strategy.resource.namespaced or strategy.resource.hidden:
            return
        name = namespace_of(new)
        namespace = request.api.store.get("namespaces", "", name)
        if namespace is None:
            # Components act on what exists; they are not asked, so that a namespace may be built around them.
            if name not in _ALWAYS_THERE and not request.trusted:
                raise errors.not_found("namespaces", name)
            return
        if get_in(namespace, "metadata", "deletionTimestamp"):
            error = refused(
                strategy, new, f"unable to create new content in namespace {name} because it is being terminated"
            )
            cause = {
                "reason": "NamespaceTerminating",
                "message": f"namespace {name} is being terminated",
                "field": "metadata.namespace",
            }
            error.details["causes"] = [cause]
            raise error
