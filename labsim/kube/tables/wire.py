"""Tables in the form in which the API sends them (meta.k8s.io/v1 Table)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labsim.kube.objects import Object
from labsim.kube.strategy import Strategy

_DESCRIPTION = "Name must be unique within a namespace."


def table(
    strategy: Strategy, objects: Iterable[Object], now: int, *, include: str = "Metadata", version: str = ""
) -> Object:
    """A Table of `objects`. `include` is Metadata (PartialObjectMetadata), Object or None, as includeObject says."""
    definitions = [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or (_DESCRIPTION if column.format == "name" else column.name),
            "priority": column.priority,
        }
        for column in strategy.columns
    ]
    rows = []
    for obj in objects:
        row: dict[str, Any] = {"cells": list(strategy.cells(obj, now))}
        if include == "Object":
            row["object"] = obj
        elif include == "Metadata":
            row["object"] = {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": obj.get("metadata") or {},
            }
        rows.append(row)
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version} if version else {},
        "columnDefinitions": definitions,
        "rows": rows,
    }
