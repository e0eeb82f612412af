"""The shell engine behind labsim's shell, and the only file that imports bashkit (reference/stack.md A1).

What the engine gets wrong or leaks (host time, chance, its own words) is put right by the files around it: `lines.py`
before a line runs, `wording.py` after it, `labsim/commands/host` for programs. Everything here is synchronous.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any
from weakref import ref

from bashkit import Bash, BashError, BuiltinContext, BuiltinResult, ExecutionProfile, FileSystem

from labsim.commands.base import Interrupted, Result, Stream

MAX_LOOP_ITERATIONS = 20_000
MAX_COMMANDS = 50_000
MAX_OUTPUT = 10_000_000  # characters a line
FUSE_SECONDS = 20.0  # a line cut by it is void; all other limits are counts

Handle = FileSystem  # a host's files, shared by its sessions


@dataclass(frozen=True)
class Call:
    """A program called from inside a line. `stdin` is None when it is the terminal."""

    argv: tuple[str, ...]
    stdin: str | None
    env: Mapping[str, str]
    cwd: str


@dataclass(frozen=True)
class Raw:
    """What the engine says of a line: `error` is its own text for a line that it could not finish."""

    stdout: str
    stderr: str
    exit_code: int
    error: str = ""
    interrupted: Interrupted | None = None
    printed: tuple[tuple[Stream, str], ...] = ()  # both streams, command by command

    @property
    def fused(self) -> bool:
        return "execution timeout" in self.error


@dataclass(frozen=True)
class Parsed:
    """A line as the engine's parser sees it. `names` are literal command names; `error` is why it does not parse."""

    names: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()  # literal words of each command; '' for a word that is computed
    functions: tuple[str, ...] = ()
    redirects: bool = False
    writes: bool = False
    opaque: bool = False
    assigns: bool = False
    substitutes: bool = False
    error: str = ""


def new_files() -> Handle:
    """An empty file system (the engine's own default folders taken out)."""
    handle = FileSystem()
    for entry in handle.read_dir("/"):
        handle.remove("/" + entry["name"], recursive=True)
    return handle


