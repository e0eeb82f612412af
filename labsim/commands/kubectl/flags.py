"""Flags as pflag reads them: shorthands, `=`, clusters, `--`, and the texts of its errors (kubectl.md 4.8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DURATION = re.compile(r"([0-9]*\.?[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_UNIT = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}


class FlagError(Exception):
    """A word that is no flag of this command, or a bad value; the text is pflag's."""


@dataclass(frozen=True, slots=True)
class Flag:
    """`kind` is bool, string, int, duration (value in ms), slice (comma-separated, repeatable) or array (repeatable).

    `bare` is the value of the flag without one (`--dry-run` -> "unchanged"); bool flags have "true".
    `shown` is the default as `--help` prints it. `refused` names a flag that labsim does not simulate.
    """

    name: str
    short: str = ""
    kind: str = "string"
    default: Any = None
    help: str = ""
    bare: str = ""
    shown: str = ""
    refused: bool = False

    @property
    def start(self) -> Any:
        if self.default is not None:
            return self.default
        return {"bool": False, "int": 0, "duration": 0, "slice": (), "array": ()}.get(self.kind, "")

    @property
    def without_value(self) -> str:
        return "true" if self.kind == "bool" else self.bare

    @property
    def label(self) -> str:
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


class Values(Mapping[str, Any]):
    """The values of all flags of a command; `changed` holds the names that were given, `typed` each use as it came."""

    def __init__(self, flags: Iterable[Flag]) -> None:
        self._values = {flag.name: flag.start for flag in flags}
        self.changed: set[str] = set()
        self.typed: list[tuple[str, str]] = []

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def put(self, flag: Flag, text: str) -> None:
        value = _value(flag, text)
        if flag.kind in ("slice", "array"):
            before = self._values[flag.name] if flag.name in self.changed else ()
            value = (*before, *value)
        self._values[flag.name] = value
        self.changed.add(flag.name)
        self.typed.append((flag.name, text))


def _value(flag: Flag, text: str) -> Any:
    try:
        if flag.kind == "bool":
            return _bool(text)
        if flag.kind == "int":
            return _int(text)
        if flag.kind == "duration":
            return duration(text)
    except ValueError as error:
        raise FlagError(f'invalid argument "{text}" for "{flag.label}" flag: {error}') from None
    if flag.kind == "slice":
        return tuple(text.split(",")) if text else ()
    return (text,) if flag.kind == "array" else text


def _bool(text: str) -> bool:
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise ValueError(f'strconv.ParseBool: parsing "{text}": invalid syntax')


def _int(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


def duration(text: str) -> int:
    """Milliseconds of a Go duration ("1h5m", "300ms", "0"). ValueError with time.ParseDuration's text."""
    sign, rest = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    if rest == "0":
        return 0
    if not rest or not re.match(r"[0-9.]", rest):
        raise ValueError(f'time: invalid duration "{text}"')
    total, at = 0.0, 0
    while at < len(rest):
        found = _DURATION.match(rest, at)
        if found is None:
            number = re.compile(r"[0-9]*\.?[0-9]*").match(rest, at)
            unit = re.compile(r"[^0-9.]*").match(rest, number.end() if number else at)
            if unit is not None and unit.group():
                raise ValueError(f'time: unknown unit "{unit.group()}" in duration "{text}"')
            raise ValueError(f'time: missing unit in duration "{text}"')
        total += float(found[1]) * _UNIT[found[2]]
        at = found.end()
    return sign * int(total)


@dataclass(frozen=True, slots=True)
class Parsed:
    values: Values
    args: list[str]
    dash: int  # how many arguments stood before `--`, -1 without one


def parse(words: Sequence[str], flags: Sequence[Flag]) -> Parsed:
    """Flags may stand anywhere before `--`. Raises FlagError."""
    values = Values(flags)
    by_name = {f.name: f for f in flags}
    by_short = {f.short: f for f in flags if f.short}
    args: list[str] = []
    rest = list(words)
    dash = -1
    while rest:
        word = rest.pop(0)
        if word == "--":
            dash = len(args)
            args += rest
            break
        if len(word) < 2 or not word.startswith("-"):
            args.append(word)
        elif word.startswith("--"):
            _long(word, rest, by_name, values)
        else:
            _shorts(word, rest, by_short, values)
    return Parsed(values, args, dash)


def _long(word: str, rest: list[str], by_name: Mapping[str, Flag], values: Values) -> None:
    name, equals, text = word[2:].partition("=")
    if not name or name.startswith(("-", "=")):
        raise FlagError(f"bad flag syntax: {word}")
    flag = by_name.get(name)
    if flag is None:
        raise FlagError(f"unknown flag: --{name}")
    if equals:
        values.put(flag, text)
    elif flag.without_value:
        values.put(flag, flag.without_value)
    elif rest:
        values.put(flag, rest.pop(0))
    else:
        raise FlagError(f"flag needs an argument: --{name}")


def _shorts(word: str, rest: list[str], by_short: Mapping[str, Flag], values: Values) -> None:
    cluster = word[1:]
    while cluster:
        letter, cluster_rest = cluster[0], cluster[1:]
        flag = by_short.get(letter)
        if flag is None:
            raise FlagError(f"unknown shorthand flag: '{letter}' in -{cluster}")
        if len(cluster) > 2 and cluster[1] == "=":
            values.put(flag, cluster[2:])
            return
        if flag.without_value:
            values.put(flag, flag.without_value)
        elif cluster_rest:
            values.put(flag, cluster_rest)
            return
        elif rest:
            values.put(flag, rest.pop(0))
            return
        else:
            raise FlagError(f"flag needs an argument: '{letter}' in -{cluster}")
        cluster = cluster_rest
