"""What a check looks at: objects (now or at an earlier revision), files, answers, logs, the baseline, the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from labsim.kube.apiserver import APIServer
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object
from labsim.sim.journal import Write

LEARNERS = frozenset({"kubernetes-admin"})


class CheckError(Exception):
    """A check that cannot be judged: the author's mistake, not the learner's."""


class Reader(Protocol):
    def get(self, resource: str, namespace: str, name: str) -> Object | None: ...
    def list(self, resource: str, namespace: str = "") -> list[Object]: ...


class Frame:
    """All objects at one moment, as plain dicts; moved forward write by write."""

    def __init__(self, objects: Mapping[str, Iterable[Object]]) -> None:
        self._objects: dict[str, dict[tuple[str, str], Object]] = {
            resource: {(o["metadata"].get("namespace", ""), o["metadata"]["name"]): o for o in found}
            for resource, found in objects.items()
        }

    def copy(self) -> Frame:
        other = Frame({})
        other._objects = {resource: dict(found) for resource, found in self._objects.items()}
        return other

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        return self._objects.get(resource, {}).get((namespace, name))

    def list(self, resource: str, namespace: str = "") -> list[Object]:
        found = self._objects.get(resource, {})
        return [found[place] for place in sorted(found) if not namespace or place[0] == namespace]

    def apply(self, write: Write) -> None:
        bucket = self._objects.setdefault(write.resource, {})
        if write.after is None:
            bucket.pop((write.namespace, write.name), None)
        else:
            bucket[(write.namespace, write.name)] = write.after


@dataclass
class Scene:
    """`reader` is the store (now) or a Frame (earlier). `baseline` is the world as the learner got it."""

    api: APIServer
    reader: Reader
    baseline: Frame
    writes: Sequence[Write] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    read_file: Callable[[str], str | None] = lambda path: None
    read_log: Callable[[str, str, str], str | None] | None = None

    def key(self, resource: str) -> str:
        found = self.api.scheme.find(resource)
        if found is None:
            raise CheckError(f"there is no resource {resource}")
        return found.key

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        found = self.api.scheme.find(resource)
        if found is None:
            raise CheckError(f"there is no resource {resource}")
        scope = (namespace or "default") if found.namespaced else ""
        return self.reader.get(found.key, scope, name)

    def list(self, resource: str, namespace: str = "", selector: str = "", fields: str = "") -> list[Object]:
        key = self.key(resource)
        try:
            match = self.api.matcher(key, selector, fields)
        except ApiError as error:
            raise CheckError(error.message) from None
        return [obj for obj in self.reader.list(key, namespace) if match(obj)]

    def at(self, reader: Reader) -> Scene:
        """The same scene over another moment's objects."""
        return Scene(self.api, reader, self.baseline, self.writes, self.answers, self.read_file, self.read_log)


@dataclass(frozen=True)
class Verdict:
    """`status` is pass, fail or error. `read` names what was looked at; `expected` and `found` are for people."""

    status: str
    read: str
    expected: str
    found: str

    @property
    def holds(self) -> bool:
        return self.status == "pass"


def verdict(holds: bool, read: str, expected: str, found: str) -> Verdict:
    return Verdict("pass" if holds else "fail", read, expected, found)
