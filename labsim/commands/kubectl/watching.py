"""kubectl get -w and --watch-only: the list, then one row or object an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.base import Interrupted, WaitEnd
from labsim.commands.kubectl import printers
from labsim.commands.kubectl.builder import build, raise_all, with_kind
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.printers import table
from labsim.kube.objects import Object
from labsim.kube.tabwriter import get_writer
from labsim.kube.watch import Watch

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl


def watch(kubectl: Kubectl) -> int:
    """Ends with the line's limits or Ctrl-C. Raises Failure for more than one kind."""
    from labsim.commands.kubectl.verbs.get import is_table, look_of

    result = build(kubectl, kubectl.args)
    found, errors = result.fetch()
    raise_all(errors)
    kinds = {answer.resource.key for answer in found}
    if len(kinds) != 1 or (len(found) > 1):
        raise Failure("you may only specify a single resource type")
    res = found[0].resource
    flags = kubectl.flags
    objects: list[Object] = [] if flags["watch-only"] else found[0].objects
    look = look_of(kubectl, flags["show-kind"])
    events = flags["output-watch-events"]
    show = None if is_table(kubectl) else printers.printer(kubectl, printers.GET_FORMATS)
    writer = get_writer()
    headed = not look.headers

    def rows_text(changes: list[tuple[str, Object]]) -> str:
        nonlocal headed
        heads, rows = table.head_and_rows(kubectl.client, res, [obj for _, obj in changes], kubectl.now(), look)
        if events:
            heads = ["EVENT", *heads]
            rows = [[kind.ljust(8), *row] for (kind, _), row in zip(changes, rows, strict=True)]
        before = [] if headed else [heads]
        headed = True
        return table.add(writer, [*before, *rows])

    def text_of(changes: list[tuple[str, Object]]) -> str:
        if not changes:
            return ""
        if show is None:
            return rows_text(changes)
        out = []
        for kind, obj in changes:
            body: Any = {"type": kind, "object": obj} if events and flags["output"] in ("json", "yaml") else obj
            out.append(show(body))
        return "".join(out)

    single = kubectl.args and not found[0].is_list
    name = found[0].objects[0]["metadata"]["name"] if single else ""
    namespace = "" if flags["all-namespaces"] or not res.namespaced else kubectl.namespace
    fields = flags["field-selector"]
    selection = f"metadata.name={name}" if name else fields
    watched = Watch(
        kubectl.client.api,
        kubectl.client.user,
        res.key,
        namespace,
        label_selector=flags["selector"],
        field_selector=selection,
        since=str(kubectl.client.api.store.journal.revision),
    )
    pending: list[tuple[str, Object]] = []

    def some() -> bool:
        pending.extend((kind, with_kind(res, obj)) for kind, obj in watched.poll())
        return bool(pending)

    kubectl.emit(text_of([("ADDED", obj) for obj in objects]))

    while True:
        end = kubectl.ctx.advance(some, None)
        kubectl.emit(text_of(pending))
        pending.clear()
        if end is WaitEnd.INTERRUPTED:
            raise Interrupted(130)
        if end is not WaitEnd.DONE:
            text = "the cluster is quiet" if end is WaitEnd.QUIET else "the line's steps are used up"
            raise Interrupted(130, f"labsim: {text}: the watch ends")
