"""sleep: simulated time goes by."""

from __future__ import annotations

import re

from labsim.commands.base import Context

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> float | None:
    """`10`, `0.5`, `2m`, `inf`; None for what is no interval."""
    if text in ("inf", "infinity"):
        return float("inf")
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)", text)
    return float(found.group(1)) * _UNITS[found.group(2)] if found else None


def main(ctx: Context) -> int:
    if not ctx.args:
        ctx.err("sleep: missing operand\nTry 'sleep --help' for more information.\n")
        return 1
    total = 0.0
    for word in ctx.args:
        value = seconds(word)
        if value is None:
            ctx.err(f"sleep: invalid time interval ‘{word}’\nTry 'sleep --help' for more information.\n")
            return 1
        total += value
    if total > 0:
        ctx.advance(timeout_ms=None if total == float("inf") else round(total * 1000))
    return 0
