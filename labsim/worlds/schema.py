"""The form of a world file. Unknown keys are refused; an error is one line: file, line, field, what was expected."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from labsim.documents import Document, read, validation_error
from labsim.hardware.machine import DGX_H100
from labsim.sim.clock import DAY, HOUR, MINUTE, SECOND, parse_time
from labsim.worlds import files

_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def duration(text: str) -> int:
    """`10s`, `90m`, `30h`, `31d` in ms. Raises ValueError."""
    match = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if match is None:
        raise ValueError(f"a number and one of s, m, h, d (such as 31d), found {text!r}")
    return int(match.group(1)) * _UNITS[match.group(2)]


def _duration(text: str) -> str:
    duration(text)
    return text


def _instant(text: str) -> str:
    try:
        parse_time(text)
    except ValueError:
        raise ValueError(f"a date and time such as 2026-11-10T09:41:00Z, found {text!r}") from None
    return text


def _name(text: str) -> str:
    if not _NAME.fullmatch(text) or len(text) > 63:
        raise ValueError(f"a name of lower-case letters, digits, '-' and '.', found {text!r}")
    return text


def _address(text: str) -> str:
    parts = text.split(".")
    if len(parts) != 4 or not all(p.isdigit() and int(p) < 256 for p in parts):
        raise ValueError(f"an IPv4 address, found {text!r}")
    return text


Duration = Annotated[str, AfterValidator(_duration)]
Instant = Annotated[str, AfterValidator(_instant)]
Name = Annotated[str, AfterValidator(_name)]
Address = Annotated[str, AfterValidator(_address)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Admin(_Model):
    """The host the learner sits at."""

    host: Name = "kadmin"
    user: str = "root"


class Kubernetes(_Model):
    version: str
    api: str
    service_cidr: str
    pod_cidr: str


class Nodes(_Model):
    """Machines of one kind; addresses count up from `first_ip`."""

    names: list[Name] = Field(min_length=1)
    machine: str = DGX_H100
    first_ip: Address
    os: str
    kernel: str
    runtime: str
    kubelet: str
    capacity: dict[str, str]
    allocatable: dict[str, str]
    labels: dict[str, str] = {}
    taints: list[dict[str, str]] = []


class Namespace(_Model):
    name: Name
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class Change(_Model):
    """A JSON merge patch on one object of a chart."""

    kind: str
    name: Name
    merge: dict[str, Any]


class ChartUse(_Model):
    chart: str
    changes: list[Change] = []


class Workload(_Model):
    """An object created `age` before the start of time."""

    age: Duration
    manifest: dict[str, Any]


class World(_Model):
    name: Name
    extends: str = ""
    title: str
    description: str
    start: Instant
    age: Duration
    step: Duration = "10s"
    admin: Admin = Admin()
    kubernetes: Kubernetes
    nodes: list[Nodes] = Field(min_length=1)
    namespaces: list[Namespace] = []
    charts: list[ChartUse] = []
    workloads: list[Workload] = []


class Chart(_Model):
    name: str
    version: str
    objects: list[dict[str, Any]] = Field(min_length=1)


_LISTS = ("nodes", "namespaces", "charts", "workloads")


def load(name_or_path: str) -> World:
    """The world with what it extends. Raises DocumentError."""
    paths = files.chain(name_or_path)
    documents = [read(path) for path in paths]
    for document, path in zip(documents, paths, strict=True):
        _check(document, path is paths[-1])
    merged: dict[str, Any] = {}
    for document in reversed(documents):
        merged = _over(merged, document.data)
    try:
        world = World.model_validate(merged)
    except ValidationError as error:
        raise validation_error(documents[0], error) from None
    _check_objects(documents, world)
    return world


def _check(document: Document, base: bool) -> None:
    """Errors are told with the line of the file they stand in, so each file is looked at alone too."""
    if document.data.get("extends") and base:
        raise document.error(("extends",), "a plain world name on its own line at the left margin")
    try:
        World.model_validate(document.data)
    except ValidationError as error:
        found = [row for row in error.errors() if base or row["type"] != "missing" or len(row["loc"]) > 1]
        # A misspelt key is both unknown and, under its right name, missing: the first says more.
        found.sort(key=lambda row: row["type"] != "extra_forbidden")
        if found:
            raise validation_error(document, _Only(found)) from None


class _Only:
    """A ValidationError cut down to some of its rows."""

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def errors(self) -> list[Any]:
        return self._rows


def _over(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """Lists are joined, mappings merged, all else replaced."""
    merged = dict(base)
    for key, value in top.items():
        if key in _LISTS and isinstance(value, list):
            merged[key] = [*base.get(key, []), *value]
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            merged[key] = {**base[key], **value}
        else:
            merged[key] = value
    return merged


def _check_objects(documents: list[Document], world: World) -> None:
    seen: set[str] = set()
    for document in reversed(documents):
        for at, nodes in enumerate(document.data.get("nodes", ())):
            for place, name in enumerate(nodes["names"]):
                if name in seen:
                    raise document.error(("nodes", at, "names", place), f"each node once, found {name!r} again")
                seen.add(name)
        for at, workload in enumerate(document.data.get("workloads", ())):
            problem = object_problem(workload["manifest"])
            if problem:
                raise document.error(("workloads", at, "manifest"), problem)
            if duration(workload["age"]) > duration(world.age):
                raise document.error(("workloads", at, "age"), f"at most the world's age, {world.age}")


def object_problem(obj: dict[str, Any]) -> str:
    """What is missing of an object, or ""."""
    for key in ("apiVersion", "kind"):
        if not isinstance(obj.get(key), str):
            return f"an object with {key}"
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return "an object with metadata.name"
    return ""


def load_chart(name: str, world: Path) -> Chart:
    """Raises DocumentError."""
    document = read(files.chart_file(name, world))
    try:
        chart = Chart.model_validate(document.data)
    except ValidationError as error:
        raise validation_error(document, error) from None
    for at, obj in enumerate(chart.objects):
        problem = object_problem(obj)
        if problem:
            raise document.error(("objects", at), problem)
    return chart
