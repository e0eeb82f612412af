"""kubectl events: sorted by time, unlike `get events` (kubectl.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.base import Interrupted, WaitEnd
from labsim.commands.kubectl import printers
from labsim.commands.kubectl.describers.base import Page
from labsim.commands.kubectl.describers.events import interval
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, CHUNK_SIZE, OUTPUT
from labsim.commands.kubectl.mapping import resource_for
from labsim.commands.kubectl.printers import table
from labsim.kube.objects import Object, get_in, namespace_of
from labsim.kube.tabwriter import get_writer
from labsim.kube.watch import Watch

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "events [(-o|--output=)FORMAT] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]"
ABOUT = "List events, the latest last: of a namespace, of all, or of one object."
EXAMPLES = """  kubectl events -A --types=Warning
  kubectl events --for pod/web-0 --watch"""
SPEC = (
    *OUTPUT,
    ALL_NAMESPACES,
    CHUNK_SIZE,
    Flag("for", help="Only events of this object (TYPE/NAME)"),
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("types", kind="slice", help="Only these types (Normal, Warning)"),
    Flag("watch", "w", kind="bool", help="Go on as events come"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    for kind in flags["types"]:
        if kind.lower() not in ("normal", "warning"):
            raise Failure("valid --types are Normal or Warning")
    selector = _for(kubectl)
    namespace = "" if flags["all-namespaces"] else kubectl.namespace
    events = [e for e in kubectl.client.list("events", namespace, field_selector=selector) if _wanted(kubectl, e)]
    if not events and not flags["watch"]:
        where = "." if flags["all-namespaces"] else f" in {kubectl.namespace} namespace."
        kubectl.err(f"No events found{where}\n")
        return 0
    show = printers.printer(kubectl) if flags["output"] or flags["template"] else None
    writer = get_writer()
    headed = flags["no-headers"]

    def text_of(found: list[Object]) -> str:
        nonlocal headed
        if show is not None:
            return "".join(show(event) for event in found)
        rows = [_row(kubectl, event) for event in found]
        head = [] if headed else [_heads(kubectl)]
        headed = True
        return table.add(writer, [*head, *rows])

    events.sort(key=_when)
    if show is not None and not flags["watch"]:
        listed = {"apiVersion": "v1", "kind": "EventList", "metadata": {"resourceVersion": _revision(kubectl)}}
        kubectl.out(show({**listed, "items": events}))
        return 0
    kubectl.emit(text_of(events))
    if not flags["watch"]:
        return 0
    watch = Watch(
        kubectl.client.api, kubectl.client.user, "events", namespace, field_selector=selector, since=_revision(kubectl)
    )
    pending: list[Object] = []

    def some() -> bool:
        pending.extend(obj for kind, obj in watch.poll() if kind != "DELETED" and _wanted(kubectl, obj))
        return bool(pending)

    while True:
        end = kubectl.ctx.advance(some, None)
        kubectl.emit(text_of(pending) if pending else "")
        pending.clear()
        if end is WaitEnd.INTERRUPTED:
            raise Interrupted(130)
        if end is not WaitEnd.DONE:
            raise Interrupted(130, "labsim: nothing more happens: the watch ends")


def _revision(kubectl: Kubectl) -> str:
    return str(kubectl.client.api.store.journal.revision)


def _for(kubectl: Kubectl) -> str:
    text = kubectl.flags["for"]
    if not text:
        return ""
    kind, slash, name = text.partition("/")
    if not slash or not kind or not name or "/" in name:
        raise Failure("--for must be in resource/name form")
    res = resource_for(kubectl.client, kind)
    return f"involvedObject.apiVersion={res.api_version},involvedObject.kind={res.kind},involvedObject.name={name}"


def _wanted(kubectl: Kubectl, event: Object) -> bool:
    types = [t.lower() for t in kubectl.flags["types"]]
    return not types or str(event.get("type", "")).lower() in types


def _when(event: Object) -> str:
    return str(
        get_in(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or ""
    )


def _heads(kubectl: Kubectl) -> list[str]:
    heads = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    return ["NAMESPACE", *heads] if kubectl.flags["all-namespaces"] else heads


def _row(kubectl: Kubectl, event: Object) -> list[str]:
    page = Page(kubectl.client, kubectl.now())
    about = event.get("involvedObject") or {}
    row = [
        interval(page, event),
        str(event.get("type", "")),
        str(event.get("reason", "")),
        f"{about.get('kind', '')}/{about.get('name', '')}",
        str(event.get("message") or "").strip(),
    ]
    return [namespace_of(event), *row] if kubectl.flags["all-namespaces"] else row
