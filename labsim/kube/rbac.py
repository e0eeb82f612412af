"""What RBAC objects allow a subject to do (plugin/pkg/auth/authorizer/rbac)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from labsim.kube.objects import Object, get_in, name_of
from labsim.kube.store import Store

_GROUP = "rbac.authorization.k8s.io"


def allowed(
    store: Store,
    user: str,
    groups: Sequence[str],
    resource: Mapping[str, Any] | None,
    path: Mapping[str, Any] | None,
) -> str:
    """The authorizer's reason, "" when nothing allows it. `resource` and `path` are a review's attributes."""
    namespace = str((resource or {}).get("namespace", ""))
    for binding, kind in _bindings(store, namespace if resource is not None else ""):
        subject = next((s for s in binding.get("subjects") or () if _is(s, user, groups, binding)), None)
        if subject is None:
            continue
        role = binding.get("roleRef") or {}
        where = "" if role.get("kind") == "ClusterRole" else str(get_in(binding, "metadata", "namespace", default=""))
        plural = "clusterroles" if role.get("kind") == "ClusterRole" else "roles"
        found = store.get(f"{plural}.{_GROUP}", where, str(role.get("name", "")))
        for rule in get_in(found, "rules", default=()):
            if (resource is not None and _covers(rule, resource)) or (path is not None and _covers_path(rule, path)):
                return (
                    f'RBAC: allowed by {kind} "{_full(binding)}" of {role.get("kind")} "{role.get("name")}" '
                    f'to {subject.get("kind")} "{_subject(subject)}"'
                )
    return ""


def _bindings(store: Store, namespace: str) -> Iterator[tuple[Object, str]]:
    for binding in store.list(f"clusterrolebindings.{_GROUP}"):
        yield binding, "ClusterRoleBinding"
    if namespace:
        for binding in store.list(f"rolebindings.{_GROUP}", namespace):
            yield binding, "RoleBinding"


def _full(binding: Object) -> str:
    namespace = get_in(binding, "metadata", "namespace", default="")
    return f"{name_of(binding)}/{namespace}" if namespace else name_of(binding)


def _subject(subject: Mapping[str, Any]) -> str:
    namespace = subject.get("namespace")
    return f"{subject.get('name')}/{namespace}" if namespace else str(subject.get("name"))


def _is(subject: Mapping[str, Any], user: str, groups: Sequence[str], binding: Object) -> bool:
    kind, name = subject.get("kind"), subject.get("name")
    if kind == "User":
        return bool(user == name)
    if kind == "Group":
        return name in groups
    namespace = subject.get("namespace") or get_in(binding, "metadata", "namespace", default="")
    return user == f"system:serviceaccount:{namespace}:{name}"


def _covers(rule: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    what = str(asked.get("resource", ""))
    if asked.get("subresource"):
        what += f"/{asked['subresource']}"
    resources = rule.get("resources") or ()
    names = rule.get("resourceNames") or ()
    return (
        _in(asked.get("verb"), rule.get("verbs"))
        and _in(asked.get("group", ""), rule.get("apiGroups"))
        and (what in resources or "*" in resources or f"*/{asked.get('subresource', '')}" in resources)
        and (not names or asked.get("name") in names)
    )


def _in(value: Any, allowed_values: Sequence[str] | None) -> bool:
    return "*" in (allowed_values or ()) or (value or "") in (allowed_values or ())


def _covers_path(rule: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    path = str(asked.get("path", ""))
    urls = rule.get("nonResourceURLs") or ()
    fits = any(url == "*" or url == path or (url.endswith("*") and path.startswith(url[:-1])) for url in urls)
    return fits and _in(asked.get("verb"), rule.get("verbs"))
