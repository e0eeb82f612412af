"""A client: the API server's verbs bound to one identity. Controllers, commands and graders hold one each."""

from __future__ import annotations

from typing import Any

from labsim.kube.apiserver import APIServer
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object
from labsim.kube.scheme import Scheme

Objects = list[Object]


class Client:
    """Names are resource keys ("pods", "deployments.apps") or bare plurals. Objects returned must not be changed."""

    def __init__(self, api: APIServer, user: str) -> None:
        self.api, self.user = api, user

    @property
    def now(self) -> int:
        return self.api.now

    @property
    def scheme(self) -> Scheme:
        return self.api.scheme

    def get(self, resource: str, name: str, namespace: str = "") -> Object:
        """Raises ApiError 404. For a namespaced kind an empty namespace is "default"."""
        res = self.api.resource(self.user, resource)
        return self.api.get(self.user, resource, name, (namespace or "default") if res.namespaced else "")

    def find(self, resource: str, name: str, namespace: str = "") -> Object | None:
        """Like get, None when it does not exist."""
        try:
            return self.get(resource, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(
        self, resource: str, namespace: str = "", *, label_selector: str = "", field_selector: str = ""
    ) -> Objects:
        """All namespaces when `namespace` is empty."""
        return self.api.list(
            self.user, resource, namespace, label_selector=label_selector, field_selector=field_selector
        )

    def by_index(self, resource: str, index: str, value: str, namespace: str = "") -> Objects:
        """An informer's index lookup (internal identities use it; order as list)."""
        res = self.api.resource(self.user, resource)
        return self.api.store.by_index(res.key, index, value, namespace)

    def create(self, resource: str, obj: Object, namespace: str = "", **options: Any) -> Object:
        return self.api.create(self.user, resource, obj, namespace, **options)

    def update(self, resource: str, obj: Object, namespace: str = "", **options: Any) -> Object:
        return self.api.update(self.user, resource, obj, namespace, **options)

    def update_status(self, resource: str, obj: Object, namespace: str = "", **options: Any) -> Object:
        return self.api.update(self.user, resource, obj, namespace, subresource="status", **options)

    def patch(
        self, resource: str, name: str, patch: Any, kind: str = "merge", namespace: str = "", **options: Any
    ) -> Object:
        return self.api.patch(self.user, resource, name, patch, kind, namespace, **options)

    def delete(self, resource: str, name: str, namespace: str = "", **options: Any) -> Object:
        return self.api.delete(self.user, resource, name, namespace, **options)

    def delete_collection(self, resource: str, namespace: str = "", **options: Any) -> Objects:
        return self.api.delete_collection(self.user, resource, namespace, **options)

    def bind(self, name: str, namespace: str, node: str) -> None:
        """Assign a pod to a node (pods/binding). Raises 409 when it has one."""
        from labsim.kube.subresources import bind

        body = {"metadata": {"name": name}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}}
        bind(self.api, self.user, name, namespace, body)

    def evict(
        self, name: str, namespace: str = "default", *, grace_seconds: int | None = None, dry_run: bool = False
    ) -> None:
        """Evict a pod (pods/eviction). Raises 429 when a disruption budget forbids it now."""
        from labsim.kube.subresources import evict

        evict(self.api, self.user, name, namespace, grace_seconds=grace_seconds, dry_run=dry_run)

    def get_scale(self, resource: str, name: str, namespace: str = "default") -> Object:
        """The autoscaling/v1 Scale of a workload."""
        from labsim.kube.subresources import get_scale

        return get_scale(self.api, self.user, resource, name, namespace)

    def patch_scale(
        self,
        resource: str,
        name: str,
        patch: Any,
        namespace: str = "default",
        *,
        kind: str = "merge",
        dry_run: bool = False,
    ) -> Object:
        """Patch a Scale (`{"spec": {"replicas": 3}}`); returns the new one."""
        from labsim.kube.subresources import patch_scale

        return patch_scale(self.api, self.user, resource, name, patch, kind, namespace, dry_run=dry_run)
