"""One request, from its parts to a reply or a stream. No asyncio here: each call holds the lab's lock."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from labsim.api import documents, logs, reads
from labsim.api.clocks import Clock
from labsim.api.exec import Execution, wanted
from labsim.api.times import Sessions, moved, moved_text
from labsim.kube.errors import ApiError, bad_request, forbidden, gone, internal, method_not_allowed
from labsim.kube.rest import bodies
from labsim.kube.rest.paths import Target, find
from labsim.lab import LEARNER, Lab
from labsim.telling import place_of

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_UPGRADES = ("exec", "attach", "portforward")
_KEPT = 100  # sessions, and GETs of one, that are remembered
_CHANGES = ("POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Reply:
    code: int
    body: bytes
    media: str = "application/json"
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stream:
    """`poll` gives what there is now and whether that was the end; it is called again and again, never in parallel."""

    poll: Callable[[], tuple[bytes, bool]]
    media: str = "application/json"
    seconds: float = 1800.0


@dataclass(frozen=True)
class Call:
    """An HTTP request. `path` is decoded, `headers` have lower-case names."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


def status(error: ApiError) -> Reply:
    return Reply(error.code, json.dumps(error.status).encode())


class Handler:
    """All requests of one served lab."""

    def __init__(self, lab: Lab, clock: Clock) -> None:
        self.lab, self.clock = lab, clock
        self.sessions = Sessions()
        self._asked: dict[str, set[str]] = {}

    def handle(self, call: Call) -> Reply | Stream:
        """Never raises: what cannot be served is a Status."""
        try:
            with self.lab.lock:
                return self._handle(call)
        except ApiError as error:
            return status(error)
        except Exception as error:
            self.lab.hands.faults.append(f"{call.method} {call.path}: {place_of(error)}")
            return status(internal("a fault of labsim, the request was not carried out"))

    def exec(self, call: Call) -> Execution | Reply:
        """What a WebSocket asks for, or why it gets none."""
        try:
            with self.lab.lock:
                self._admit(call)
                if call.headers.get("origin"):
                    raise forbidden("requests", "", "labsim takes no requests of web pages")
                return wanted(self.lab, call.path, call.query)
        except ApiError as error:
            return status(error)

    def _handle(self, call: Call) -> Reply | Stream:
        self._admit(call)
        query = dict(parse_qsl(call.query, keep_blank_values=True, errors="replace"))
        session = call.headers.get("kubectl-session", "")[:100]
        if session and session not in self.sessions:
            self.clock.new_session()
        offset = self.sessions.offset(session, self.lab.cluster.clock.now)
        if call.method in _CHANGES:
            return self._change(call, query, session, offset)
        if call.method not in ("GET", "HEAD"):
            raise method_not_allowed()
        accept = call.headers.get("accept", "")
        self._ask(session, f"{call.path}?{call.query} {accept}")
        found = documents.find(self.lab.client, call.path, accept)
        if found is not None:
            body, media = found
            return Reply(200, body.encode() if isinstance(body, str) else json.dumps(body).encode(), media)
        target = find(self.lab.client.scheme, call.path)
        if target.sub in _UPGRADES:
            raise bad_request("Upgrade request required")
        if target.sub == "log":
            return self._log(target, query, offset)
        if query.get("watch") in ("true", "1"):
            return self._watch(target, accept, query, offset)
        body = reads.read(self.lab.client, target, accept, query)
        return Reply(200, _dump(body, offset))

    def _ask(self, session: str, what: str) -> None:
        """A GET that the session sends again, with no write between, waits for something to happen (drain, delete)."""
        asked = self._asked.pop(session, set())
        self._asked[session] = asked  # the session used last is the last
        if what in asked:
            self.clock.waiting()
        elif len(asked) < _KEPT:
            asked.add(what)
        if len(self._asked) > _KEPT:
            del self._asked[next(iter(self._asked))]

    def _admit(self, call: Call) -> None:
        """Pages of a browser must not reach the lab by a name of their own (DNS rebinding)."""
        host = call.headers.get("host", "127.0.0.1").rpartition(":")
        if (host[0] or host[2]) not in _LOOPBACK and call.headers.get("host") not in _LOOPBACK:
            raise forbidden("requests", "", "labsim serves loopback addresses only")
        user = call.headers.get("impersonate-user", LEARNER)
        others = [name for name in call.headers if name.startswith("impersonate-") and name != "impersonate-user"]
        if user != LEARNER or others:
            raise forbidden("users", user, "labsim: impersonation is not simulated")

    def _change(self, call: Call, query: dict[str, str], session: str, offset: int) -> Reply:
        if call.headers.get("origin"):
            raise forbidden("requests", "", "labsim takes no requests of web pages")
        self._asked.pop(session, None)
        media = call.headers.get("content-type", "")
        body = moved(bodies.parse(call.body, media), -offset)
        entry = {
            "kind": "api", "session": session, "method": call.method, "path": call.path, "query": query,
            "type": media.split(";")[0].strip().lower(), "body": body,
        }  # fmt: skip
        answer = self.lab.hands.request(entry)
        return Reply(answer.code, _dump(answer.body, offset), warnings=answer.warnings)

    def _log(self, target: Target, query: dict[str, str], offset: int) -> Reply | Stream:
        query = {**query, "sinceTime": moved_text(query.get("sinceTime", ""), -offset)}
        query = logs.options(target, query, self.lab.client.now)
        text = logs.once(self.lab.client, target, query)
        if query["follow"] != "true":
            return Reply(200, text.encode(), "text/plain")
        more = logs.follower(self.lab.client, target, query)

        def poll() -> tuple[bytes, bool]:
            try:
                with self.lab.lock:
                    self.clock.waiting()
                    text, ended = more()
            except ApiError:
                return b"", True  # the pod is gone
            return text.encode(), ended

        return Stream(poll, "text/plain", float("inf"))

    def _watch(self, target: Target, accept: str, query: dict[str, str], offset: int) -> Stream:
        client, hands = self.lab.client, self.lab.hands
        shown = reads.shape(client, target, accept, query)
        watch = reads.open_watch(client, target, query)
        epoch, first, began = hands.epoch, True, False

        def poll() -> tuple[bytes, bool]:
            nonlocal first, began
            if began:
                self.clock.waiting()
                if epoch == hands.epoch and client.api.store.journal.revision == watch.revision:
                    return b"", False
            began = True
            parts: list[bytes] = []
            try:
                with self.lab.lock:
                    if epoch != hands.epoch:
                        raise gone("too old resource version: the lab went back to an earlier state")
                    for kind, obj in watch.poll():
                        parts.append(_dump(shown.event(kind, obj, first), offset))
                        first = False
            except ApiError as error:
                parts.append(json.dumps({"type": "ERROR", "object": error.status}).encode())
                return b"\n".join(parts) + b"\n", True
            return b"".join(part + b"\n" for part in parts), False

        return Stream(poll, seconds=_timeout(query))


def _timeout(query: dict[str, str]) -> float:
    text = query.get("timeoutSeconds", "")
    if text and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return float(text) if text and int(text) else 1800.0


def _dump(body: Any, offset: int) -> bytes:
    return json.dumps(moved(body, offset), ensure_ascii=False).encode("utf-8", "replace")
