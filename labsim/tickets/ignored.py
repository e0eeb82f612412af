"""What `unchanged` ignores: fields that move although nobody touched the object. The only such list."""

from __future__ import annotations

from typing import Any

from labsim.kube.objects import Object, drop_in

EVERYWHERE: tuple[tuple[str, ...], ...] = (
    ("metadata", "resourceVersion"),
    ("metadata", "generation"),
    ("metadata", "managedFields"),
    ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
)

BY_RESOURCE: dict[str, tuple[tuple[str, ...], ...]] = {
    # A node's status is the kubelet's; images are pulled, heartbeats go on, GFD stamps its labels.
    "nodes": (
        ("status", "images"),
        ("status", "conditions"),
        ("metadata", "labels", "nvidia.com/gfd.timestamp"),
    ),
    "pods": (("status",),),
    "leases.coordination.k8s.io": (("spec",),),
    "daemonsets.apps": (("status",),),
    "deployments.apps": (("status",),),
    "replicasets.apps": (("status",),),
    "statefulsets.apps": (("status",),),
    "jobs.batch": (("status",),),
}


def comparable(key: str, obj: Object) -> Any:
    """The object without what is ignored."""
    for path in (*EVERYWHERE, *BY_RESOURCE.get(key, ())):
        obj = drop_in(obj, path)
    return obj
