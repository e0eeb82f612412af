"""The user's folders (XDG on Linux, the usual places elsewhere), without importing anything heavy."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def _base(variable: str, linux: str, mac: str, windows: str) -> Path:
    if os.environ.get(variable):
        return Path(os.environ[variable])
    if sys.platform == "darwin":
        return Path.home() / mac
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / windows
    return Path.home() / linux


def cache() -> Path:
    """What can be made again: built worlds, compiled tickets."""
    return _base("XDG_CACHE_HOME", ".cache", "Library/Caches", "Cache") / "labsim"


def data() -> Path:
    """What must not be lost: labs and progress."""
    return _base("XDG_DATA_HOME", ".local/share", "Library/Application Support", "Data") / "labsim"
