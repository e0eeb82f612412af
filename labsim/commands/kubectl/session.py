"""`Kubectl`: one call of the program, as a verb sees it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from labsim.commands.base import Context
from labsim.commands.kubectl.config import Kubeconfig, Settings
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Parsed
from labsim.commands.kubectl.registry import Command
from labsim.kube.client import Client


class Kubectl:
    """See the package's docstring for what a verb uses of it."""

    def __init__(self, ctx: Context, command: Command, parsed: Parsed) -> None:
        self.ctx, self.command = ctx, command
        self.args, self.flags, self.dash = parsed.args, parsed.values, parsed.dash
        self.warned = False

    @property
    def path(self) -> str:
        return self.command.path

    def given(self, flag: str) -> bool:
        return flag in self.flags.changed

    # -- the cluster -------------------------------------------------------------------------------------------------

    @cached_property
    def kubeconfig(self) -> Kubeconfig:
        return Kubeconfig.load(self.ctx, self.flags["kubeconfig"])

    @cached_property
    def settings(self) -> Settings:
        return self.kubeconfig.settings(self.flags)

    @cached_property
    def client(self) -> Client:
        """Raises Failure where the kubeconfig leads to no cluster."""
        client: Client = self.ctx.client
        user = self.flags["as"]
        if user and user != client.user:
            raise Failure(f"labsim: --as={user} is not simulated", prefix=False)
        self.settings.check()
        return client

    @property
    def namespace(self) -> str:
        return self.settings.namespace

    @property
    def namespace_given(self) -> bool:
        """-n was typed: objects of another namespace in a file are an error."""
        return bool(self.flags["namespace"])

    def now(self) -> int:
        return self.ctx.now()

    # -- texts -------------------------------------------------------------------------------------------------------

    def out(self, text: str) -> None:
        self.ctx.out(text)

    def err(self, text: str) -> None:
        self.ctx.err(text)

    def emit(self, text: str) -> None:
        """To stdout, seen at once where the line allows it."""
        self.ctx.emit(text, "stdout")

    def warn(self, warnings: Sequence[str]) -> None:
        """The server's warnings, each once a call; yellow on a terminal is left to the front ends."""
        for text in dict.fromkeys(warnings):
            self.err(f"Warning: {text}\n")
            self.warned = True

    # -- shared machinery --------------------------------------------------------------------------------------------

    def resources(self, words: Sequence[str] | None = None, **options: Any) -> Any:
        """A `builder.Result` for these words (default: the arguments) and the flags -f, -l, -A ... of this verb."""
        from labsim.commands.kubectl.builder import build

        return build(self, self.args if words is None else words, **options)

    def read_file(self, path: str) -> str:
        """A file of the simulated host, or stdin for `-`. Raises Failure with Go's texts."""
        if path == "-":
            return self.ctx.stdin
        try:
            return self.ctx.fs.read_text(path)
        except IsADirectoryError:
            raise Failure(f"read {path}: is a directory") from None
        except FileNotFoundError:
            raise Failure(f"open {path}: no such file or directory") from None
        except OSError as error:
            raise Failure(f"open {path}: {(error.strerror or str(error)).lower()}") from None
