"""Events: the recorder that components use, with client-go's aggregation, and the hour after which events expire.

Source: client-go tools/record (events_cache.go: 10 similar events in 10 minutes are combined), --event-ttl=1h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, get_in, meta, name_of, namespace_of, uid_of
from labsim.sim import names
from labsim.sim.clock import HOUR, MINUTE, parse_time, rfc3339
from labsim.sim.journal import Write
from labsim.sim.loop import After, Controller, Watch
from labsim.sim.timers import Key

if TYPE_CHECKING:
    from labsim.kube.client import Client

TTL = HOUR
SIMILAR_EVENTS = 10
SIMILAR_WINDOW = 10 * MINUTE
COMBINED = "(combined from similar events): "


class Recorder:
    """Writes events of one component. `host` is the node for kubelets, empty otherwise."""

    def __init__(self, client: Client, component: str, host: str = "") -> None:
        self.client, self.component, self.host = client, component, host

    def event(self, obj: Object, kind: str, reason: str, message: str, field_path: str = "") -> None:
        """Record an event about `obj`; an equal one that still exists is counted up instead."""
        involved = _reference(obj, field_path)
        namespace = str(involved.get("namespace") or "default")
        same = [
            event
            for event in self.client.by_index("events", "involvedObject.uid", str(involved.get("uid", "")), namespace)
            if event.get("type") == kind
            and event.get("reason") == reason
            and event.get("involvedObject") == involved
            and event.get("source") == self._source()
        ]
        if all(event.get("message") != message for event in same) and self._too_many(same):
            message = COMBINED + message
            combined = [event for event in same if str(event.get("message", "")).startswith(COMBINED)]
            if combined:
                self._count(combined[-1], message)
                return
        for event in same:
            if event.get("message") == message:
                self._count(event, message)
                return
        self._create(involved, namespace, kind, reason, message)

    def _source(self) -> Object:
        return {"component": self.component, **({"host": self.host} if self.host else {})}

    def _too_many(self, same: list[Object]) -> bool:
        recent = [e for e in same if self.client.now - parse_time(e["lastTimestamp"]) <= SIMILAR_WINDOW]
        return len(recent) >= SIMILAR_EVENTS - 1

    def _count(self, event: Object, message: str) -> None:
        now = rfc3339(self.client.now)
        counted = {**event, "count": int(event.get("count", 1)) + 1, "lastTimestamp": now, "message": message}
        self.client.update("events", counted, namespace_of(event))

    def _create(self, involved: Object, namespace: str, kind: str, reason: str, message: str) -> None:
        now = rfc3339(self.client.now)
        api = self.client.api
        digits = names.digest(api.seed, "event", namespace, involved.get("name"), api.store.journal.revision).hex()[:16]
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{involved.get('name')}.{digits}", "namespace": namespace},
            "involvedObject": involved,
            "reason": reason,
            "message": message,
            "source": self._source(),
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": kind,
            "eventTime": None,
            "reportingComponent": self.component,
            "reportingInstance": self.host,
        }
        try:
            self.client.create("events", event, namespace)
        except ApiError as error:
            # A rejected event is dropped, as client-go does (a namespace that is being deleted takes none).
            if error.code not in (403, 404):
                raise


def _reference(obj: Object, field_path: str) -> Object:
    """An ObjectReference, without the version, which differs at each write and would defeat the counting.

    A kubelet passes its node as `{..., "metadata": {"name": N, "uid": N}}`: its events name the node as uid.
    """
    reference = {
        "kind": obj.get("kind"),
        "namespace": namespace_of(obj),
        "name": name_of(obj),
        "uid": uid_of(obj),
        "apiVersion": obj.get("apiVersion"),
        "fieldPath": field_path,
    }
    return {key: value for key, value in reference.items() if value}


class EventTtl(Controller):
    """Deletes events an hour after they were last written (the etcd lease of --event-ttl)."""

    name = "event-ttl"

    def __init__(self, client: Client) -> None:
        self.client = client
        self.watches = (Watch("events", self._keys),)

    @staticmethod
    def _keys(write: Write) -> list[Key]:
        return [(write.namespace, write.name)] if write.after is not None else []

    def reconcile(self, key: Key) -> After | None:
        event = self.client.find("events", key[1], key[0])
        if event is None:
            return None
        left = written_at(event) + TTL - self.client.now
        if left > 0:
            return After(left, periodic=True)
        self.client.delete("events", key[1], key[0])
        return None


def written_at(event: Object) -> int:
    """When an event was last written, in ms."""
    stamp = (
        get_in(event, "series", "lastObservedTime")
        or event.get("lastTimestamp")
        or event.get("firstTimestamp")
        or event.get("eventTime")
        or meta(event).get("creationTimestamp")
    )
    return parse_time(str(stamp))
