"""One session of the stack: a bash on a host, with its prompt and what bash keeps between lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labsim.commands.base import Result, SessionSpec
from labsim.shell import lines
from labsim.shell.engine import Call, Engine, Handle
from labsim.shell.files import HostFiles

PID = 2817  # $$ of the first session; each session above has a higher one
START_UP = (
    "shopt -s expand_aliases; "
    "alias k=kubectl ll='ls -alF' la='ls -A' l='ls -CF'; "
    f'history() {{ {lines.HISTORY} "$@"; }}; logout() {{ exit "$@"; }}; set -o braceexpand'
)
HIDDEN_FUNCTIONS = ("history", "logout")


@dataclass(frozen=True)
class Kept:
    """What the engine forgets between two lines, and its snapshot of what it keeps."""

    snapshot: bytes
    status: int = 0
    options: tuple[str, ...] = ()
    functions: Mapping[str, str] = field(default_factory=dict)  # name -> its text as `declare -f` prints it


class Session:
    """`depth` is the number of sessions below. `call` runs a program of this session."""

    def __init__(
        self,
        spec: SessionSpec,
        files: HostFiles,
        *,
        depth: int,
        client: Any,
        names: Iterable[str],
        mounts: Mapping[str, tuple[Handle, bool]],
        call: Callable[[Session, Call], Result],
        kept: Kept | None = None,
    ) -> None:
        self.spec = spec
        self.files = files
        self.client = client
        self.pid = PID + depth * 211
        env = {"HOME": spec.home, "USER": spec.user, "LOGNAME": spec.user, "SHELL": "/bin/bash", "LANG": "C.UTF-8"}
        env |= {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "xterm-256color"}
        files.handle.mkdir(spec.home, recursive=True)
        self.engine = Engine(
            host=spec.host,
            user=spec.user,
            cwd=spec.cwd or spec.home,
            env={**env, **spec.env},
            mounts={"/": (files.handle, False), **mounts},
            names=names,
            call=lambda call: _call(self, call),
        )

        def _call(session: Session, one: Call) -> Result:
            return call(session, one)

        if kept is not None:
            self.engine.restore(kept.snapshot)
            self.kept = kept
        else:
            self.engine.run(START_UP)
            self.kept = Kept(self.engine.snapshot())
        self.aliases = self.engine.aliases

    def prompt(self) -> str:
        """PS1 with `\\w` filled in."""
        cwd, home = self.engine.cwd, self.spec.home
        if len(home) > 1 and (cwd == home or cwd.startswith(home + "/")):
            cwd = "~" + cwd[len(home) :]
        return self.spec.prompt.replace("\\w", cwd)

    def keep(self, status: int, options: tuple[str, ...] | None, refresh: bool) -> None:
        """Note the state at a line's end. `refresh`: the line may have changed the shell."""
        kept = replace(self.kept, status=status, options=self.kept.options if options is None else options)
        if refresh:
            kept = replace(kept, snapshot=self.engine.snapshot())
            self.aliases = self.engine.aliases
        self.kept = kept

    def note_functions(self) -> None:
        """Read the functions anew (costs an execution; only after lines that may define or drop some)."""
        text = self.engine.run("declare -f").stdout
        found: dict[str, str] = {}
        for part in re.split(r"^(?=\S+ \(\) ?\n\{)", text, flags=re.MULTILINE):
            name = part.split(" ", 1)[0]
            if part and name not in HIDDEN_FUNCTIONS:
                found[name] = part
        self.kept = replace(self.kept, functions=found)

    def return_to(self, kept: Kept, rebuild: bool = False) -> None:
        if rebuild:
            self.engine.rebuild(kept.snapshot)
        else:
            self.engine.restore(kept.snapshot)
        self.kept = kept
        self.aliases = self.engine.aliases

    def state(self) -> dict[str, Any]:
        """For the shell's hash. `_` and what a prefix sets anew are no state; `status` stands for PIPESTATUS."""
        state = self.engine.state()
        anew = ("_", "RANDOM", "OPTIND", "BASHPID", "SHOPT_B", *(f"SHOPT_{name}" for name in lines.OPTIONS))
        for name in anew:
            state["variables"].pop(name, None)
        state["arrays"].pop("PIPESTATUS", None)
        return {
            **state,
            "host": self.spec.host,
            "user": self.spec.user,
            "status": self.kept.status,
            "options": self.kept.options,
            "functions": dict(self.kept.functions),
        }
