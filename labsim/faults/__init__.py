"""Faults that cannot be typed: one file a kind. `inject` checks the parameters and lets the hardware or a program fail.

A fault changes the machine's status, or what a program remembers, never the objects that ought to follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from labsim.kube.client import Client
from labsim.kube.cluster import Cluster

ACTOR = "system:labsim:fault"

KINDS = {
    "xid": "xid",
    "node-not-ready": "node_not_ready",
    "registry-unreachable": "registry_unreachable",
    "image-missing": "image_missing",
    "nfd-off": "nfd_off",
    "plugin-crash": "plugin_crash",
    "toolkit-missing": "toolkit_missing",
    "driver-not-loaded": "driver_not_loaded",
    "manager-client-stuck": "manager_client_stuck",
}


class FaultError(ValueError):
    """A fault that cannot be injected so; one line."""


@dataclass(frozen=True)
class Parameter:
    """`kind` is node, gpu (an index or "all"), int, text, list (of texts) or pod-span ("pod" or "node")."""

    name: str
    kind: str
    required: bool = False
    default: Any = None
    help: str = ""


# Every kind also takes these two words of a ticket; the first is prose, the second says when the author injects it.
_PROSE = ("note", "when")


def parameters(kind: str) -> tuple[Parameter, ...]:
    """What a kind takes. Raises FaultError."""
    found: tuple[Parameter, ...] = _module(kind).PARAMETERS
    return found


def inject(cluster: Cluster, kind: str, **where: Any) -> None:
    """Let it happen now, at the cluster's present instant. Raises FaultError."""
    module = _module(kind)
    client = cluster.client(ACTOR)
    module.inject(cluster, client, **check(client, kind, where))
    cluster.loop.drain()


def check(client: Client, kind: str, where: dict[str, Any]) -> dict[str, Any]:
    """The parameters with defaults filled in. Raises FaultError."""
    known = {parameter.name: parameter for parameter in parameters(kind)}
    for name in where:
        if name not in known and name not in _PROSE:
            raise FaultError(f"fault {kind} has no parameter {name} (it takes {', '.join(known)})")
    found: dict[str, Any] = {}
    for name, parameter in known.items():
        if where.get(name) is None:
            if parameter.required:
                raise FaultError(f"fault {kind} needs the parameter {name} ({parameter.help})")
            found[name] = parameter.default
        else:
            found[name] = _value(client, kind, parameter, where[name])
    return found


def _module(kind: str) -> Any:
    if kind not in KINDS:
        raise FaultError(f"there is no fault {kind!r} (known: {', '.join(KINDS)})")
    return import_module(f"labsim.faults.{KINDS[kind]}")


def _value(client: Client, kind: str, parameter: Parameter, value: Any) -> Any:
    def wrong(expected: str) -> FaultError:
        return FaultError(f"fault {kind}: {parameter.name} must be {expected}, found {value!r}")

    if parameter.kind == "node":
        names = [machine["metadata"]["name"] for machine in client.list("machines.hardware.labsim")]
        if value not in names:
            raise wrong(f"one of {', '.join(names)}")
    elif parameter.kind == "gpu":
        if value != "all" and not (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 8):
            raise wrong("a GPU index from 0 to 7, or all")
    elif parameter.kind == "int":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise wrong("a whole number")
    elif parameter.kind == "list":
        if isinstance(value, str):
            return [value]
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise wrong("a list of texts")
        return list(value)
    elif parameter.kind == "span":
        if value not in ("pod", "node"):
            raise wrong("pod (it ends when that pod is replaced) or node (it stays)")
    elif not isinstance(value, str) or not value:
        raise wrong("a text")
    return value
