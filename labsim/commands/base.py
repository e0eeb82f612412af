"""What every simulated program is given and gives back. A program is `def main(ctx: Context) -> int`, the exit code.

A program reads `ctx.argv` and `ctx.stdin`, prints with `out` and `err`, reaches the cluster through `ctx.client` and
files through `ctx.fs`. It has no other way out: no host files, no clock of its own. What only the lab can do (let time
pass, run another line, open an editor) is behind `Services`, which the shell implements and tests fake
(`tests/fakes/context.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Protocol

Stream = Literal["stdout", "stderr"]


class Interrupted(Exception):
    """The line ends here: Ctrl-C, or a limit of the line is used up. Programs let it pass; the shell ends the line."""

    def __init__(self, exit_code: int = 130, message: str = "") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.message = message  # one line for stderr; '' for Ctrl-C, which prints only ^C
        self.printed = Result()  # what the interrupted programs had printed


class NoTerminal(Exception):
    """An editor or a question was asked for where nobody can answer."""


class WaitEnd(Enum):
    """Why `advance` came back."""

    DONE = "done"  # the condition holds
    TIMEOUT = "timeout"  # `timeout_ms` of simulated time went by
    QUIET = "quiet"  # the world is quiet and nothing was printed for 12 steps: it would wait for ever
    LIMIT = "limit"  # the line's 360 steps are used up
    INTERRUPTED = "interrupted"  # Ctrl-C


@dataclass(frozen=True)
class Stat:
    """What `ls -l` shows of a file: `size` in bytes, `mode` the permission bits, `mtime` in simulated ms."""

    kind: Literal["file", "directory", "symlink"]
    size: int
    mode: int
    mtime: int


class FileSystem(Protocol):
    """Files of one simulated host. Paths are absolute or relative to the program's cwd.

    Errors are OSError subclasses (FileNotFoundError, IsADirectoryError, NotADirectoryError, FileExistsError,
    PermissionError) whose `strerror` is the C library's text ("No such file or directory").
    """

    def read_text(self, path: str) -> str: ...
    def read_bytes(self, path: str) -> bytes: ...
    def write_text(self, path: str, text: str) -> None: ...
    def write_bytes(self, path: str, data: bytes) -> None: ...
    def exists(self, path: str) -> bool: ...
    def is_dir(self, path: str) -> bool: ...
    def listdir(self, path: str) -> list[str]: ...
    def mkdir(self, path: str, parents: bool = False) -> None: ...
    def remove(self, path: str, recursive: bool = False) -> None: ...
    def stat(self, path: str, follow: bool = True) -> Stat: ...
    def chmod(self, path: str, mode: int) -> None: ...
    def readlink(self, path: str) -> str: ...


@dataclass(frozen=True)
class Result:
    """What a program or a line printed, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


@dataclass(frozen=True)
class SessionSpec:
    """A session to push: a shell on another host (ssh), in a container (exec -it) or as another user (sudo -i).

    `prompt` is PS1 already expanded except for `\\w` (the working directory, home as `~`). Sessions with the same
    `files` key share one file system; a host's key is its name, a container's its uid.
    """

    host: str
    user: str
    home: str
    prompt: str
    files: str
    cwd: str = ""  # where it starts; '' is home
    env: Mapping[str, str] = field(default_factory=dict)
    client: Any = None  # None: the client of the session below
    start_files: Mapping[str, str] = field(default_factory=dict)  # laid down when the file system is first made
    programs: frozenset[str] | None = None  # all that a container's image has; None: what a host has
    # When it ends: `module:function`, a program called in the session below with these words; LABSIM_EXIT is the code.
    closing: tuple[str, ...] = ()
    greeting: str = ""
    farewell: str = ""  # what the program prints on stderr when the session ends ("logout", "Connection to x closed.")


class Services(Protocol):
    """What the shell and the lab do for a program."""

    def now(self) -> int: ...
    def emit(self, text: str, stream: Stream) -> None: ...
    def advance(self, until: Callable[[], bool] | None, timeout_ms: int | None) -> WaitEnd: ...
    def spawn(self, ctx: Context, command: Sequence[str] | str, **changes: Any) -> Result: ...
    def edit(self, ctx: Context, name: str, text: str) -> str | None: ...
    def push_session(self, ctx: Context, spec: SessionSpec) -> None: ...
    def hang_up(self, host: str) -> None: ...  # the host is gone: sessions on it end with the line
    def ask(self, ctx: Context, prompt: str) -> str: ...
    def on_host(self, ctx: Context, spec: SessionSpec, text: str) -> Result: ...  # shell text in a session of its own
    def files_of(self, spec: SessionSpec) -> FileSystem: ...  # of another host or a container
    def number(self, purpose: str, low: int, high: int) -> int: ...  # chance: same seed, line and purpose, same number


@dataclass
class Context:
    """One call of a program."""

    argv: tuple[str, ...]  # argv[0] is the program's name
    fs: FileSystem
    client: Any  # labsim.kube.client.Client of whoever types (inside a pod: of its service account)
    services: Services
    stdin: str = ""  # the whole of standard input
    stdin_is_tty: bool = True
    stdout_is_tty: bool = True
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/root"
    host: str = "kadmin"
    user: str = "root"
    programs: frozenset[str] | None = None  # all there are in this container; None: what a host has
    stdout_parts: list[str] = field(default_factory=list)
    stderr_parts: list[str] = field(default_factory=list)
    printed: list[tuple[Stream, str]] = field(default_factory=list)  # both streams, as a terminal shows them

    @property
    def name(self) -> str:
        return self.argv[0]

    @property
    def args(self) -> tuple[str, ...]:
        return self.argv[1:]

    def now(self) -> int:
        """Simulated milliseconds since the epoch."""
        return self.services.now()

    def out(self, text: str) -> None:
        self.stdout_parts.append(text)
        self.printed.append(("stdout", text))

    def err(self, text: str) -> None:
        self.stderr_parts.append(text)
        self.printed.append(("stderr", text))

    def emit(self, text: str, stream: Stream = "stdout") -> None:
        """Print while waiting: seen at once where the line allows it, and part of the output in any case."""
        (self.out if stream == "stdout" else self.err)(text)
        self.services.emit(text, stream)

    def advance(self, until: Callable[[], bool] | None = None, timeout_ms: int | None = None) -> WaitEnd:
        """Let simulated time pass until the condition holds. The only thing that moves the clock inside a line.

        In a shell only DONE and TIMEOUT come back; the other ends raise Interrupted, which ends the line with 130.
        """
        return self.services.advance(until, timeout_ms)

    def spawn(self, command: Sequence[str] | str, **changes: Any) -> Result:
        """Run another program (a list of words) or shell text (a str) to its end.

        `changes` replace fields of this context for it: host, user, cwd, stdin, env, client, fs.
        """
        return self.services.spawn(self, command, **changes)

    def edit(self, name: str, text: str) -> str | None:
        """The text as left in the editor; None when cancelled. Raises NoTerminal where there is no editor."""
        return self.services.edit(self, name, text)

    def push_session(self, spec: SessionSpec) -> None:
        """Open a session on top. Raises NoTerminal unless this program is the line's only command."""
        self.services.push_session(self, spec)

    def ask(self, prompt: str) -> str:
        """One line of answer to a question; from stdin when that is no terminal. Raises NoTerminal: nobody is there."""
        return self.services.ask(self, prompt)

    def result(self, exit_code: int) -> Result:
        return Result("".join(self.stdout_parts), "".join(self.stderr_parts), exit_code)


Program = Callable[[Context], int]
