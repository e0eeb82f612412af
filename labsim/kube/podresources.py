"""What a pod asks for: sums of its containers' requests, in the way scheduler, kubelet, quota and describe count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from labsim.kube.objects import Object, get_in

Amounts = dict[str, int]  # resource name -> thousandths of its unit


@lru_cache(maxsize=4096)
def milli(quantity: str) -> int:
    """Thousandths of a quantity's unit, rounded up: "250m" -> 250. ValueError when malformed."""
    from labsim.kube import quantity as quantities

    return quantities.milli(quantity)


def amounts(found: Mapping[str, Any] | None) -> Amounts:
    return {name: milli(str(value)) for name, value in (found or {}).items()}


def add(total: Amounts, more: Amounts) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _larger(total: Amounts, other: Amounts) -> None:
    for name, value in other.items():
        total[name] = max(total.get(name, 0), value)


def pod_amounts(pod: Object, kind: str = "requests") -> Amounts:
    """Containers and sidecars together, or the largest init container with the sidecars before it; plus overhead.

    `kind` is requests or limits. Pod-level resources win over the sum, as in 1.34 and later.
    """
    spec = pod.get("spec") or {}
    total: Amounts = {}
    for container in spec.get("containers") or ():
        add(total, amounts(get_in(container, "resources", kind)))
    sidecars: Amounts = {}
    largest: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = amounts(get_in(container, "resources", kind))
        if container.get("restartPolicy") == "Always":
            add(sidecars, own)
            _larger(largest, sidecars)
        else:
            peak = dict(sidecars)
            add(peak, own)
            _larger(largest, peak)
    add(total, sidecars)
    _larger(total, largest)
    total.update(amounts(get_in(spec, "resources", kind)))
    if total or kind == "requests":
        add(total, amounts(spec.get("overhead")))
    return total


def ports(pod: Object) -> list[tuple[str, str, int]]:
    """(host IP, protocol, host port) of every host port."""
    found: list[tuple[str, str, int]] = []
    containers: Iterable[Object] = get_in(pod, "spec", "containers", default=())
    for container in containers:
        for port in container.get("ports") or ():
            if port.get("hostPort"):
                found.append((port.get("hostIP") or "0.0.0.0", port.get("protocol", "TCP"), int(port["hostPort"])))
    return found
