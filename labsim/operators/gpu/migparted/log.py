"""Log lines as mig-parted prints them: (level, text). Level `stdout` is a plain line, all others go through logrus."""

from __future__ import annotations

Line = tuple[str, str]
STDOUT, DEBUG, INFO, WARNING, ERROR, FATAL = "stdout", "debug", "info", "warning", "error", "fatal"


def capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def visible(lines: list[Line], debug: bool) -> list[Line]:
    """What is printed with or without `-d`."""
    return [line for line in lines if debug or line[0] != DEBUG]
