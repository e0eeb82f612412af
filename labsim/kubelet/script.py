"""What a container's command does, as far as it is plain shell: sleep, echo, exit, date, loops.

The result is a plan in time, made once when the container starts; nothing is executed. A command that is not known here
is a program of the image: it runs until it is stopped, unless the lifecycle data or a simulated program say otherwise.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# (argv) -> (lines, exit code), or None when this program is not simulated.
Program = Callable[[Sequence[str]], tuple[list[str], int] | None]

SHELLS = ("sh", "bash", "ash", "/bin/sh", "/bin/bash", "/usr/bin/bash", "/bin/ash")
_UNIT = {"": 1000, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SLEEP = re.compile(r"^(\d+(?:\.\d+)?)([smhd]?)$")
_LOOP = re.compile(
    r"^while\s+(?:true|:|\[\s*1\s*\]|sleep\s+(?P<pause>\S+))\s*;\s*do\s+(?P<body>.*?)[;\s]*done\s*$", re.S
)
DATE = "\x00date\x00"  # replaced by the simulated date of the instant the line is printed


@dataclass
class Plan:
    """`lines`: (ms after the start, stream, text). `exit_after` None: until stopped. `chatter`: printed for ever."""

    lines: list[tuple[int, str, str]] = field(default_factory=list)
    exit_after: int | None = None
    code: int = 0
    chatter: dict[str, object] | None = None
    deaf: bool = False  # process 1 does not act on SIGTERM


def plan(argv: Sequence[str], env: Mapping[str, str], program: Program) -> Plan | None:
    """The plan of a command line; None when it is a program this module knows nothing of."""
    if not argv:
        return None
    if argv[0] in SHELLS:
        option = next((i for i, word in enumerate(argv) if re.fullmatch(r"-[a-z]*c", word)), None)
        if option is None:
            return Plan(exit_after=50) if len(argv) == 1 else None
        return _script(argv[option + 1] if len(argv) > option + 1 else "", env, program)
    return _run([list(argv)], env, program)


def _script(text: str, env: Mapping[str, str], program: Program) -> Plan | None:
    text = re.sub(r"\\\n", " ", text.strip())
    loop_at = re.search(r"(?:^|[;\n&]\s*)while\s", text)
    loop = None
    if loop_at:
        start = text.index("while", loop_at.start())
        loop = _LOOP.match(text[start:].replace("\n", ";").replace("do;", "do "))
        if loop is None:
            return None
        text = text[:start]
    commands = _commands(text)
    if commands is None:
        return None
    found = _run(commands, env, program)
    if found is None or loop is None or found.exit_after is None or found.code:
        return found
    body = _commands((f"sleep {loop['pause']};" if loop["pause"] else "") + loop["body"])
    once = _run(body, env, program) if body is not None else None
    if once is None or once.exit_after is None:
        return None
    after = found.exit_after
    if once.exit_after > 0 and once.lines:
        first = once.lines[0][0]
        texts = [text for _, _, text in once.lines]
        found.chatter = {"after": after + first, "every": once.exit_after, "lines": texts}
    found.exit_after, found.deaf = None, True
    return found


def _commands(text: str) -> list[list[str]] | None:
    """The simple commands of a list joined by `;`, `&&` or newlines; None for anything richer."""
    lexer = shlex.shlex(text.replace("\n", ";"), posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if set(word) <= set(";&") and word in (";", "&&", ";;"):
                commands.append([])
            elif set(word) & set("|<>()") and set(word) <= set("|<>();&"):
                return None
            else:
                commands[-1].append(word)
    except ValueError:
        return None
    return [command for command in commands if command]


def _run(commands: list[list[str]], env: Mapping[str, str], program: Program) -> Plan | None:
    found, at, code = Plan(), 50, 0
    for words_ in commands:
        argv = [_expand(word, env) for word in words_]
        while argv and (argv[0] == "exec" or re.fullmatch(r"\w+=\S*", argv[0])):
            argv = argv[1:]
        if not argv:
            continue
        name = argv[0].rsplit("/", 1)[-1]
        code = 0
        if name == "sleep":
            pause = sleep_ms(argv[1:])
            # PID 1 ignores SIGTERM unless it installs a handler; neither sleep nor a waiting shell does.
            found.deaf = True
            if pause is None:
                found.exit_after = None
                return found
            at += pause
        elif name in ("echo", "printf"):
            words = [word for word in argv[1:] if not re.fullmatch(r"-[neE]+", word)]
            text = " ".join(words).replace("\\n", "\n").rstrip("\n")
            found.lines += [(at, "stdout", part) for part in text.split("\n")]
        elif name == "date":
            found.lines.append((at, "stdout", DATE))
        elif name == "exit":
            code = int(argv[1]) & 255 if len(argv) > 1 and argv[1].isdigit() else 0
            found.exit_after, found.code = at, code
            return found
        elif name in ("true", ":", "set", "cd", "export", "trap", "sync", "mkdir", "touch"):
            pass
        elif name == "false":
            code = 1
        elif name == "hostname":
            found.lines.append((at, "stdout", env.get("HOSTNAME", "")))
        else:
            answer = program(argv)
            if answer is None:
                return None
            lines, code = answer
            at += 500
            found.lines += [(at, "stdout", line) for line in lines]
    found.exit_after, found.code = at, code
    return found


def sleep_ms(words: Sequence[str]) -> int | None:
    """The time that `sleep WORDS` takes; None for ever."""
    total = 0
    for word in words:
        match = _SLEEP.match(word)
        if match is None:
            return None  # "infinity" and "inf"
        total += int(float(match[1]) * _UNIT[match[2]])
    return total


def _expand(word: str, env: Mapping[str, str]) -> str:
    word = word.replace("$(date)", DATE).replace("`date`", DATE).replace("$(hostname)", env.get("HOSTNAME", ""))
    return re.sub(r"\$\{?(\w+)\}?", lambda m: env.get(m[1], ""), word)
