"""The two log formats of the operands: klog (device plugin, GFD) and logrus (MIG Manager, validator)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from labsim.sim.clock import rfc3339

_PLAIN = re.compile(r"[A-Za-z0-9\-._/@^+]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def klog(now: int, level: str, place: str, text: str) -> str:
    """`I1130 10:00:00.000000       1 main.go:279] text`; `level` is I, W, E or F, `place` a file and line."""
    at = datetime.fromtimestamp(now // 1000, UTC)
    return f"{level}{at:%m%d %H:%M:%S}.{now % 1000:03d}000       1 {place}] {text}"


def logrus(now: int, level: str, text: str, **fields: str) -> str:
    """`time="..." level=info msg="text"` followed by the fields."""
    line = f'time="{rfc3339(now)}" level={level} msg={_quote(text)}'
    return line + "".join(f" {key}={_quote(value)}" for key, value in sorted(fields.items()))


def _quote(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return '"' + "".join(_ESCAPES.get(char, char) for char in text) + '"'
