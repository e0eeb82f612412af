"""Server-side Tables (meta.k8s.io/v1): what `kubectl get` prints is decided here."""

from __future__ import annotations

from labsim.kube.objects import Object, meta
from labsim.sim.clock import parse_time


def age(obj: Object, now: int) -> str:
    """Time since metadata.creationTimestamp as HumanDuration, `<unknown>` when unset (kubectl.md 2)."""
    return since(meta(obj).get("creationTimestamp"), now)


def since(stamp: str | None, now: int) -> str:
    """Time since an RFC 3339 stamp as HumanDuration; `<unknown>` when there is none."""
    from labsim.kube.duration import human_duration

    if not stamp:
        return "<unknown>"
    return human_duration((now - parse_time(stamp)) // 1000)
