"""describe for persistent volumes and their claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.describers.base import quantity, stamp
from labsim.commands.kubectl.describers.volumes import write_source
from labsim.kube.objects import Object, get_in, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_SOURCES = ("hostPath", "nfs", "local", "csi")


def modes(names: list[str]) -> str:
    return ",".join(short for name, short in _MODES.items() if name in names)


def describe_claim(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    bound = bool(spec.get("volumeName"))
    page.head(obj)
    page.field("StorageClass", spec.get("storageClassName") or "")
    deleted = get_in(obj, "metadata", "deletionTimestamp")
    page.field("Status", f"Terminating (lasts {page.since(deleted)})" if deleted else status.get("phase", ""))
    page.field("Volume", spec.get("volumeName") or "")
    page.labels_and_annotations(obj)
    page.field("Finalizers", "[" + " ".join(get_in(obj, "metadata", "finalizers", default=())) + "]")
    page.field("Capacity", quantity(get_in(status, "capacity", "storage", default="")) if bound else "")
    page.field("Access Modes", modes(status.get("accessModes") or []) if bound else "")
    if spec.get("volumeMode"):
        page.field("VolumeMode", spec["volumeMode"])
    if spec.get("dataSource"):
        source = spec["dataSource"]
        page.line(0, "DataSource:")
        if source.get("apiGroup"):
            page.line(1, f"APIGroup:\t{source['apiGroup']}")
        page.line(1, f"Kind:\t{source.get('kind', '')}")
        page.line(1, f"Name:\t{source.get('name', '')}")
    users = [
        pod
        for pod in page.client.list("pods", namespace_of(obj))
        if any(
            get_in(volume, "persistentVolumeClaim", "claimName") == name_of(obj)
            for volume in get_in(pod, "spec", "volumes", default=())
        )
    ]
    page.lines("Used By:", [name_of(pod) for pod in users])
    if status.get("conditions"):
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage")
        page.line(1, "----\t------\t-----------------\t------------------\t------\t-------")
        for c in status["conditions"]:
            times = f"{stamp(c.get('lastProbeTime'))} \t{stamp(c.get('lastTransitionTime'))}"
            page.line(
                1,
                f"{c.get('type', '')} \t{c.get('status', '')} \t{times} \t{c.get('reason', '')} "
                f"\t{c.get('message', '')}",
            )
    if events:
        page.events(obj)


def describe_volume(page: Page, obj: Object, events: bool) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    page.field("Name", name_of(obj))
    page.labels_and_annotations(obj)
    page.field("Finalizers", "[" + " ".join(get_in(obj, "metadata", "finalizers", default=())) + "]")
    page.field("StorageClass", spec.get("storageClassName") or "")
    page.field("Status", status.get("phase", ""))
    claim = spec.get("claimRef")
    page.field("Claim", f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "")
    page.field("Reclaim Policy", spec.get("persistentVolumeReclaimPolicy", ""))
    page.field("Access Modes", modes(spec.get("accessModes") or []))
    if spec.get("volumeMode"):
        page.field("VolumeMode", spec["volumeMode"])
    page.field("Capacity", quantity(get_in(spec, "capacity", "storage", default="")))
    _affinity(page, get_in(spec, "nodeAffinity", "required"))
    page.field("Message", status.get("message") or "")
    page.line(0, "Source:")
    write_source(page, {key: spec[key] for key in _SOURCES if key in spec})
    if events:
        page.events(obj)


def _affinity(page: Page, required: Object | None) -> None:
    if required is None:
        page.field("Node Affinity", "<none>")
        return
    page.line(0, "Node Affinity:")
    page.line(1, "Required Terms:")
    for at, term in enumerate(required.get("nodeSelectorTerms") or ()):
        for number, e in enumerate(term.get("matchExpressions") or ()):
            values = " [" + ", ".join(e.get("values") or ()) + "]" if e.get("values") else ""
            title = f"Term {at}:" if number == 0 else ""
            page.line(2, f"{title}\t{e.get('key', '')} {str(e.get('operator', '')).lower()}{values}")
