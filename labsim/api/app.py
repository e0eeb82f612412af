"""The ASGI application: sockets on one side, `Handler` on a worker thread on the other."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from labsim.api import exec
from labsim.api.handling import Call, Handler, Reply, Stream, status
from labsim.kube.errors import ApiError, bad_request
from labsim.kube.rest.bodies import MAX_BYTES, too_large

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_POLL = 0.05  # real seconds between two looks of a stream


class App:
    """`closing` ends the streams."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        call = Call("GET", scope["path"], scope["query_string"].decode("latin-1"), headers)
        found = await run_in_threadpool(self.handler.exec, call)
        protocol = next((p for p in exec.PROTOCOLS if p in scope["subprotocols"]), None)
        if protocol is None and not isinstance(found, Reply):
            found = status(bad_request("unable to upgrade: unsupported subprotocol"))
        if isinstance(found, Reply):
            length = (b"content-length", str(len(found.body)).encode())
            kind = (b"content-type", b"application/json")
            await send({"type": "websocket.http.response.start", "status": found.code, "headers": [kind, length]})
            await send({"type": "websocket.http.response.body", "body": found.body})
            return
        await send({"type": "websocket.accept", "subprotocol": protocol})
        stdin = await _stdin(receive) if found.stdin and protocol == exec.PROTOCOLS[0] else b""
        text = stdin.decode("utf-8", "surrogateescape")
        for frame in await run_in_threadpool(exec.run, self.handler.lab, found, text):
            await send({"type": "websocket.send", "bytes": frame})
        await send({"type": "websocket.close", "code": 1000})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            body = await _body(request)
        except ClientDisconnect:
            return
        except ApiError as error:
            await _response(status(error))(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        call = Call(scope["method"], scope["path"], query, dict(request.headers), body)
        reply = await run_in_threadpool(self.handler.handle, call)
        if isinstance(reply, Stream):
            await self._stream(reply, receive, send)
        else:
            await _response(reply)(scope, receive, send)

    async def _stream(self, stream: Stream, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", stream.media.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        left = asyncio.ensure_future(_left(receive))
        deadline = time.monotonic() + stream.seconds
        ended = False
        try:
            while not (ended or self.closing or left.done() or time.monotonic() > deadline):
                part, ended = await run_in_threadpool(stream.poll)
                if part:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                if not ended:
                    await asyncio.wait([left], timeout=_POLL)
            await send({"type": "http.response.body", "body": b""})
        finally:
            left.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _stdin(receive: Receive) -> bytes:
    """Everything that is sent on channel 0 until it is closed."""
    parts: list[bytes] = []
    while sum(map(len, parts)) < MAX_BYTES:
        message = await receive()
        frame = message.get("bytes") or b""
        if message["type"] == "websocket.disconnect" or frame[:2] == bytes([exec.CLOSE, exec.STDIN]):
            break
        if frame[:1] == bytes([exec.STDIN]):
            parts.append(frame[1:])
    return b"".join(parts)


async def _body(request: Request) -> bytes:
    """Raises 413 before more than the limit is kept."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BYTES:
            raise too_large()
        parts.append(part)
    return b"".join(parts)


def _response(reply: Reply) -> Response:
    response = Response(reply.body, reply.code, media_type=reply.media)
    response.headers["cache-control"] = "no-cache, private"
    for warning in reply.warnings:
        text = " ".join(warning.split()).replace("\\", "\\\\").replace('"', '\\"')
        response.headers.append("warning", f'299 - "{text.encode("ascii", "replace").decode()}"')
    return response
