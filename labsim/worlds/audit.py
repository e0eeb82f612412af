"""Who may write what: each actor of the cluster changes only the fields that are its own on a real one (design.md 3).

Read over a journal it shows a part that takes a short cut, such as a controller that sets Allocatable by itself.
The learner and whoever sets up a ticket or injects a fault may write what the API lets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from labsim.sim.journal import Write

Path = tuple[str, ...]
_OPERATOR = "system:serviceaccount:gpu-operator:"
_MANAGER = "system:serviceaccount:kube-system:"
_KUBELET = "system:node:*"
# Beside the learner: nobody else stands outside the table.
FREE = ("kubernetes-admin", "system:labsim:*")
_REST = "**"


@dataclass(frozen=True)
class Rule:
    """The fields at `path` and below (each part a pattern) of `resource` are written by `actors` only."""

    resource: str
    path: Path
    actors: tuple[str, ...]


def _label(name: str) -> Path:
    return ("metadata", "labels", name)


# The first rule that speaks of a field decides.
RULES: tuple[Rule, ...] = (
    Rule("nodes", ("status", "capacity"), (_KUBELET,)),
    Rule("nodes", ("status", "allocatable"), (_KUBELET,)),
    Rule("nodes", ("status", "images"), (_KUBELET,)),
    Rule("nodes", ("status", "nodeInfo"), (_KUBELET,)),
    Rule("nodes", ("status", "conditions"), (_KUBELET, _MANAGER + "node-controller")),
    Rule("nodes", _label("nvidia.com/mig.config.state"), (_OPERATOR + "nvidia-mig-manager",)),
    Rule("nodes", _label("nvidia.com/mig.config"), (_OPERATOR + "gpu-operator",)),
    Rule(
        "nodes",
        _label("nvidia.com/gpu.deploy.*"),
        (_OPERATOR + "gpu-operator", _OPERATOR + "nvidia-mig-manager", _OPERATOR + "nvidia-driver"),
    ),
    Rule("nodes", _label("nvidia.com/gpu.present"), (_OPERATOR + "gpu-operator",)),
    Rule("nodes", _label("nvidia.com/gpu-driver-upgrade-state"), (_OPERATOR + "gpu-operator",)),
    Rule("nodes", _label("nvidia.com/*"), (_OPERATOR + "node-feature-discovery",)),
    Rule("nodes", _label("feature.node.kubernetes.io/*"), (_OPERATOR + "node-feature-discovery",)),
    Rule(
        "nodefeatures.nfd.k8s-sigs.io",
        (_REST,),
        (
            _OPERATOR + "node-feature-discovery",
            _OPERATOR + "nvidia-gpu-feature-discovery",
            _MANAGER + "generic-garbage-collector",
            _MANAGER + "namespace-controller",
        ),
    ),
    Rule("pods", ("spec", "nodeName"), ("system:kube-scheduler",)),
    Rule("pods", ("status", "containerStatuses"), (_KUBELET, _MANAGER + "node-controller")),
    Rule("clusterpolicies.nvidia.com", ("status",), (_OPERATOR + "gpu-operator",)),
    Rule("daemonsets.apps", ("status",), (_MANAGER + "daemon-set-controller",)),
    Rule("deviceplugins.runtime.labsim", (_REST,), (_OPERATOR + "nvidia-device-plugin",)),
    Rule("containers.runtime.labsim", ("spec",), (_KUBELET,)),
    Rule("containers.runtime.labsim", ("status",), (_KUBELET, _OPERATOR + "*")),
    Rule("containers.runtime.labsim", (_REST,), (_KUBELET,)),
    Rule("logs.runtime.labsim", (_REST,), (_KUBELET, _OPERATOR + "*")),
    Rule(
        "machines.hardware.labsim",
        ("status", "gpus"),
        (_OPERATOR + "nvidia-mig-manager", _OPERATOR + "nvidia-driver"),
    ),
    Rule("machines.hardware.labsim", ("status", "driver"), (_OPERATOR + "nvidia-driver",)),
    Rule("machines.hardware.labsim", ("status", "toolkit"), (_OPERATOR + "nvidia-container-toolkit",)),
    Rule(
        "machines.hardware.labsim",
        ("status", "validations"),
        (_OPERATOR + "nvidia-operator-validator", _OPERATOR + "nvidia-driver"),
    ),
    Rule("machines.hardware.labsim", ("status", "kubelet"), (_KUBELET,)),
    Rule("machines.hardware.labsim", (_REST,), ()),
)


def violations(writes: Iterable[Write]) -> list[str]:
    """One line for each field that somebody wrote who may not."""
    found = []
    for write in writes:
        if any(fnmatchcase(write.actor, free) for free in FREE):
            continue
        for path in sorted(changed(write.before, write.after)):
            rule = rule_for(write.resource, path)
            if rule is not None and not any(fnmatchcase(write.actor, actor) for actor in rule.actors):
                # A new object brings its first values along; only what stays inside the rule's own kind is looked at.
                if write.verb != "update" and rule.path != (_REST,):
                    continue
                place = "/".join(part for part in (write.resource, write.namespace, write.name) if part)
                found.append(f"{write.actor} wrote {' > '.join(path)} of {place}")
    return found


def rule_for(resource: str, path: Path) -> Rule | None:
    for rule in RULES:
        if rule.resource == resource and _covers(rule.path, path):
            return rule
    return None


def _covers(pattern: Path, path: Path) -> bool:
    if pattern == (_REST,):
        return True
    return len(path) >= len(pattern) and all(fnmatchcase(p, q) for p, q in zip(path, pattern, strict=False))


def changed(before: Any, after: Any) -> set[Path]:
    """The paths (dict keys; a list counts as one value) at which two objects differ. Bookkeeping is left out."""
    return {path for path in _diff(before or {}, after or {}, ()) if path[:1] != ("metadata",) or path[1:2] in _META}


_META = (("labels",), ("annotations",), ("finalizers",), ("ownerReferences",))


def _diff(before: Any, after: Any, path: Path) -> Iterator[Path]:
    if before is after or before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from _diff(before.get(key), after.get(key), (*path, str(key)))
        return
    if isinstance(before, dict) or isinstance(after, dict):
        present = before if isinstance(before, dict) else after
        if present:
            for key in sorted(present):
                yield from _diff(
                    before.get(key) if isinstance(before, dict) else None,
                    after.get(key) if isinstance(after, dict) else None,
                    (*path, str(key)),
                )
            return
    yield path