class Engine:
    """One bash. `mounts` are path -> (files, read only); `call` runs a program by name."""

    def __init__(
        self,
        *,
        host: str,
        user: str,
        cwd: str,
        env: Mapping[str, str],
        mounts: Mapping[str, tuple[Handle, bool]],
        names: Iterable[str],
        call: Callable[[Call], Result],
    ) -> None:
        self._arguments: dict[str, Any] = {
            "host": host, "user": user, "cwd": cwd, "env": dict(env), "mounts": dict(mounts), "names": tuple(names),
        }  # fmt: skip
        self._call = call
        self._stop: Interrupted | None = None
        self._crash: BaseException | None = None
        self._bash = self._new()

    def _new(self) -> Bash:
        given = self._arguments
        # The collector cannot see through the engine: a strong reference from its builtins to us would never be freed.
        this = ref(self)

        def builtin(ctx: BuiltinContext) -> BuiltinResult:
            engine = this()
            assert engine is not None
            return engine._builtin(ctx)

        bash = Bash(
            username=given["user"],
            hostname=given["host"],
            cwd=given["cwd"],
            env=given["env"],
            max_commands=MAX_COMMANDS,
            max_loop_iterations=MAX_LOOP_ITERATIONS,
            timeout_seconds=FUSE_SECONDS,
            custom_builtins=dict.fromkeys(given["names"], builtin),
            profile=ExecutionProfile.Interactive,  # others stop for good after 1,000 executions
        )
        for path, (files, read_only) in given["mounts"].items():
            bash.mount(path, files, read_only=read_only)
        return bash

    def _builtin(self, ctx: BuiltinContext) -> BuiltinResult:
        if self._stop is not None or self._crash is not None:
            return BuiltinResult(exit_code=130)
        try:
            result = self._call(Call((ctx.name, *ctx.argv), ctx.stdin, ctx.env, ctx.cwd))
        except Interrupted as stop:
            self._stop = stop
            self._bash.cancel()
            return BuiltinResult(exit_code=stop.exit_code)
        except BaseException as crash:  # the engine would turn it into a line of stderr: raise it from `run` instead
            self._crash = crash
            self._bash.cancel()
            return BuiltinResult(exit_code=1)
        return BuiltinResult(result.stdout, result.stderr, result.exit_code)

    def run(self, text: str) -> Raw:
        """Run shell text to its end. Raises what a program raised, other than Interrupted."""
        stdout: list[str] = []
        stderr: list[str] = []
        printed: list[tuple[Stream, str]] = []
        size = 0
        self._stop = self._crash = None

        def take(out: str, err: str) -> None:
            nonlocal size
            stdout.append(out)
            stderr.append(err)
            printed.extend([("stderr", err), ("stdout", out)])
            size += len(out) + len(err)
            if size > MAX_OUTPUT and self._stop is None:
                self._stop = Interrupted(130, f"labsim: line stopped: more than {MAX_OUTPUT // 1_000_000} MB of output")
                self._bash.cancel()

        result = self._bash.execute_sync(text, on_output=take)
        if self._stop is not None or self._crash is not None:
            self._bash.clear_cancel()
        if self._crash is not None:
            crash, self._crash = self._crash, None
            raise crash
        stop, self._stop = self._stop, None
        if result.error or stop:
            # The engine drops what was printed before an error; the pieces have it.
            error = "" if stop else str(result.error)
            return Raw("".join(stdout), "".join(stderr), result.exit_code, error, stop, tuple(printed))
        return Raw(result.stdout, result.stderr, result.exit_code, printed=tuple(printed))

    def parse(self, text: str) -> Parsed:
        """Raises nothing: a line that does not parse has `error`."""
        try:
            found = self._bash.analyze(text)
        except (BashError, ValueError, RuntimeError) as error:
            return Parsed(error=str(error) or "syntax error")
        commands = tuple((c.name or "", *(a or "" for a in c.args)) for c in found.commands if c.name or c.args)
        return Parsed(
            names=tuple(found.command_names),
            commands=commands,
            functions=tuple(found.functions),
            redirects=bool(found.redirects),
            writes=any(r.is_write for r in found.redirects),
            opaque=found.is_opaque,
            assigns=any(c.assignments for c in found.commands),
            substitutes=found.has_command_substitution,
        )

    def snapshot(self) -> bytes:
        """Variables, functions, aliases and cwd; not the files."""
        return bytes(self._bash.snapshot(exclude_filesystem=True))

    def restore(self, data: bytes) -> None:
        self._bash.restore_snapshot(data)

    def rebuild(self, data: bytes) -> None:
        """A fresh engine in the state of a snapshot: after the fuse, when work of the old one may still be running."""
        self._bash = self._new()
        self._bash.restore_snapshot(data)

    def variables(self) -> dict[str, str]:
        return dict(self._bash.shell_state().variables)

    def state(self) -> dict[str, Any]:
        """Plain data for the shell's hash: variables, exported names, arrays, aliases, cwd."""
        state = self._bash.shell_state()
        return {
            "variables": dict(state.variables),
            "exported": sorted(state.env),
            "arrays": {name: {str(i): v for i, v in values.items()} for name, values in state.arrays.items()},
            "maps": {name: dict(values) for name, values in state.assoc_arrays.items()},
            "aliases": dict(state.aliases),
            "cwd": state.cwd,
        }

    @property
    def cwd(self) -> str:
        return str(self._bash.shell_state().cwd)

    @property
    def aliases(self) -> dict[str, str]:
        return dict(self._bash.shell_state().aliases)


class Bridge:
    """From a worker thread back to the one that waits for it."""

    def __init__(self) -> None:
        self.requests: SimpleQueue[tuple[Callable[[], Result], Future] | None] = SimpleQueue()

    def call(self, work: Callable[[], Result]) -> Result:
        """Run `work` on the waiting thread and return (or raise) what it does."""
        future = Future()
        self.requests.put((work, future))
        return future.wait()


class Future:
    """One answer that one thread waits for."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._answer: Result | None = None
        self._failure: BaseException | None = None

    def settle(self, work: Callable[[], Result]) -> None:
        try:
            self._answer = work()
        except BaseException as error:
            self._failure = error
        self._done.set()

    def wait(self) -> Result:
        self._done.wait()
        if self._failure is not None:
            raise self._failure
        assert self._answer is not None
        return self._answer


def on_worker(work: Callable[[Bridge], Result]) -> Result:
    """Run `work` on a thread of its own and wait: an engine must not start inside another's callback on one thread.

    What the worker passes to `Bridge.call` runs here, so every program runs on the thread that typed the line (it holds
    the lab's lock).
    """
    bridge = Bridge()
    outcome = Future()

    def target() -> None:
        outcome.settle(lambda: work(bridge))
        bridge.requests.put(None)

    thread = threading.Thread(target=target)
    thread.start()
    while (request := bridge.requests.get()) is not None:
        wanted, future = request
        future.settle(wanted)
    thread.join()
    return outcome.wait()
