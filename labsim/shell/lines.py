"""A typed line made ready for the engine: what it forgets between lines is put in front, time and chance are fixed.

Measured (stack.md A1, docs/fidelity.md): the engine drops `$?` and `set` options between executions and reads the
host's clock and chance in `$RANDOM $SRANDOM $SECONDS $EPOCHSECONDS $EPOCHREALTIME`, `printf %(..)T`, jq's `now` and
awk's `srand systime strftime`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from labsim.shell.engine import Parsed

STATUS, END, NOW, HISTORY = "__labsim_status", "__labsim_end", "__labsim_now", "__labsim_history"
INTERNAL = (STATUS, END, NOW, HISTORY)

# Options of `set -o` which a prefix can bring back.
OPTIONS = ("allexport", "errexit", "noclobber", "noglob", "nounset", "pipefail", "verbose", "xtrace")
_LIVE = ("SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "BASHPID", "UID", "EUID", "PPID")
_NAME = "|".join(_LIVE)
_QUOTED = re.compile(rf"'[^']*'|\\.|\$\{{({_NAME})\}}|\$({_NAME})\b|\$\$(?!\w)", re.DOTALL)
_ARITHMETIC = re.compile(r"\(\(.*?\)\)", re.DOTALL)
_BARE = re.compile(rf"(?<![\w${{])(?<!{NOW} )({_NAME})\b")
_PRINTF = re.compile(
    r"(\bprintf\b[^;|&\n]*?%\([^)]*\)T(?:\\n|[^'\"\s;|&])*['\"]?)([ \t]+-[12]\b)?(?=[ \t]*($|[;|&)\n>]))?"
)
_NEEDS_END = re.compile(
    r"\b(set|source|shopt|eval|exit|logout|function|unset)\b|\(\)|(^|[\s;&|])\.\s|(?<![&>|])&(?![&>\d])"
)
_BACKGROUND = re.compile(r"(?<![&>|<\\])&(?![&>])")
_STRINGS = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_NOT_TTY = re.compile(r"[|>`]|\$\(|<\(")
_FIND_TIME = {"-mmin", "-mtime", "-amin", "-atime", "-cmin", "-ctime", "-newermt", "-used"}


def prefix(status: int, options: Iterable[str], random: int) -> str:
    """Goes before the line on the same physical line, so that no error names another line."""
    wanted = [name for name in OPTIONS if name in set(options)]
    parts = [f"RANDOM={random}"]
    if "errexit" not in wanted:  # under errexit only 0 can be the status of a line before
        parts.append(f"{STATUS} {status}")
        if wanted:
            # `set` itself would reset $?, so the status is set last.
            parts.insert(1, "set " + " ".join(f"-o {name}" for name in wanted))
    else:
        parts.append("set " + " ".join(f"-o {name}" for name in wanted))
    return "; ".join(parts) + "; "


def options_of(report: str) -> tuple[str, ...]:
    """The options that `set +o` reports as on."""
    on = {line.split()[2] for line in report.splitlines() if line.startswith("set -o ")}
    return tuple(name for name in OPTIONS if name in on)


def needs_end(text: str) -> bool:
    """May the line change options, leave the session or leave work behind?"""
    return _NEEDS_END.search(text) is not None


# After the line, on a line of its own. The engine's own exit code is wrong for a subshell that ends a line.
SUFFIX = f'\n{END} "$?"'
FULL_SUFFIX = f'\n{END} "$?" "$(set +o)"; wait'


def background(text: str) -> bool:
    return _BACKGROUND.search(_STRINGS.sub("''", text)) is not None


def to_terminal(text: str) -> bool:
    """True when what a program of this line prints goes to the terminal, as far as the text tells."""
    return _NOT_TTY.search(_STRINGS.sub("''", text)) is None


def fixed(text: str, parsed: Parsed, now_ms: int, pid: int, random: Callable[[str], int]) -> str:
    """The line with time and chance taken from the simulation.

    Variables become a call, so that they are right in the middle of a line as well; the clocks of jq, awk and printf
    become the time at which the line starts.
    """
    seconds = now_ms // 1000
    if "SECONDS" in text or "RANDOM" in text or "PID" in text or "UID" in text or "$$" in text or "EPOCH" in text:
        text = _variables(text, pid)
    if "printf" in text and ")T" in text:
        text = _PRINTF.sub(lambda m: _printf(m, seconds), text)
    if "jq" in parsed.names and re.search(r"\bnow\b", text):
        text = _inside(text, parsed, "jq", lambda word: re.sub(r"(?<![.\w$])now\b", f"{now_ms / 1000:.3f}", word))
    for name in ("awk", "gawk", "mawk", "nawk"):
        if name in parsed.names:
            text = _inside(text, parsed, name, lambda word: _awk(word, seconds, random("awk")))
    return text


def _variables(text: str, pid: int) -> str:
    def one(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        if name is None:
            return str(pid) if match.group(0) == "$$" else match.group(0)
        return f"$({NOW} {name})"

    text = _QUOTED.sub(one, text)
    return _ARITHMETIC.sub(lambda m: _BARE.sub(lambda n: f"$({NOW} {n.group(1)})", m.group(0)), text)


def _printf(match: re.Match[str], seconds: int) -> str:
    if match.group(2):
        return f"{match.group(1)} {seconds}"
    return f"{match.group(1)} {seconds}" if match.group(3) is not None else match.group(0)


def _awk(word: str, seconds: int, seed: int) -> str:
    word = re.sub(r"\bsrand\(\s*\)", f"srand({seed})", word)
    word = re.sub(r"\bsystime\(\s*\)", str(seconds), word)
    word = re.sub(r"\bstrftime\(\s*\)", f'strftime("%a %b %e %H:%M:%S %Z %Y", {seconds})', word)
    return re.sub(r'\bstrftime\(("[^"]*")\s*\)', rf"strftime(\1, {seconds})", word)


def _inside(text: str, parsed: Parsed, name: str, change: Callable[[str], str]) -> str:
    for command in parsed.commands:
        if command[0] != name:
            continue
        for word in command[1:]:
            changed = change(word)
            if word and changed != word:
                text = text.replace(word, changed)
    return text


def refused(parsed: Parsed) -> str | None:
    """What of this line reads the host's time or chance and cannot be put right."""
    for command in parsed.commands:
        name, words = command[0], command[1:]
        if name == "sort" and any(w in ("--random-sort",) or re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*", w) for w in words):
            return "sort -R"
        if name == "find" and _FIND_TIME & set(words):
            return f"find {sorted(_FIND_TIME & set(words))[0]}"
    return None


# Programs that change neither the shell nor files, however they are called (without redirects and assignments).
_READ_ONLY = frozenset(
    """cat echo head tail grep egrep fgrep wc cut tr jq ls stat pwd true false test [ printf column less more kubectl
    nvidia-smi date hostname uname whoami id sleep seq rev paste comm diff which type nproc clear basename dirname od
    nl fold""".split()
)


def may_change_shell(text: str, parsed: Parsed) -> bool:
    """False only when the line certainly leaves variables, options and files as they are."""
    if parsed.error or parsed.opaque or parsed.assigns or parsed.writes or parsed.functions or parsed.substitutes:
        return True
    if "${" in text or "((" in text or "printf -v" in text or "for " in text or "read" in text:
        return True
    if "kubectl" in parsed.names and re.search(r"\b(cp|exec|edit|config|cluster-info|debug|run|attach)\b", text):
        return True
    if "nvidia-smi" in parsed.names and "-f" in text:
        return True
    return not parsed.names or not _READ_ONLY.issuperset(parsed.names)
