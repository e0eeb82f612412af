"""What all describers share: lines with tabs, labels, annotations, times, events (kubectl.md 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from labsim.kube.client import Client
from labsim.kube.objects import Object, annotations_of, get_in, labels_of, name_of, namespace_of, uid_of
from labsim.sim.clock import parse_time

HIDDEN_ANNOTATIONS = frozenset({"kubectl.kubernetes.io/last-applied-configuration"})
_LONG = 140


class Page:
    """The text of one description. `line(level, text)` indents by two spaces a level; tabs are elastic."""

    def __init__(self, client: Client, now: int) -> None:
        self.client, self.now = client, now
        self._parts: list[str] = []
        self._open: list[str] = []

    def line(self, level: int, text: str) -> None:
        self._open.append("  " * level + text + "\n")

    def field(self, label: str, value: object, level: int = 0) -> None:
        self.line(level, f"{label}:\t{value}")

    def raw(self, text: str) -> None:
        self._open.append(text)

    def flush(self) -> None:
        """What follows aligns by itself."""
        from labsim.kube.tabwriter import TabWriter

        if self._open:
            writer = TabWriter(0, 2)
            writer.write("".join(self._open))
            self._parts.append(writer.flush())
            self._open = []

    def text(self) -> str:
        self.flush()
        return "".join(self._parts)

    def unaligned(self) -> str:
        """The text with its tabs."""
        return "".join((*self._parts, *self._open))

    # -- common blocks -----------------------------------------------------------------------------------------------

    def head(self, obj: Object, namespaced: bool = True) -> None:
        self.field("Name", name_of(obj))
        if namespaced:
            self.field("Namespace", namespace_of(obj))

    def labels(self, title: str, labels: Mapping[str, str] | None, indent: str = "") -> None:
        self.lines(f"{indent}{title}:", [f"{k}={v}" for k, v in sorted((labels or {}).items())])

    def lines(self, title: str, lines: Sequence[str]) -> None:
        """The first line beside the title, the others below it."""
        if not lines:
            self.raw(f"{title}\t<none>\n")
        for at, text in enumerate(lines):
            self.raw(f"{title}\t{text}\n" if at == 0 else f"\t{text}\n")

    def annotations(self, annotations: Mapping[str, str] | None, title: str = "Annotations") -> None:
        shown = {k: v for k, v in (annotations or {}).items() if k not in HIDDEN_ANNOTATIONS}
        self.raw(f"{title}:\t")
        if not shown:
            self.raw("<none>\n")
        for at, (key, value) in enumerate(sorted(shown.items())):
            if at:
                self.raw("\t")
            value = value.removesuffix("\n")
            if len(value) + len(key) + 2 > _LONG or "\n" in value:
                self.raw(f"{key}:\n")
                for part in value.split("\n"):
                    self.raw(f"\t  {shorten(part, _LONG - 2)}\n")
            else:
                self.raw(f"{key}: {value}\n")

    def labels_and_annotations(self, obj: Object) -> None:
        self.labels("Labels", labels_of(obj))
        self.annotations(annotations_of(obj))

    def events(self, obj: Object | None, kind: str = "", extra_uids: Iterable[str] = ()) -> None:
        if obj is None:
            return
        from labsim.commands.kubectl.describers.events import events_about, write_events

        write_events(self, events_about(self.client, obj, extra_uids))

    # -- times -------------------------------------------------------------------------------------------------------

    def since(self, stamp: str | None) -> str:
        from labsim.kube.tables import since

        return since(stamp, self.now)


def shorten(text: str, length: int) -> str:
    return text[:length] + "..." if len(text) > length else text


def stamp(text: str | None) -> str:
    """RFC 1123 with a numeric zone, UTC; what Go prints for no time where there is none."""
    if not text:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    return datetime.fromtimestamp(parse_time(text) // 1000, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")


def yes(value: Any) -> str:
    """Go's bool."""
    return "true" if value else "false"


def capital(value: Any) -> str:
    return "True" if value else "False"


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """metav1.FormatLabelSelector."""
    from labsim.kube.matching import selector_text as text_of

    return text_of(selector) or "<none>"


def labels_text(labels: Mapping[str, str] | None) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted((labels or {}).items())) or "<none>"


def quantity(value: Any) -> str:
    from labsim.kube.quantity import canonical

    try:
        return canonical(str(value))
    except ValueError:
        return str(value)


def controlled_by(obj: Object) -> str:
    from labsim.kube.objects import controller_of

    owner = controller_of(obj)
    return f"{owner['kind']}/{owner['name']}" if owner else ""


_WORD = re.compile(r"[A-Za-z-]+")
_UPPER = ("API", "URL", "UID", "OSB", "GUID")


def smart_label(key: str) -> str:
    """A field name as a title (describe's smartLabelFor): `nodeName` -> `Node Name`; a key with other signs stays."""
    if not _WORD.fullmatch(key):
        return key
    out = []
    for part in camel_parts(key):
        if part == "_":
            continue
        if part.upper() in _UPPER:
            out.append(part.upper())
        else:
            out.append(part[:1].upper() + part[1:].lower())
    return " ".join(out)


def camel_parts(text: str) -> list[str]:
    """camelcase.Split: `PDFLoader` -> PDF, Loader; `dcgmExporter` -> dcgm, Exporter; `a-b` -> a, -, b."""
    runs: list[str] = []
    kinds: list[int] = []
    for char in text:
        kind = 1 if char.islower() else 2 if char.isupper() else 3 if char.isdigit() else 4
        if kinds and kinds[-1] == kind:
            runs[-1] += char
        else:
            runs.append(char)
            kinds.append(kind)
    for at in range(len(runs) - 1):
        if kinds[at] == 2 and kinds[at + 1] == 1:
            runs[at + 1] = runs[at][-1] + runs[at + 1]
            runs[at] = runs[at][:-1]
    return [run for run in runs if run]


def pods_with_uid(client: Client, obj: Object) -> list[Object]:
    """The pods that this object controls."""
    from labsim.kube.objects import controller_of

    selector = get_in(obj, "spec", "selector")
    from labsim.kube.matching import selector_text as text_of

    pods = client.list("pods", namespace_of(obj), label_selector=text_of(selector))
    return [pod for pod in pods if (controller_of(pod) or {}).get("uid") == uid_of(obj)]


def phases(pods: Iterable[Object]) -> str:
    count = {"Running": 0, "Pending": 0, "Succeeded": 0, "Failed": 0}
    for pod in pods:
        phase = get_in(pod, "status", "phase", default="")
        if phase in count:
            count[phase] += 1
    return (
        f"{count['Running']} Running / {count['Pending']} Waiting / "
        f"{count['Succeeded']} Succeeded / {count['Failed']} Failed"
    )
