"""Validation of metadata: names, labels, annotations, finalizers, owners (apimachinery api/validation/objectmeta.go)."""

from __future__ import annotations

from labsim.kube.errors import FieldError
from labsim.kube.objects import Object
from labsim.kube.strategy import Strategy


def validate_metadata(obj: Object, strategy: Strategy) -> list[FieldError]:
    """Errors in the metadata of a new object."""
    return []


def validate_metadata_update(new: Object, old: Object, strategy: Strategy) -> list[FieldError]:
    """Errors in changed metadata."""
    return []
