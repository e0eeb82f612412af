"""Simulated time: whole milliseconds since the Unix epoch, UTC."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Clock:
    """Holds the current instant. Only the loop moves it."""

    __slots__ = ("now",)

    def __init__(self, now: int) -> None:
        self.now = now


def rfc3339(ms: int) -> str:
    """`2026-11-10T09:41:00Z`: the form of metav1.Time (whole seconds, truncated)."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def rfc3339_micro(ms: int) -> str:
    """`2026-11-10T09:41:00.123000Z`: the form of metav1.MicroTime."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{ms % 1000:03d}000Z"


def parse_time(text: str) -> int:
    """Milliseconds of an RFC 3339 stamp with or without a fraction or a zone offset. Raises ValueError."""
    return round(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)
