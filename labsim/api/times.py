"""Times of a simulated date, moved to the client's date and back (rest-api.md 6).

kubectl computes ages from its own clock. Every RFC 3339 value of an answer is moved by the whole seconds between wall
clock and simulated clock, fixed when a `Kubectl-Session` is first seen; requests without a session see simulated times.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Any

_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z")
# Texts of people, not times of the API.
_TEXTS = frozenset({"data", "stringData", "binaryData", "labels", "matchLabels", "cells", "env", "args", "command"})
# The one annotation that kubectl puts its own clock into (rollout restart).
_STAMPED = "kubectl.kubernetes.io/restartedAt"
_SESSIONS = 1000


def moved(value: Any, seconds: int) -> Any:
    """A copy with all times moved; parts without times are shared."""
    if not seconds:
        return value
    if isinstance(value, str):
        return moved_text(value, seconds)
    if isinstance(value, list):
        return [moved(item, seconds) for item in value]
    if isinstance(value, dict):
        return {key: inner if key in _TEXTS else _inner(key, inner, seconds) for key, inner in value.items()}
    return value


def _inner(key: str, value: Any, seconds: int) -> Any:
    if key == "annotations" and isinstance(value, dict):
        return {k: moved(v, seconds) if k == _STAMPED else v for k, v in value.items()}
    return moved(value, seconds)


def moved_text(text: str, seconds: int) -> str:
    found = _STAMP.fullmatch(text) if len(text) < 40 else None
    if found is None:
        return text
    try:
        when = datetime.fromisoformat(found[1]).replace(tzinfo=UTC) + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return text  # no date that exists: validation has a word for it
    return f"{when:%Y-%m-%dT%H:%M:%S}{found[2] or ''}Z"


class Sessions:
    """Which session sees which offset. Old sessions are forgotten, the one unused longest first."""

    def __init__(self) -> None:
        self._offsets: OrderedDict[str, int] = OrderedDict()

    def __contains__(self, session: str) -> bool:
        return session in self._offsets

    def offset(self, session: str, now_ms: int) -> int:
        """The offset in seconds, fixed when the session is first seen; 0 for no session."""
        if not session:
            return 0
        if session not in self._offsets:
            self._offsets[session] = int(time.time() - now_ms / 1000)
            while len(self._offsets) > _SESSIONS:
                self._offsets.popitem(last=False)
        self._offsets.move_to_end(session)
        return self._offsets[session]
