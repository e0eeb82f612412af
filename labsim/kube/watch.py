"""A watch: a cursor into the journal, seen through selectors. It keeps no queue; `poll` reads what came since."""

from __future__ import annotations

from typing import Any

from labsim.kube import errors
from labsim.kube.apiserver import APIServer
from labsim.kube.objects import Object, set_in

Event = tuple[str, Object]  # ADDED, MODIFIED, DELETED or BOOKMARK, and the object

INITIAL_EVENTS_END = "k8s.io/initial-events-end"


class Watch:
    """`since` is a resourceVersion: "" or "0" begins with ADDED for what exists, else what was written after it.

    An object that comes to match the selectors is ADDED, one that no longer does is DELETED, as on the real server.
    """

    def __init__(
        self,
        api: APIServer,
        user: str,
        resource: str,
        namespace: str = "",
        *,
        label_selector: str = "",
        field_selector: str = "",
        since: str = "",
        initial_events: bool = False,
    ) -> None:
        self.api = api
        self.strategy = api.served(user, resource, "watch")
        res = self.strategy.resource
        self.namespace = namespace if res.namespaced else ""
        self._match = api.matcher(res.key, label_selector, field_selector)
        self._pending: list[Event] = []
        journal = api.store.journal
        if since in ("", "0") or initial_events:
            found = api.list(user, resource, namespace, label_selector=label_selector, field_selector=field_selector)
            self._pending = [("ADDED", obj) for obj in found]
            self.revision = journal.revision
            if initial_events:
                mark = set_in(self.bookmark(), ("metadata", "annotations"), {INITIAL_EVENTS_END: "true"})
                self._pending.append(("BOOKMARK", mark))
        else:
            if not since.isdigit():
                raise errors.bad_request(f"Invalid resource version: {since}")
            self.revision = int(since)
            self._check()

    def _check(self) -> None:
        journal = self.api.store.journal
        # A revision from the future was undone: the client has to list again.
        if self.revision < journal.oldest or self.revision > journal.revision:
            raise errors.gone(f"too old resource version: {self.revision} ({journal.oldest})")

    def poll(self) -> list[Event]:
        """What happened since the last call, oldest first. Raises 410 when that history is gone or was undone."""
        self._check()
        events, self._pending = self._pending, []
        for write in self.api.store.journal.since(self.revision):
            self.revision = write.revision
            if write.resource != self.strategy.storage or (self.namespace and write.namespace != self.namespace):
                continue
            before = write.before if write.before is not None and self._seen(write.before) else None
            after = write.after if write.after is not None and self._seen(write.after) else None
            if after is not None:
                events.append(("MODIFIED" if before is not None else "ADDED", self._shown(after)))
            elif before is not None:
                # A deletion shows the last state that matched, at the version of the deletion.
                gone = set_in(before, ("metadata", "resourceVersion"), str(write.revision))
                events.append(("DELETED", self._shown(gone)))
        return events

    def _seen(self, obj: Object) -> bool:
        return self._match(self._shown(obj) if self.strategy.storage != self.strategy.resource.key else obj)

    def _shown(self, obj: Object) -> Object:
        return self.strategy.render(obj, self.api)

    def bookmark(self) -> Object:
        """The object of a BOOKMARK event: only a version."""
        res = self.strategy.resource
        metadata: dict[str, Any] = {"resourceVersion": str(self.revision), "creationTimestamp": None}
        return {"kind": res.kind, "apiVersion": res.api_version, "metadata": metadata}
