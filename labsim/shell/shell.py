"""The trainee's shell: a stack of sessions, one line at a time (design.md 3 "Shell")."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib import import_module
from typing import Any

from labsim.commands import notsimulated, registry
from labsim.commands.base import Context, FileSystem, Interrupted, Result, SessionSpec, Stream
from labsim.shell import completion, continuation, history, host, lines, wording
from labsim.shell.engine import Bridge, Call, Engine, Raw, on_worker
from labsim.shell.files import HostFiles, View
from labsim.shell.services import Hooks, LineServices
from labsim.shell.session import Kept, Session
from labsim.sim import names as chance

# The last thing a line said was that a variable is missing: bash leaves 127 (`set -u`, `${x:?}`).
_UNSET = re.compile(r"(?:\A|\n)bash: (?:line \d+: )?(\w+): (?:(unbound variable)|[^\n]*)\n\Z")


NAME_MAX = 255  # characters of a command's name; the engine would look for look-alikes for seconds


@dataclass(frozen=True)
class LineResult:
    """`void`: the fuse cut the line; shell state is as before it and the world must be put back as well.

    `typed` is the line after history expansion (shown when it differs); `ended`: the lowest session was left;
    `ran`: something was executed (an empty line, a comment or a syntax error costs no time); `screen`: both streams in
    the order in which a terminal shows them.
    """

    stdout: str
    stderr: str
    exit_code: int
    void: bool = False
    typed: str = ""
    ended: bool = False
    ran: bool = False
    screen: tuple[tuple[Stream, str], ...] = ()


@dataclass(frozen=True)
class Mark:
    """Everything to come back to: sessions, files of all hosts, history, count of lines."""

    sessions: tuple[tuple[SessionSpec, Any, Kept], ...]
    files: Mapping[str, Any]
    history: tuple[str, ...]
    count: int


class Shell:
    """`clock` gives simulated ms; `client` is the trainee's; `start_files` (path -> text) lie on the first host."""

    def __init__(
        self,
        *,
        seed: int,
        clock: Callable[[], int],
        hooks: Hooks,
        client: Any,
        host: str = "kadmin",
        user: str = "root",
        home: str = "/root",
        start_files: Mapping[str, str] | None = None,
    ) -> None:
        self.seed = seed
        self.client = client
        self.clock = clock
        self.hooks = hooks
        self.started = clock()
        self.history: list[str] = []
        self._count = 0
        self._hosts: dict[str, HostFiles] = {}
        self._line: LineServices | None = None
        self._end: tuple[int, tuple[str, ...] | None] | None = None
        prompt = f"{user}@{host}:\\w" + ("# " if user == "root" else "$ ")
        spec = SessionSpec(host, user, home, prompt, files=host, start_files=start_files or {})
        self.sessions: list[Session] = []
        self._push(spec, client)

    # Sessions

    @property
    def session(self) -> Session:
        return self.sessions[-1]

    def files(self, key: str) -> HostFiles:
        """The files of a host (key = its name) or of a container (key = its uid); made empty when new."""
        return self._hosts[key]

    def view(self, cwd: str | None = None) -> FileSystem:
        """The current session's files as programs see them."""
        return View(self.session.files, cwd or self.session.engine.cwd)

    def view_of(self, spec: SessionSpec) -> FileSystem:
        """The files of another host or container, made when it is visited for the first time."""
        if spec.files not in self._hosts:

            def make(_: Bridge) -> Result:
                self._files(spec)
                return Result()

            on_worker(make)
        return View(self._hosts[spec.files], spec.home)

    def _files(self, spec: SessionSpec) -> HostFiles:
        found = self._hosts.get(spec.files)
        if found is None:
            found = self._hosts[spec.files] = HostFiles(self.clock)
            for folder in host.FOLDERS:
                found.handle.mkdir(folder, recursive=True)
            own = host.start_files(spec.host, spec.user, spec.home) if spec.programs is None else {}
            for path, text in {**own, **spec.start_files}.items():
                found.lay(path, text)
            found.settle()
        return found

    def _push(self, spec: SessionSpec, client: Any, kept: Kept | None = None) -> None:
        self.sessions.append(
            Session(
                spec,
                self._files(spec),
                depth=len(self.sessions),
                client=client if spec.client is None else spec.client,
                names=(*host.called(spec.programs), *lines.INTERNAL),
                mounts=host.mounts(self.seed, spec.host, spec.programs),
                call=self._call,
                kept=kept,
            )
        )

    def prompt(self) -> str:
        return self.session.prompt()

    # Lines

    def complete_line(self, text: str) -> bool:
        """False when bash would ask for another line with `> `."""
        if continuation.open_construct(text):
            return False
        return not continuation.ended_early(self.session.engine.parse(text).error)

    def run(self, text: str) -> LineResult:
        """Run one typed line (or several, joined by newlines, when it was continued)."""
        try:
            typed, changed, only_print = history.expand(text, self.history)
        except history.HistoryError as error:
            return LineResult("", f"bash: {error}\n", self.session.kept.status, typed=text)
        if typed.strip():
            self.history.append(typed.rstrip("\n"))
        echo = typed.rstrip("\n") + "\n" if changed else ""
        if only_print:
            return LineResult(echo, "", self.session.kept.status, typed=typed)
        return replace(self._run(typed), typed=typed if echo else text)

    def _run(self, text: str) -> LineResult:
        session = self.session
        bare = text.strip()
        if not bare or all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
            return LineResult("", "", session.kept.status)
        text = text.replace("\0", "")
        parsed = session.engine.parse(text)
        if parsed.error or continuation.open_construct(text):
            session.keep(2, None, refresh=False)
            return LineResult("", wording.syntax_error(parsed.error), 2)
        long = next((name for name in parsed.names if len(name) > NAME_MAX), None)
        if long is not None:
            session.keep(126, None, refresh=False)
            return LineResult("", f"bash: {long}: File name too long\n", 126)
        refused = lines.refused(parsed)
        if refused:
            session.keep(1, None, refresh=False)
            return LineResult("", f"labsim: {refused} is not simulated here\n", 1)
        changes = lines.may_change_shell(text, parsed)
        before = session.kept
        marks = {key: files.mark() for key, files in self._hosts.items()} if changes else {}
        self._count += 1
        terminal = lines.to_terminal(text)
        alone = terminal and len(parsed.commands) <= 1 and not parsed.redirects
        self._line = LineServices(self, live=alone, background=lines.background(text), terminal=terminal)
        self._end = None
        raw = session.engine.run(self._prepared(session, text, parsed))
        line, self._line = self._line, None
        if raw.fused:
            session.return_to(before, rebuild=True)
            for key, mark in marks.items():
                self._hosts[key].rewind(mark)
            return LineResult(raw.stdout, raw.stderr + wording.limit(raw.error), 130, void=True)
        if raw.interrupted is not None and terminal:
            printed = raw.interrupted.printed
            raw = replace(raw, stdout=raw.stdout + printed.stdout, stderr=raw.stderr + printed.stderr)
        result = self._answer(text, raw, self._end[0] if self._end is not None else None)
        self._close(session, text, result, changes, bool(parsed.functions))
        ended = False
        if lines.needs_end(text) and self._end is None and re.search(r"\b(exit|logout)\b", text) and not raw.error:
            result, ended = self._pop(result)
        elif line.gone:
            result = self._hang_up(line.gone, result)
        elif line.pushed is not None and result.exit_code == 0:
            self._push(line.pushed, session.client)
            result = replace(result, stdout=result.stdout + line.pushed.greeting)
        screen = _screen(line.calls if alone else [], raw, result)
        return LineResult(result.stdout, result.stderr, result.exit_code, ended=ended, ran=True, screen=screen)

    def _prepared(self, session: Session, text: str, parsed: Any) -> str:
        fixed = lines.fixed(text, parsed, self.clock(), session.pid, lambda purpose: self.number(purpose, 0, 32767))
        start = lines.prefix(session.kept.status, session.kept.options, self.number("RANDOM", 1, 32767))
        return start + fixed + (lines.FULL_SUFFIX if lines.needs_end(text) else lines.SUFFIX)

    def _answer(self, text: str, raw: Raw, status: int | None) -> Result:
        stderr = wording.stderr(raw.stderr)
        if raw.interrupted is not None:
            message = raw.interrupted.message
            return Result(raw.stdout, stderr + (message + "\n" if message else ""), raw.interrupted.exit_code)
        if raw.error:
            if "parse error" in raw.error:
                return Result(raw.stdout, stderr + wording.syntax_error(raw.error), 2)
            return Result(raw.stdout, stderr + wording.limit(raw.error), 130)
        code = raw.exit_code if status is None else status
        unset = _UNSET.search(raw.stderr)
        if (
            code == 1
            and unset
            and (unset.group(2) or f"{{{unset.group(1)}:?" in text or f"{{{unset.group(1)}?" in text)
        ):
            code = 127
        return Result(wording.stdout(raw.stdout), stderr, code)

    def _close(self, session: Session, text: str, result: Result, changes: bool, functions: bool) -> None:
        options = self._end[1] if self._end is not None else None
        session.keep(result.exit_code, options, refresh=changes)
        if changes:
            if functions or re.search(r"\b(source|eval|unset|declare)\b|(^|[\s;&|])\.\s", text):
                session.note_functions()
            for files in self._hosts.values():
                files.settle()

    def _pop(self, result: Result) -> tuple[Result, bool]:
        """`exit`: the session ends and the one below goes on with its code."""
        if len(self.sessions) == 1:
            self.session.return_to(replace(self.session.kept, options=()))
            return replace(result, stderr=result.stderr + "exit\n"), True
        left = self.sessions.pop()
        result = replace(result, stderr=result.stderr + left.spec.farewell)
        if left.spec.closing:
            said = self._closing(left.spec.closing, result.exit_code)
            result = Result(result.stdout + said.stdout, result.stderr + said.stderr, said.exit_code)
        self.session.keep(result.exit_code, None, refresh=False)
        return result, False

    def _closing(self, words: tuple[str, ...], code: int) -> Result:
        """What a session leaves to be done when it ends (SessionSpec.closing)."""
        session = self.session
        module, _, function = words[0].partition(":")
        ctx = Context(
            argv=words,
            fs=self.view(),
            client=session.client,
            services=LineServices(self, live=False, background=False),
            env={**session.spec.env, "HOME": session.spec.home, "LABSIM_EXIT": str(code)},
            cwd=session.engine.cwd,
            host=session.spec.host,
            user=session.spec.user,
        )
        return ctx.result(getattr(import_module(module), function)(ctx))

    def _hang_up(self, host: str, result: Result) -> Result:
        """The host went down: its lowest session ends, and with it all that were opened from there."""
        lowest = next((at for at, session in enumerate(self.sessions) if at and session.spec.files == host), None)
        if lowest is None:
            return result
        del self.sessions[lowest:]
        self.session.keep(255, None, refresh=False)
        told = f"Connection to {host} closed by remote host.\nConnection to {host} closed.\n"
        return replace(result, stderr=result.stderr + told, exit_code=255)

    def number(self, purpose: str, low: int, high: int) -> int:
        """Chance of the running line: the same for the same seed, line count and purpose."""
        return chance.number(self.seed, low, high, "shell", purpose, self._count, len(self.sessions))

    # Programs

    def _call(self, session: Session, call: Call) -> Result:
        line = self._line
        if call.argv[0] in lines.INTERNAL:
            return self._internal(call)
        if line is None:
            return Result()
        ctx = Context(
            argv=call.argv,
            fs=View(session.files, call.cwd),
            client=session.client,
            services=line,
            stdin=call.stdin or "",
            stdin_is_tty=call.stdin is None,
            stdout_is_tty=line.terminal,
            env=call.env,
            cwd=call.cwd,
            host=session.spec.host,
            user=session.spec.user,
            programs=session.spec.programs,
        )
        line.calls.append(ctx)
        return self.program(ctx)

    def _internal(self, call: Call) -> Result:
        name, *words = call.argv
        if name == lines.STATUS:
            return Result(exit_code=int(words[0]))
        if name == lines.END:
            self._end = (int(words[0]), lines.options_of(words[1]) if len(words) > 1 else None)
            return Result(exit_code=int(words[0]))
        if name == lines.NOW:
            return Result(self._variable(words[0]) + "\n")
        return history.builtin(self.history, words)

    def _variable(self, name: str) -> str:
        now = self.clock()
        if name == "SECONDS":
            return str((now - self.started) // 1000)
        if name == "EPOCHSECONDS":
            return str(now // 1000)
        if name == "EPOCHREALTIME":
            return f"{now // 1000}.{now % 1000:03d}000"
        if name == "SRANDOM":
            return str(self.number("SRANDOM", 0, 2**32 - 1))
        if name in ("UID", "EUID"):
            return "0" if self.session.spec.user == "root" else "1000"
        return str(self.session.pid if name == "BASHPID" else self.session.pid - 14)

    def program(self, ctx: Context) -> Result:
        """Call a program of the registry; the time it costs is the hooks' affair."""
        name = ctx.name.rsplit("/", 1)[-1]
        program = registry.load(name)
        if ctx.programs is not None:
            program = (program or notsimulated.main) if name in ctx.programs else None
        if program is None:
            return Result(stderr=f"bash: {ctx.name}: command not found\n", exit_code=127)
        self.hooks.before_program(ctx.argv)
        try:
            code = program(ctx)
        except Interrupted as stop:
            # The engine loses what its callback had printed: hand it over with the exception.
            own = ctx.result(stop.exit_code)
            stop.printed = Result(own.stdout + stop.printed.stdout, own.stderr + stop.printed.stderr, stop.exit_code)
            raise
        self.hooks.after_program(ctx.argv, code)
        return ctx.result(code)

    def spawn(self, ctx: Context, command: Sequence[str] | str, changes: Mapping[str, Any]) -> Result:
        """Another program or shell text, in the context of `ctx` but for `changes`."""
        fields = {"stdin_is_tty": ctx.stdin_is_tty and "stdin" not in changes, "stdout_is_tty": False, **changes}
        if not isinstance(command, str) and registry.load(command[0]) is not None:
            fresh = replace(ctx, argv=tuple(command), stdout_parts=[], stderr_parts=[], **fields)
            return self.program(fresh)
        text = command if isinstance(command, str) else shlex.join(command)
        outer = replace(ctx, stdout_parts=[], stderr_parts=[], **fields)
        return on_worker(lambda bridge: self._scratch(outer, text, bridge))

    def _scratch(self, outer: Context, text: str, bridge: Bridge) -> Result:
        """Shell text in a bash of its own over the same files."""
        if not isinstance(outer.fs, View):
            return Result(stderr="labsim: a shell over these files is not simulated here\n", exit_code=1)
        files = outer.fs.files
        ends: list[int] = []

        def call(one: Call) -> Result:
            if one.argv[0] == lines.END:
                ends.append(int(one.argv[1]))
                return Result(exit_code=ends[-1])
            if one.argv[0] in lines.INTERNAL:
                return self._internal(one)
            ctx = replace(
                outer,
                argv=one.argv,
                fs=View(files, one.cwd),
                stdin=one.stdin if one.stdin is not None else outer.stdin,
                stdin_is_tty=one.stdin is None and outer.stdin_is_tty,
                env=one.env,
                cwd=one.cwd,
                stdout_parts=[],
                stderr_parts=[],
            )
            return bridge.call(lambda: self.program(ctx))

        engine = Engine(
            host=outer.host,
            user=outer.user,
            cwd=outer.cwd,
            env=outer.env,
            mounts={"/": (files.handle, False), **host.mounts(self.seed, outer.host, outer.programs)},
            names=(*host.called(outer.programs), *lines.INTERNAL),
            call=call,
        )
        parsed = engine.parse(text)
        if parsed.error:
            return Result(stderr=wording.syntax_error(parsed.error), exit_code=2)
        fixed = lines.fixed(text, parsed, self.clock(), self.session.pid + 7, lambda p: self.number(p, 0, 32767))
        raw = engine.run(f"RANDOM={self.number('RANDOM', 1, 32767)}; " + fixed + lines.SUFFIX)
        if raw.interrupted is not None:
            raw.interrupted.printed = Result(raw.stdout, raw.stderr, raw.exit_code)
            raise raw.interrupted
        if raw.fused:
            raise Interrupted(130, wording.limit(raw.error).rstrip("\n"))
        return self._answer(text, raw, ends[-1] if ends else None)

    # Undo, hash, completion

    def mark(self) -> Mark:
        return Mark(
            tuple((s.spec, s.client, s.kept) for s in self.sessions),
            {key: files.mark() for key, files in self._hosts.items()},
            tuple(self.history),
            self._count,
        )

    def rewind(self, mark: Mark) -> None:
        """Go back to a mark of this shell (or, for a fork, of another one with the same seed)."""
        for key in list(self._hosts):
            if key not in mark.files:
                del self._hosts[key]
        wanted = mark.sessions
        same = 0
        while same < min(len(self.sessions), len(wanted)) and self.sessions[same].spec == wanted[same][0]:
            same += 1
        del self.sessions[same:]
        for session, (_, _, kept) in zip(self.sessions, wanted):
            if session.kept is not kept:
                session.return_to(kept)
        for key, files in mark.files.items():
            self._hosts.setdefault(key, HostFiles(self.clock)).rewind(files)
        for spec, client, kept in wanted[same:]:
            self._push(replace(spec, client=self._own(spec.client)), self._own(client), kept)
        self.history[:] = mark.history
        self._count = mark.count

    def _own(self, client: Any) -> Any:
        """A client of another lab's mark, speaking to this lab's cluster."""
        if client is None or client.api is self.client.api:
            return client
        return type(client)(self.client.api, client.user)

    def write_file(self, path: str, text: str) -> None:
        """Write a file between lines, as an editor would. Raises OSError."""
        self.view().write_text(path, text)
        self.session.files.settle()

    def hash(self) -> str:
        """Variables, options, aliases, functions, cwd, files and modes."""
        state = json.dumps([session.state() for session in self.sessions], sort_keys=True)
        total = blake2b(state.encode("utf-8", "surrogatepass"), digest_size=16)
        for key, files in sorted(self._hosts.items()):
            for entry in files.listing():
                total.update(repr((key, *entry)).encode("utf-8", "surrogatepass"))
        return total.hexdigest()

    def complete(self, text: str, cursor: int) -> completion.Completion:
        return completion.complete(self, text, cursor)


def _screen(calls: Sequence[Context], raw: Raw, result: Result) -> tuple[tuple[Stream, str], ...]:
    """The line's output as it came: within a lone program print by print, else command by command."""
    if len(calls) == 1:
        pieces = calls[0].printed
    else:
        change = {"stdout": wording.stdout, "stderr": wording.stderr}
        pieces = [(stream, change[stream](text)) for stream, text in raw.printed if text]
    whole = {"stdout": result.stdout, "stderr": result.stderr}
    for stream, text in whole.items():
        shown = "".join(piece for of, piece in pieces if of == stream)
        if not text.startswith(shown):  # put into other words afterwards: no order is known
            return (("stderr", result.stderr), ("stdout", result.stdout))
        whole[stream] = text[len(shown) :]
    return (*pieces, ("stdout", whole["stdout"]), ("stderr", whole["stderr"]))
