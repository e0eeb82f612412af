"""events.k8s.io/v1: the same events under the names of the newer API (pkg/apis/events/v1/conversion.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import Object
from labsim.kube.strategies.core import Events
from labsim.kube.strategy import field_path

if TYPE_CHECKING:
    from labsim.kube.apiserver import APIServer

_NAMES = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_BACK = {new: old for old, new in _NAMES.items()}


class EventViews(Events):
    fields = {
        "reason": field_path("reason"),
        "type": field_path("type"),
        "reportingController": field_path("reportingController"),
        **{
            f"regarding.{key}": field_path("regarding", key)
            for key in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        },
    }
    indexes = {}

    @property
    def storage(self) -> str:
        return "events"

    def to_stored(self, obj: Object) -> Object:
        return {**{_BACK.get(k, k): v for k, v in obj.items()}, "apiVersion": "v1"}

    def render(self, obj: Object, api: APIServer) -> Object:
        return {**{_NAMES.get(k, k): v for k, v in obj.items()}, "apiVersion": self.resource.api_version}

    def cells(self, obj: Object, now: int) -> list[object]:
        return list(super().cells(self.to_stored(obj), now))
