"""bash's words in place of the engine's: what a terminal shows for a failed line."""

from __future__ import annotations

import re

from labsim.shell.engine import MAX_COMMANDS, MAX_LOOP_ITERATIONS

_HINT = re.compile(r"(: command not found)\. [^\n]*")
_LINE = re.compile(r"^(bash: )line \d+: ", re.MULTILINE)
_PARSE = re.compile(r"^(?:bash: )?parse error(?: at line (\d+), column \d+)?: (.*)$", re.MULTILINE | re.DOTALL)
_DEPTH = re.compile(r"^(?:bash: )?(?:line \d+: )?resource limit exceeded: maximum function depth[^\n]*\n?", re.M)
# Sentences with which the engine's own programs name its sandbox; the program's name stays in front.
_SANDBOX = re.compile(
    r"^(\S+): (?:network access not configured|[^\n]*(?:bashkit|not available in the sandbox))[^\n]*\n", re.M
)
_TIME = re.compile(r"^(user|sys)\tunavailable$", re.MULTILINE)


def stderr(text: str) -> str:
    """A line's stderr as bash would have put it (interactive: without the line number)."""
    if not text:
        return text
    text = _HINT.sub(r"\1", text)
    depth = _DEPTH.search(text)
    if depth:
        text = _DEPTH.sub("", text) + "bash: fork: retry: Resource temporarily unavailable\n"
    text = _LINE.sub(r"\1", text)
    text = _TIME.sub("\\1\t0m0.000s", text)
    return _SANDBOX.sub(r"labsim: \1 is not simulated here" + "\n", text)


# First lines of --version as Ubuntu 22.04 has them.
_VERSIONS = (
    ("Bashkit 0.20.1 (virtual bash interpreter)", "GNU bash, version 5.1.16(1)-release (x86_64-pc-linux-gnu)"),
    ("GNU Awk 5.2.1 (bashkit)", "GNU Awk 5.1.0, API: 3.0 (GNU MPFR 4.1.0, GNU MP 6.2.1)"),
    ("sed (bashkit) 0.1", "sed (GNU sed) 4.8"),
    ("grep (bashkit) 0.1", "grep (GNU grep) 3.7"),
    ("(bashkit)", "(GNU coreutils)"),
)


def stdout(text: str) -> str:
    """Version texts in which the engine names itself."""
    if "ashkit" in text:
        for own, real in _VERSIONS:
            text = text.replace(own, real)
    return text


def syntax_error(error: str) -> str:
    """The engine's parse error -> bash's one or two lines (exit code 2)."""
    found = _PARSE.match(error)
    text = found.group(2) if found else error
    text = text.removeprefix("syntax error: ") if "unexpected end of file" in text else text
    if "near unexpected token" in text:
        return f"bash: {text}\n"
    if "looking for matching" in text:
        return f"bash: {text}\n"
    if "unterminated command substitution" in text:
        return "bash: unexpected EOF while looking for matching `)'\n"
    if "unterminated backtick" in text:
        return "bash: unexpected EOF while looking for matching ``'\n"
    if "expected word" in text:
        return "bash: syntax error near unexpected token `newline'\n"
    return "bash: syntax error: unexpected end of file\n"


def limit(error: str) -> str:
    """One line for a limit of the line that was reached."""
    if "loop iterations" in error:
        return f"labsim: line stopped: more than {MAX_LOOP_ITERATIONS:,} rounds of a loop\n"
    if "command" in error:
        return f"labsim: line stopped: more than {MAX_COMMANDS:,} commands\n"
    if "function depth" in error:
        return "labsim: line stopped: functions nested too deep\n"
    if "execution timeout" in error:
        return "labsim: line stopped and taken back: it ran too long\n"
    return "labsim: line stopped: it needs more than the shell allows\n"
