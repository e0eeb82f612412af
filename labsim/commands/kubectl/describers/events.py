"""The Events block at the end of a description."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in, name_of, namespace_of, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def events_about(client: Client, obj: Object, extra_uids: Iterable[str] = ()) -> list[Object]:
    """Events whose involvedObject is this one (name, namespace and uid), then those under the other uids."""
    found: list[Object] = []
    for uid in (uid_of(obj), *extra_uids):
        terms = [f"involvedObject.name={name_of(obj)}"]
        if namespace_of(obj):
            terms.append(f"involvedObject.namespace={namespace_of(obj)}")
        if obj.get("kind"):
            terms.append(f"involvedObject.kind={obj['kind']}")
        terms.append(f"involvedObject.uid={uid}")
        found += client.list("events", namespace_of(obj), field_selector=",".join(terms))
    return found


def write_events(page: Page, events: list[Object]) -> None:
    if not events:
        page.line(0, "Events:\t<none>")
        return
    page.flush()
    page.line(0, "Events:")
    page.line(1, "Type\tReason\tAge\tFrom\tMessage")
    page.line(1, "----\t------\t----\t----\t-------")
    for event in sorted(events, key=lambda e: e.get("lastTimestamp") or ""):
        source = get_in(event, "source", "component", default="") or event.get("reportingComponent") or ""
        path = get_in(event, "involvedObject", "fieldPath", default="")
        message = str(event.get("message") or "").strip()
        if path:
            message = f"{path}: {message}"
        page.line(
            1, f"{event.get('type', '')}\t{event.get('reason', '')}\t{interval(page, event)}\t{source}\t{message}"
        )


def interval(page: Page, event: Object) -> str:
    """`2m21s (x3 over 10m)`, or the age of the first occurrence."""
    first = event.get("firstTimestamp") or event.get("eventTime")
    series = event.get("series")
    if series:
        return f"{page.since(series.get('lastObservedTime'))} (x{series.get('count', 0)} over {page.since(first)})"
    if int(event.get("count") or 0) > 1:
        return f"{page.since(event.get('lastTimestamp'))} (x{event['count']} over {page.since(first)})"
    return page.since(first)
