"""The program: finds the verb, reads its flags, runs it, turns what it raises into kubectl's texts and exit codes."""

from __future__ import annotations

from labsim.commands.base import Context
from labsim.commands.kubectl import errors
from labsim.commands.kubectl.dispatch import Found, find
from labsim.commands.kubectl.flags import FlagError, Parsed, parse
from labsim.commands.kubectl.registry import ROOT
from labsim.kube.errors import ApiError


def main(ctx: Context) -> int:
    words = list(ctx.args)
    try:
        if words[:1] == ["help"]:
            return _help_topic(ctx, words[1:])
        return _run(ctx, find(words))
    except errors.Exit as end:
        return end.code
    except (errors.Failure, errors.Failures, ApiError) as error:
        ctx.out(getattr(error, "shown", ""))
        for text in errors.texts(error):
            ctx.err(text if text.endswith("\n") else text + "\n")
        return getattr(error, "code", 1) if isinstance(error, errors.Failure) else 1


def _run(ctx: Context, found: Found) -> int:
    from labsim.commands.kubectl.help import command_help

    command = found.command
    if not command.played:
        raise errors.not_simulated(command.path)
    try:
        parsed = parse(found.words, found.flags)
    except FlagError as error:
        raise errors.Failure(f"{error}\nSee '{command.path} --help' for usage.") from None
    if parsed.values["help"]:
        ctx.out(command_help(command))
        return 0
    if not command.words or (command.children and command.name != "create"):
        # Groups show their help as an error's text; the root alone and `set` and `rollout` on stdout.
        to_stdout = not command.words or command.name in ("set", "rollout")
        (ctx.out if to_stdout else ctx.err)(command_help(command))
        return 0 if not command.words else 1
    _refuse(found, parsed)
    return _verb(ctx, found, parsed)


def _verb(ctx: Context, found: Found, parsed: Parsed) -> int:
    from labsim.commands.kubectl.session import Kubectl

    kubectl = Kubectl(ctx, found.command, parsed)
    code: int = found.command.load().run(kubectl)
    if kubectl.warned and parsed.values["warnings-as-errors"]:
        ctx.err("error: 1 warning received\n")
        return 1
    return code


def _refuse(found: Found, parsed: Parsed) -> None:
    """A flag is honoured or refused, never ignored (design.md promise 6)."""
    for flag in found.flags:
        if flag.name in parsed.values.changed and (flag.refused or (flag.name == "v" and parsed.values["v"] > 5)):
            raise errors.not_simulated(f"{found.command.path} --{flag.name}")
    timeout = parsed.values["request-timeout"]
    if timeout and not timeout.isdigit():
        from labsim.commands.kubectl.flags import duration

        try:
            duration(timeout)
        except ValueError:
            raise errors.Failure(
                "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a "
                "corresponding time unit (e.g. 1s | 2m | 3h)"
            ) from None


def _help_topic(ctx: Context, words: list[str]) -> int:
    from labsim.commands.kubectl.help import command_help, root_help

    command = ROOT
    for word in words:
        child = command.child(word)
        if child is None:
            break
        command = child
    if words and command is ROOT:
        ctx.err("Unknown help topic [" + " ".join(f"`{w}`" for w in words) + "]\n" + root_help())
        return 0
    ctx.out(command_help(command))
    return 0


def complete(ctx: Context, words: list[str], index: int) -> list[str]:
    """Candidates for the word at `index` (words[0] is the program)."""
    from labsim.commands.kubectl.completion import candidates

    return candidates(ctx, words, index)
