"""The files of one simulated host: POSIX error texts, simulated modification times, undo.

The engine stamps files with the host's time. After each line that may have written, `settle` finds the files whose
stamp is new and gives them the simulated time, in whole seconds.
"""

from __future__ import annotations

import errno
import os
import posixpath
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from labsim.commands.base import Result, Stat
from labsim.shell.engine import Engine, Handle, new_files

_OUTSIDE = ("/dev", "/proc", "/sys", "/usr/bin", "/bin")  # mounted per session, not the host's own files

# The engine's error texts -> errno. The order matters: the first text found decides.
_ERRORS: tuple[tuple[str, type[OSError], int], ...] = (
    ("not found", FileNotFoundError, errno.ENOENT),
    ("no such file", FileNotFoundError, errno.ENOENT),
    ("not a directory", NotADirectoryError, errno.ENOTDIR),
    ("is a directory", IsADirectoryError, errno.EISDIR),
    ("not empty", OSError, errno.ENOTEMPTY),
    ("exists", FileExistsError, errno.EEXIST),
    ("permission", PermissionError, errno.EACCES),
    ("read-only", OSError, errno.EROFS),
)


def failure(path: str, error: Exception) -> OSError:
    text = str(error).lower()
    for words, kind, number in _ERRORS:
        if words in text:
            return kind(number, os.strerror(number), path)
    return OSError(errno.EIO, os.strerror(errno.EIO), path)


@dataclass(frozen=True)
class Entry:
    """One file for undo and for the hash. `stamp` is its time of change in simulated seconds."""

    kind: Literal["file", "directory", "symlink"]
    mode: int
    stamp: float
    size: int
    data: bytes  # a symlink's target


