"""Worlds: clusters declared in YAML, built once by the real controllers, aged, and kept in a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labsim.kube.cluster import Cluster
    from labsim.worlds.cache import Settings


def open_world(name_or_path: str, seed: int, start: int | None = None, *, freeze_objects: bool = False) -> Cluster:
    """A fresh cluster of the world, settled, at its start of time (or at `start`, ms).

    Raises labsim.documents.DocumentError for a world file that cannot be used (one line: file, line, field, what was
    expected). From a warm cache neither pydantic nor a YAML parser is imported.
    """
    from labsim.worlds import cache

    return cache.open_world(name_or_path, seed, start, freeze_objects=freeze_objects)


def settings(name_or_path: str, seed: int = 1) -> Settings:
    """What the lab needs to know about a world without opening it: host, user, step, start, title."""
    from labsim.worlds import cache

    return cache.settings(name_or_path, seed)
