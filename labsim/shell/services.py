"""What programs get from the shell: time, other programs, sessions, questions (labsim.commands.base.Services)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from labsim.commands.base import Context, FileSystem, Interrupted, NoTerminal, Result, SessionSpec, Stream, WaitEnd

if TYPE_CHECKING:
    from labsim.shell.shell import Shell

MAX_SPAWN_DEPTH = 12
_ENDS = {
    WaitEnd.INTERRUPTED: "",
    WaitEnd.QUIET: "labsim: wait ended: the cluster is quiet and nothing more will happen",
    WaitEnd.LIMIT: "labsim: wait ended: 360 steps in one line",
}


class Hooks(Protocol):
    """The lab's side of the shell: it owns the clock, the editor and the terminal."""

    def before_program(self, argv: tuple[str, ...]) -> None: ...  # may raise Interrupted
    def after_program(self, argv: tuple[str, ...], exit_code: int) -> None: ...
    def advance(self, until: Callable[[], bool] | None = None, timeout_ms: int | None = None) -> WaitEnd: ...
    def emit(self, text: str, stream: Stream) -> None: ...
    def edit(self, name: str, text: str) -> str | None: ...  # raises NoTerminal
    def ask(self, prompt: str) -> str: ...  # raises NoTerminal


class LineServices:
    """Services of the programs of one line.

    `live`: the line is one command whose output goes to the terminal, so what it emits is shown at once.
    `terminal`: what programs print goes to the terminal. `background`: the line has `&`, which runs in place and so
    must not wait.
    """

    def __init__(self, shell: Shell, live: bool, background: bool, terminal: bool = False) -> None:
        self.shell = shell
        self.live = live
        self.terminal = terminal
        self.background = background
        self.pushed: SessionSpec | None = None
        self.gone = ""  # a host whose sessions end with the line
        self.depth = 0
        self.calls: list[Context] = []  # the programs the line called itself

    def now(self) -> int:
        return self.shell.clock()

    def emit(self, text: str, stream: Stream) -> None:
        if self.live and self.depth == 0:
            self.shell.hooks.emit(text, stream)

    def advance(self, until: Callable[[], bool] | None, timeout_ms: int | None) -> WaitEnd:
        if self.background:
            if until is not None and until():
                return WaitEnd.DONE
            raise Interrupted(1, "labsim: a waiting command in the background is not simulated here")
        end = self.shell.hooks.advance(until, timeout_ms)
        if end in _ENDS:
            raise Interrupted(130, _ENDS[end])
        return end

    def spawn(self, ctx: Context, command: Sequence[str] | str, **changes: Any) -> Result:
        if self.depth >= MAX_SPAWN_DEPTH:
            return Result(stderr=f"{ctx.name}: fork: Resource temporarily unavailable\n", exit_code=254)
        self.depth += 1
        try:
            return self.shell.spawn(ctx, command, changes)
        finally:
            self.depth -= 1

    def edit(self, ctx: Context, name: str, text: str) -> str | None:
        return self.shell.hooks.edit(name, text)

    def push_session(self, ctx: Context, spec: SessionSpec) -> None:
        if not self.live or self.depth:
            raise NoTerminal
        self.pushed = spec

    def hang_up(self, host: str) -> None:
        self.gone = host

    def ask(self, ctx: Context, prompt: str) -> str:
        if not ctx.stdin_is_tty:
            return ctx.stdin.split("\n", 1)[0]
        return self.shell.hooks.ask(prompt)

    def on_host(self, ctx: Context, spec: SessionSpec, text: str) -> Result:
        env = {**ctx.env, "HOME": spec.home, "USER": spec.user, "PWD": spec.home, **spec.env}
        client = ctx.client if spec.client is None else spec.client
        fs = self.shell.view_of(spec)
        return self.spawn(
            ctx,
            text,
            host=spec.host,
            user=spec.user,
            cwd=spec.cwd or spec.home,
            env=env,
            client=client,
            fs=fs,
            stdin=ctx.stdin,
            programs=spec.programs,
        )

    def files_of(self, spec: SessionSpec) -> FileSystem:
        return self.shell.view_of(spec)

    def number(self, purpose: str, low: int, high: int) -> int:
        return self.shell.number(purpose, low, high)
