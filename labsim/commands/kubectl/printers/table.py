"""Tables as kubectl lays out the server's columns and cells (kubectl.md 1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labsim.commands.kubectl.mapping import kind_name
from labsim.kube.client import Client
from labsim.kube.objects import Object, labels_of, namespace_of
from labsim.kube.scheme import Resource
from labsim.kube.tabwriter import TabWriter, get_writer


@dataclass(frozen=True)
class Look:
    """What flags add to the server's columns."""

    wide: bool = False
    namespace: bool = False
    with_kind: bool = False
    label_columns: tuple[str, ...] = ()
    show_labels: bool = False
    headers: bool = True


def cell_text(value: Any) -> str:
    """One cell: nothing for null, cut at the first line break, control characters made harmless."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    cut = min((at for at in (text.find(c) for c in "\n\r\f") if at >= 0), default=-1)
    if cut >= 0:
        text = text[:cut] + "..."
    return text.replace("\x1b", "^[").replace("\r", "\\r")


def head_and_rows(
    client: Client, res: Resource, objects: Sequence[Object], now: int, look: Look
) -> tuple[list[str], list[list[str]]]:
    """Column heads and the cells of each object, with all that flags add."""
    strategy = client.api.strategies[res.key]
    shown = [i for i, column in enumerate(strategy.columns) if column.priority == 0 or look.wide]
    heads = [strategy.columns[i].name.upper() for i in shown]
    name_at = next((n for n, i in enumerate(shown) if strategy.columns[i].format == "name"), None)
    rows = []
    for obj in objects:
        cells = list(strategy.cells(obj, now))
        row = [cell_text(cells[i]) if i < len(cells) else "" for i in shown]
        if look.with_kind and name_at is not None:
            row[name_at] = kind_name(res, row[name_at])
        rows.append(decorate(obj, row, res, look))
    return decorate_heads(heads, res, look), rows


def decorate_heads(heads: list[str], res: Resource, look: Look) -> list[str]:
    out = (["NAMESPACE"] if look.namespace and res.namespaced else []) + heads
    out += [key.rpartition("/")[2].upper() for key in look.label_columns]
    return out + (["LABELS"] if look.show_labels else [])


def decorate(obj: Object, row: list[str], res: Resource, look: Look) -> list[str]:
    labels = labels_of(obj)
    out = ([namespace_of(obj)] if look.namespace and res.namespaced else []) + row
    out += [labels.get(key, "") for key in look.label_columns]
    return out + ([labels_text(labels)] if look.show_labels else [])


def labels_text(labels: dict[str, str]) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted(labels.items())) or "<none>"


def render(rows: Sequence[Sequence[str]]) -> str:
    """One table, all columns but the last padded."""
    writer = get_writer()
    return add(writer, rows)


def add(writer: TabWriter, rows: Sequence[Sequence[str]]) -> str:
    """Rows through a writer that is kept (get -w): a longer cell moves only its own row."""
    for row in rows:
        writer.write("\t".join(row) + "\n")
    return writer.flush()
