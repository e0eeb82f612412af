"""Validation of metadata: names, labels, annotations, finalizers, owners (apimachinery api/validation)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from labsim.kube import validation
from labsim.kube.errors import FieldError, forbidden_field, invalid_value, required
from labsim.kube.objects import Object, meta
from labsim.kube.strategy import Strategy

_ANNOTATIONS_LIMIT = 256 * 1024
_STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})

NameCheck = Callable[[str], list[str]]
# Rules for names that are not DNS subdomains.
_NAMES: dict[str, NameCheck] = {
    "namespaces": validation.dns1123_label,
    "services": validation.dns1035_label,
    **{
        f"{plural}.rbac.authorization.k8s.io": validation.path_segment
        for plural in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    },
}


def validate_metadata(obj: Object, strategy: Strategy) -> list[FieldError]:
    """Errors in the metadata of a new object."""
    if strategy.resource.hidden:
        return []
    metadata = meta(obj)
    found: list[FieldError] = []
    check = _NAMES.get(strategy.resource.key, validation.dns1123_subdomain)
    prefix, name = str(metadata.get("generateName") or ""), str(metadata.get("name") or "")
    if prefix:
        plain = validation.generate_name_prefix(prefix)
        found += [invalid_value("metadata.generateName", prefix, text) for text in check(plain)]
    if not name:
        found.append(required("metadata.name", "name or generateName is required"))
    else:
        found += [invalid_value("metadata.name", name, text) for text in check(name)]
    return found + _common(metadata)


def validate_metadata_update(new: Object, old: Object, strategy: Strategy) -> list[FieldError]:
    """Errors in changed metadata; what has not changed is not looked at again."""
    if strategy.resource.hidden or meta(new) == meta(old):
        return []
    found = _common(meta(new))
    if meta(old).get("deletionTimestamp"):
        before = meta(old).get("finalizers") or ()
        added = sorted(f for f in meta(new).get("finalizers") or () if f not in before)
        if added:
            listed = ", ".join(f'"{f}"' for f in added)
            detail = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{listed}}}"
            )
            found.append(forbidden_field("metadata.finalizers", detail))
    return found


def _common(metadata: Mapping[str, Any]) -> list[FieldError]:
    return [
        *validate_labels(metadata.get("labels") or {}, "metadata.labels"),
        *_annotations(metadata.get("annotations") or {}),
        *_owners(metadata.get("ownerReferences") or ()),
        *_finalizers(metadata.get("finalizers") or ()),
    ]


def validate_labels(labels: Mapping[str, str], path: str) -> list[FieldError]:
    found = []
    for key, value in sorted(labels.items()):
        found += [invalid_value(path, key, text) for text in validation.qualified_name(key)]
        found += [invalid_value(path, value, text) for text in validation.label_value(str(value))]
    return found


def _annotations(annotations: Mapping[str, str]) -> list[FieldError]:
    found = []
    for key in sorted(annotations):
        found += [invalid_value("metadata.annotations", key, text) for text in validation.annotation_key(key)]
    size = sum(len(str(k).encode()) + len(str(v).encode()) for k, v in annotations.items())
    if size > _ANNOTATIONS_LIMIT:
        text = f"Too long: may not be more than {_ANNOTATIONS_LIMIT} bytes"
        found.append(FieldError("metadata.annotations", "FieldValueTooLong", text))
    return found


def _owners(owners: Any) -> list[FieldError]:
    found: list[FieldError] = []
    controllers = []
    for owner in owners:
        for key, text in (("apiVersion", "version"), ("kind", "kind"), ("name", "name"), ("uid", "uid")):
            if not owner.get(key):
                detail = f"{text} must not be empty"
                found.append(invalid_value(f"metadata.ownerReferences.{key}", owner.get(key, ""), detail))
        if owner.get("controller"):
            controllers.append(owner)
    if len(controllers) > 1:
        names = [
            f"{o.get('kind')}.{str(o.get('apiVersion')).rpartition('/')[2]}.{o.get('name')}" for o in controllers[:2]
        ]
        detail = (
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{names[0]} and {names[1]}"
        )
        found.append(invalid_value("metadata.ownerReferences", list(owners), detail))
    return found


def _finalizers(finalizers: Any) -> list[FieldError]:
    found = []
    for finalizer in finalizers:
        found += [invalid_value("metadata.finalizers", finalizer, t) for t in validation.qualified_name(finalizer)]
        if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            found.append(invalid_value("metadata.finalizers", finalizer, detail))
    return found
