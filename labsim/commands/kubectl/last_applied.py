"""The annotation with what was last applied, as create --save-config, apply and replace keep it."""

from __future__ import annotations

from typing import Any

from labsim.kube.codec import dump_compact
from labsim.kube.objects import Object, annotations_of, meta

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def configuration(obj: Object) -> str:
    """The object as compact JSON without the annotation itself; annotations are always there, be it empty."""
    annotations = {k: v for k, v in annotations_of(obj).items() if k != ANNOTATION}
    return dump_compact({**obj, "metadata": {**meta(obj), "annotations": annotations}}) + "\n"


def with_annotation(obj: Object) -> Object:
    annotations = {**annotations_of(obj), ANNOTATION: configuration(obj)}
    return {**obj, "metadata": {**meta(obj), "annotations": annotations}}


def updated(obj: Object, always: bool) -> Object:
    """With the annotation brought up to date, if it is there or `always`."""
    return with_annotation(obj) if always or ANNOTATION in annotations_of(obj) else obj


def original(obj: Object) -> dict[str, Any] | None:
    """What was last applied, None if nothing was. Raises ValueError for an annotation that is no JSON object."""
    from labsim.kube.codec.gojson import decode_next

    text = annotations_of(obj).get(ANNOTATION)
    if not text:
        return None
    found = decode_next(text, 0)
    if found is None or not isinstance(found[0], dict):
        raise ValueError(text)
    value: dict[str, Any] = found[0]
    return value