class HostFiles:
    """Absolute paths only; `View` adds a working directory."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.handle: Handle = new_files()
        self._clock = clock
        self._created = clock()
        self._known: dict[str, Entry] = {}
        self._clerk: Engine | None = None

    def metadata(self, path: str) -> dict[str, Any]:
        try:
            return self.handle.stat(path)
        except Exception as error:
            raise failure(path, error) from None

    def time_of(self, path: str, stamp: float) -> int:
        """Simulated ms of the last change; a stamp not seen before is of the line that is running."""
        if path == "/" or path in _OUTSIDE:
            return self._created
        known = self._known.get(path)
        return int(stamp * 1000) if known is not None and known.stamp == stamp else self._clock()

    def _touch(self, path: str, seconds: float) -> None:
        """Set a time of change: only the engine's `touch` can."""
        if self._clerk is None:
            root = {"/": (self.handle, False)}
            self._clerk = Engine(host="", user="root", cwd="/", env={}, mounts=root, names=(), call=lambda _: Result())
        self._clerk.run(f"touch -h -d @{int(seconds)} -- {shlex.quote(path)}")

    def walk(self, path: str = "/") -> Iterator[tuple[str, dict[str, Any]]]:
        if path == "/" and not self.handle.exists(path):
            return  # `rm -rf /`
        for entry in sorted(self.handle.read_dir(path), key=lambda e: str(e["name"])):
            child = posixpath.join(path, entry["name"])
            if child in _OUTSIDE:
                continue
            yield child, entry["metadata"]
            if entry["metadata"]["file_type"] == "directory":
                yield from self.walk(child)

    def _read(self, path: str, meta: dict[str, Any]) -> Entry:
        kind = meta["file_type"]
        data = b""
        if kind == "symlink":
            data = self.handle.read_link(path).encode()
        elif kind != "directory":
            kind = "file"
            data = bytes(self.handle.read_file(path))
        return Entry(kind, meta["mode"], meta["modified"], meta["size"], data)

    def settle(self) -> bool:
        """Take note of what the line wrote; True when anything differs from before. New stamps become now."""
        return self._settle(lambda path: self._clock() // 1000)

    def _settle(self, time_of: Callable[[str], float]) -> bool:
        found: dict[str, Entry] = {}
        fresh: list[tuple[str, dict[str, Any]]] = []
        for path, meta in self.walk():
            known = self._known.get(path)
            if known and (known.stamp, known.mode, known.size) == (meta["modified"], meta["mode"], meta["size"]):
                found[path] = known
            else:
                fresh.append((path, meta))
        for path, meta in fresh:
            known = self._known.get(path)
            if known is None or known.stamp != meta["modified"]:
                self._touch(path, time_of(path))
            found[path] = self._read(path, self.handle.stat(path))
        changed = found != self._known
        self._known = found
        return changed

    def mark(self) -> Mapping[str, Entry]:
        """The state noted last. Never changed afterwards, so it costs nothing."""
        return self._known

    def rewind(self, wanted: Mapping[str, Entry]) -> None:
        """Make the files what they were, times included."""
        self.settle()
        for path in sorted(self._known.keys() - wanted.keys(), reverse=True):
            self.handle.remove(path, recursive=True)
        if not self.handle.exists("/"):
            self.handle.mkdir("/", recursive=True)
        for path, entry in sorted(wanted.items()):
            now = self._known.get(path)
            if now == entry:
                continue
            if now is not None and now.kind != entry.kind:
                self.handle.remove(path, recursive=True)
            self._put(path, entry)
        for path, entry in wanted.items():
            if self.handle.stat(path)["modified"] != entry.stamp:
                self._touch(path, entry.stamp)
        self._known = dict(wanted)

    def _put(self, path: str, entry: Entry) -> None:
        if entry.kind == "directory":
            self.handle.mkdir(path, recursive=True)
        elif entry.kind == "symlink":
            if self.handle.exists(path):
                self.handle.remove(path)
            self.handle.symlink(entry.data.decode(), path)
            return
        else:
            self.handle.write_file(path, entry.data)
        self.handle.chmod(path, entry.mode)

    def listing(self) -> list[tuple[str, str, int, bytes]]:
        """What counts for the shell's hash, of the state noted last."""
        return [(path, e.kind, e.mode, e.data) for path, e in sorted(self._known.items())]

    def lay(self, path: str, text: str, mode: int = 0o644) -> None:
        """Put a file of the beginning in its place."""
        self.handle.mkdir(posixpath.dirname(path), recursive=True)
        self.handle.write_file(path, text.encode())
        self.handle.chmod(path, mode)


class View:
    """The FileSystem of a program: a host's files seen from a working directory."""

    def __init__(self, files: HostFiles, cwd: str) -> None:
        self.files = files
        self._cwd = cwd

    def _at(self, path: str) -> str:
        if not path:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return posixpath.normpath(posixpath.join(self._cwd, path))

    def _do(self, path: str, work: Callable[[str], Any]) -> Any:
        at = self._at(path)
        try:
            return work(at)
        except OSError:
            raise
        except Exception as error:
            raise failure(path, error) from None

    def read_bytes(self, path: str) -> bytes:
        if self.is_dir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        return bytes(self._do(path, self.files.handle.read_file))

    def read_text(self, path: str) -> str:
        return self.read_bytes(path).decode("utf-8", "replace")

    def write_bytes(self, path: str, data: bytes) -> None:
        at = self._at(path)
        parent = posixpath.dirname(at)
        if not self.files.handle.exists(parent):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if self.is_dir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._do(path, lambda at: self.files.handle.write_file(at, data))

    def write_text(self, path: str, text: str) -> None:
        self.write_bytes(path, text.encode("utf-8", "surrogateescape"))

    def exists(self, path: str) -> bool:
        return bool(path) and bool(self.files.handle.exists(self._at(path)))

    def is_dir(self, path: str) -> bool:
        try:
            return self.stat(path).kind == "directory"
        except OSError:
            return False

    def listdir(self, path: str) -> list[str]:
        if not self.is_dir(path):
            self.stat(path)
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return sorted(str(e["name"]) for e in self._do(path, self.files.handle.read_dir))

    def mkdir(self, path: str, parents: bool = False) -> None:
        if not parents and self.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        self._do(path, lambda at: self.files.handle.mkdir(at, recursive=parents))

    def remove(self, path: str, recursive: bool = False) -> None:
        self._do(path, lambda at: self.files.handle.remove(at, recursive=recursive))

    def stat(self, path: str, follow: bool = True) -> Stat:
        meta = self._do(path, self.files.metadata)
        at = self._at(path)
        for _ in range(16):
            if not (follow and meta["file_type"] == "symlink"):
                break
            at = posixpath.normpath(posixpath.join(posixpath.dirname(at), self.files.handle.read_link(at)))
            meta = self.files.metadata(at)
        found = meta["file_type"]
        kind: Literal["file", "directory", "symlink"] = found if found in ("directory", "symlink") else "file"
        size = 4096 if kind == "directory" else meta["size"]
        return Stat(kind, size, meta["mode"], self.files.time_of(at, meta["modified"]))

    def chmod(self, path: str, mode: int) -> None:
        self._do(path, lambda at: self.files.handle.chmod(at, mode))

    def readlink(self, path: str) -> str:
        return str(self._do(path, self.files.handle.read_link))
