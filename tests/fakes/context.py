"""A Context with everything faked: files in a dict, a clock that obeys, no shell."""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from labsim.commands.base import Context, NoTerminal, Result, SessionSpec, Stat, Stream, WaitEnd

START = 1_794_303_660_000  # 2026-11-10T09:41:00Z


def _fail(kind: type[OSError], number: int, path: str) -> OSError:
    return kind(number, os.strerror(number), path)


class FakeFiles:
    """Files and directories in a dict: path -> bytes, or None for a directory."""

    def __init__(self, files: Mapping[str, str] | None = None, cwd: str = "/root") -> None:
        self.cwd = cwd
        self.entries: dict[str, bytes | None] = {"/": None, cwd: None}
        for path, text in (files or {}).items():
            self.mkdir(posixpath.dirname(self._at(path)), parents=True)
            self.write_text(path, text)

    def _at(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self.cwd, path))

    def read_bytes(self, path: str) -> bytes:
        at = self._at(path)
        if at not in self.entries:
            raise _fail(FileNotFoundError, errno.ENOENT, path)
        data = self.entries[at]
        if data is None:
            raise _fail(IsADirectoryError, errno.EISDIR, path)
        return data

    def read_text(self, path: str) -> str:
        return self.read_bytes(path).decode("utf-8", "replace")

    def write_bytes(self, path: str, data: bytes) -> None:
        at = self._at(path)
        if not self.is_dir(posixpath.dirname(at)):
            raise _fail(FileNotFoundError, errno.ENOENT, path)
        if self.is_dir(at):
            raise _fail(IsADirectoryError, errno.EISDIR, path)
        self.entries[at] = data

    def write_text(self, path: str, text: str) -> None:
        self.write_bytes(path, text.encode())

    def exists(self, path: str) -> bool:
        return self._at(path) in self.entries

    def is_dir(self, path: str) -> bool:
        at = self._at(path)
        return at in self.entries and self.entries[at] is None

    def listdir(self, path: str) -> list[str]:
        at = self._at(path)
        if not self.is_dir(at):
            raise _fail(FileNotFoundError, errno.ENOENT, path)
        return sorted(posixpath.basename(p) for p in self.entries if p != "/" and posixpath.dirname(p) == at)

    def mkdir(self, path: str, parents: bool = False) -> None:
        at = self._at(path)
        if at in self.entries:
            if parents:
                return
            raise _fail(FileExistsError, errno.EEXIST, path)
        if parents:
            self.mkdir(posixpath.dirname(at), parents=True)
        self.entries[at] = None

    def remove(self, path: str, recursive: bool = False) -> None:
        at = self._at(path)
        if at not in self.entries:
            raise _fail(FileNotFoundError, errno.ENOENT, path)
        for name in [p for p in self.entries if p == at or (recursive and p.startswith(at + "/"))]:
            del self.entries[name]

    def stat(self, path: str, follow: bool = True) -> Stat:
        at = self._at(path)
        if at not in self.entries:
            raise _fail(FileNotFoundError, errno.ENOENT, path)
        data = self.entries[at]
        if data is None:
            return Stat("directory", 4096, 0o755, START)
        return Stat("file", len(data), 0o644, START)

    def chmod(self, path: str, mode: int) -> None:
        self.read_bytes(path)

    def readlink(self, path: str) -> str:
        raise _fail(OSError, errno.EINVAL, path)


class FakeServices:
    """`advance` adds seconds until the condition holds; answers, edits and spawned results are given beforehand."""

    def __init__(self) -> None:
        self.time = START
        self.emitted: list[str] = []
        self.answers: list[str] = []
        self.edits: list[str | None] = []
        self.spawned: list[Sequence[str] | str] = []
        self.results: list[Result] = []
        self.sessions: list[SessionSpec] = []
        self.gone = ""
        self.step: Callable[[], None] | None = None  # called at each simulated second of an advance

    def now(self) -> int:
        return self.time

    def emit(self, text: str, stream: Stream) -> None:
        self.emitted.append(text)

    def advance(self, until: Callable[[], bool] | None, timeout_ms: int | None) -> WaitEnd:
        deadline = self.time + (timeout_ms if timeout_ms is not None else 3_600_000)
        while True:
            if until is not None and until():
                return WaitEnd.DONE
            if self.time >= deadline:
                return WaitEnd.TIMEOUT if timeout_ms is not None else WaitEnd.QUIET
            self.time = min(self.time + 1000, deadline)
            if self.step is not None:
                self.step()

    def spawn(self, ctx: Context, command: Sequence[str] | str, **changes: Any) -> Result:
        self.spawned.append(command)
        return self.results.pop(0) if self.results else Result()

    def edit(self, ctx: Context, name: str, text: str) -> str | None:
        if not self.edits:
            raise NoTerminal
        return self.edits.pop(0)

    def push_session(self, ctx: Context, spec: SessionSpec) -> None:
        self.sessions.append(spec)

    def hang_up(self, host: str) -> None:
        self.gone = host

    def ask(self, ctx: Context, prompt: str) -> str:
        if not self.answers:
            raise NoTerminal
        return self.answers.pop(0)

    def on_host(self, ctx: Context, spec: SessionSpec, text: str) -> Result:
        return self.spawn(ctx, text, host=spec.host, user=spec.user)

    def files_of(self, spec: SessionSpec) -> FakeFiles:
        return FakeFiles(spec.start_files, spec.cwd or spec.home)

    def number(self, purpose: str, low: int, high: int) -> int:
        return low


def context(
    *argv: str, client: Any = None, files: Mapping[str, str] | None = None, stdin: str | None = None, **fields: Any
) -> Context:
    """A call of `argv`; `stdin=None` is a terminal."""
    cwd = fields.get("cwd", "/root")
    return Context(
        argv=argv,
        client=client,
        fs=fields.pop("fs", None) or FakeFiles(files, cwd),
        services=fields.pop("services", None) or FakeServices(),
        stdin=stdin or "",
        stdin_is_tty=stdin is None,
        **fields,
    )
