"""The operator's labels on nodes: GPUs present, which operands a node gets, the default layout (gpu.md 5.3).

Source: controllers/state_manager.go of gpu-operator v26.3.3. A label that is there, whatever its value, is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labsim.kube.client import Client
from labsim.kube.objects import Object, annotations_of, labels_of, name_of
from labsim.operators.gpu import names
from labsim.operators.gpu.operands.parts import part

ALL_DISABLED = "all-disabled"
_MIG_PRODUCTS = ("h100", "a100", "a30")


def has_gpu(labels: Mapping[str, str]) -> bool:
    return any(labels.get(label) == "true" for label in names.GPU_NFD_LABELS)


def present(labels: Mapping[str, str]) -> bool:
    return labels.get(names.GPU_PRESENT) == "true"


def mig_capable(labels: Mapping[str, str]) -> bool:
    if names.MIG_CAPABLE in labels:
        return labels[names.MIG_CAPABLE] == "true"
    product = labels.get(names.GPU_PRODUCT, "").lower()
    return any(name in product for name in _MIG_PRODUCTS)


def needs_update(before: Object | None, after: Object | None) -> bool:
    """Whether a change of a node makes the controller reconcile (the predicate of addWatchNewGPUNode)."""
    if after is None:
        return False
    new = labels_of(after)
    if before is None:
        return has_gpu(new)
    old = labels_of(before)
    if old == new:
        return False
    return (
        has_gpu(new) != present(new)
        or (mig_capable(new) and names.MIG_MANAGER_DEPLOY not in new)
        or (old.get(names.OPERANDS) == "false") != (new.get(names.OPERANDS) == "false")
        or old.get(names.WORKLOAD_CONFIG) != new.get(names.WORKLOAD_CONFIG)
    )


def label_nodes(client: Client, spec: Mapping[str, Any]) -> tuple[bool, int]:
    """Labels every node as it should be; returns (any NFD label in the cluster, number of GPU nodes)."""
    has_nfd, count = False, 0
    for node in client.list("nodes"):
        have = labels_of(node)
        has_nfd = has_nfd or any(label.startswith(names.NFD_PREFIX) for label in have)
        wanted = wanted_labels(have, spec)
        changes = {key: wanted.get(key) for key in {**have, **wanted} if have.get(key) != wanted.get(key)}
        if changes:
            client.patch("nodes", name_of(node), {"metadata": {"labels": changes}})
        count += present(wanted)
    return has_nfd, count


def wanted_labels(have: Mapping[str, str], spec: Mapping[str, Any]) -> dict[str, str]:
    labels = dict(have)
    if has_gpu(labels) and not present(labels):
        labels[names.GPU_PRESENT] = "true"
    elif present(labels) and not has_gpu(labels):
        labels[names.GPU_PRESENT] = "false"
        _drop_deploy(labels)
    if not present(labels):
        return labels
    if labels.get(names.OPERANDS) == "false":
        _drop_deploy(labels)
        return labels
    for label in names.DEPLOY_LABELS:
        labels.setdefault(label, "true")
    if mig_capable(labels):
        labels.setdefault(names.MIG_MANAGER_DEPLOY, "true")
        manager = part(spec, "migManager")
        default = str(part(manager, "config").get("default", ""))
        if manager.get("enabled", True) and not labels.get(names.MIG_CONFIG) and default == ALL_DISABLED:
            labels[names.MIG_CONFIG] = ALL_DISABLED
    return labels


def _drop_deploy(labels: dict[str, str]) -> None:
    for label in (*names.DEPLOY_LABELS, names.MIG_MANAGER_DEPLOY):
        labels.pop(label, None)


def driver_upgrade_labels(client: Client, spec: Mapping[str, Any]) -> None:
    """`upgrade-done` on the nodes whose driver pod is of the present revision (all are: the state is ready)."""
    upgrade = part(spec, "driver", "upgradePolicy").get("autoUpgrade", False)
    for node in client.by_index("nodes", "label", f"{names.GPU_PRESENT}=true"):
        metadata: Object = {}
        if upgrade and labels_of(node).get(names.UPGRADE_STATE) != "upgrade-done":
            metadata["labels"] = {names.UPGRADE_STATE: "upgrade-done"}
        wanted = "true" if upgrade else None
        if annotations_of(node).get(names.UPGRADE_ENABLED) != wanted:
            metadata["annotations"] = {names.UPGRADE_ENABLED: wanted}
        if metadata:
            client.patch("nodes", name_of(node), {"metadata": metadata})
