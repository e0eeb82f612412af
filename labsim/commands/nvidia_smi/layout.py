"""The boxes of nvidia-smi 580."""

from __future__ import annotations

RULE = "+" + "-" * 89 + "+"


def boxed(text: str, width: int = 89) -> str:
    return f"|{text:<{width}}|"


def c_time(ms: int) -> str:
    """`Wed Jul 29 18:52:50 2026`."""
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp(ms // 1000, UTC)
    return f"{moment:%a} {moment:%b} {moment.day:2d} {moment:%H:%M:%S %Y}"
