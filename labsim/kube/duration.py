"""Durations as the tools print and read them: kubectl's ages ("3d5h") and Go's time.Duration ("1m30s")."""

from __future__ import annotations

import re

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_YEAR = 365 * _DAY

# (below this many seconds, unit, its sign, smaller unit, its sign); kubectl.md 2
_STEPS = (
    (2 * _MINUTE, 1, "s", 0, ""),
    (10 * _MINUTE, _MINUTE, "m", 1, "s"),
    (3 * _HOUR, _MINUTE, "m", 0, ""),
    (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
    (2 * _DAY, _HOUR, "h", 0, ""),
    (8 * _DAY, _DAY, "d", _HOUR, "h"),
    (2 * _YEAR, _DAY, "d", 0, ""),
    (8 * _YEAR, _YEAR, "y", _DAY, "d"),
)
_UNITS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 10**9,
    "m": _MINUTE * 10**9, "h": _HOUR * 10**9,
}  # fmt: skip
_INT64 = 2**63


def human_duration(seconds: int) -> str:
    """An age as kubectl prints it: two units at most, the finer the younger. Before -1 s it is `<invalid>`."""
    if seconds < -1:
        return "<invalid>"
    seconds = max(seconds, 0)
    for limit, unit, sign, finer, finer_sign in _STEPS:
        if seconds < limit:
            rest = seconds % unit // finer if finer else 0
            return f"{seconds // unit}{sign}" + (f"{rest}{finer_sign}" if rest else "")
    return f"{seconds // _YEAR}y"


def parse_go_duration(text: str) -> int:
    """time.ParseDuration, in whole milliseconds (finer parts are dropped). Raises ValueError with Go's text."""
    sign, body = (-1 if text[:1] == "-" else 1), text[1:] if text[:1] in ("-", "+") else text
    if body == "0":
        return 0
    total, at = 0, 0
    while True:
        number = re.compile(r"([0-9]*)(?:\.([0-9]*))?", re.ASCII).match(body, at)
        assert number is not None
        whole, fraction = number[1], number[2] or ""
        if not whole and not fraction:
            raise ValueError(f"time: invalid duration {_quote(text)}")
        unit = re.compile(r"[^.0-9]*", re.ASCII).match(body, number.end())
        assert unit is not None
        if not unit[0]:
            raise ValueError(f"time: missing unit in duration {_quote(text)}")
        if unit[0] not in _UNITS:
            raise ValueError(f"time: unknown unit {_quote(unit[0])} in duration {_quote(text)}")
        scale = _UNITS[unit[0]]
        fraction = fraction[:18]
        total += int(whole or "0") * scale + int(fraction or "0") * scale // int("1" + "0" * len(fraction))
        if total > _INT64 - (sign > 0):
            raise ValueError(f"time: invalid duration {_quote(text)}")
        at = unit.end()
        if at == len(body):
            return sign * (total // 1_000_000)


def format_go_duration(ms: int) -> str:
    """time.Duration's String: "0s", "250ms", "1.5s", "1h0m0s"."""
    sign, ms = ("-" if ms < 0 else ""), abs(ms)
    if ms == 0:
        return "0s"
    if ms < 1000:
        return f"{sign}{ms}ms"
    minutes, rest = divmod(ms, 60_000)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    if not minutes:
        return sign + seconds
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{f'{hours}h' if hours else ''}{minutes}m{seconds}"


def _quote(text: str) -> str:
    """As Go's time package quotes what it refuses: anything that is not printable ASCII byte by byte."""
    shown = ""
    for char in text:
        if " " <= char <= "~":
            shown += "\\" + char if char in '"\\' else char
        else:
            shown += "".join(f"\\x{byte:02x}" for byte in char.encode())
    return f'"{shown}"'
