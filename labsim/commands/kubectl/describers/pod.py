"""describe pod, and the Pod Template block of workloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.describers.base import controlled_by, stamp
from labsim.commands.kubectl.describers.containers import write_containers, write_resources, write_tolerations
from labsim.commands.kubectl.describers.volumes import write_volumes
from labsim.kube.objects import Object, annotations_of, get_in, labels_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def describe(page: Page, pod: Object, events: bool) -> None:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    page.head(pod)
    for label, value in (
        ("Priority", spec.get("priority")),
        ("Priority Class Name", spec.get("priorityClassName") or None),
        ("Runtime Class Name", spec.get("runtimeClassName") or None),
        ("Service Account", spec.get("serviceAccountName") or None),
    ):
        if value is not None:
            page.field(label, value)
    node = spec.get("nodeName")
    page.field("Node", f"{node}/{status.get('hostIP', '')}" if node else "<none>")
    if status.get("startTime"):
        page.field("Start Time", stamp(status["startTime"]))
    page.labels_and_annotations(pod)
    deleted = get_in(pod, "metadata", "deletionTimestamp")
    if deleted and status.get("reason") != "NodeLost":
        page.field("Status", f"Terminating (lasts {page.since(deleted)})")
        page.field("Termination Grace Period", f"{get_in(pod, 'metadata', 'deletionGracePeriodSeconds', default=0)}s")
    else:
        page.field("Status", status.get("phase", ""))
    for label, key in (("Reason", "reason"), ("Message", "message")):
        if status.get(key):
            page.field(label, status[key])
    profile = get_in(spec, "securityContext", "seccompProfile")
    if profile:
        page.field("SeccompProfile", profile.get("type", ""))
        if profile.get("type") == "Localhost":
            page.field("LocalhostProfile", profile.get("localhostProfile", ""))
    page.field("IP", status.get("podIP", ""))
    ips = status.get("podIPs") or ()
    page.line(0, "IPs:" if ips else "IPs:\t<none>")
    for ip in ips:
        page.field("IP", ip.get("ip", ""), 1)
    if controlled_by(pod):
        page.field("Controlled By", controlled_by(pod))
    if status.get("nominatedNodeName"):
        page.field("NominatedNodeName", status["nominatedNodeName"])
    if spec.get("resources"):
        page.line(0, "Resources:")
        write_resources(page, spec["resources"], 1)
    _containers(page, pod)
    _conditions(page, pod)
    write_volumes(page, spec.get("volumes") or ())
    page.field("QoS Class", status.get("qosClass", ""))
    page.labels("Node-Selectors", spec.get("nodeSelector"))
    write_tolerations(page, spec.get("tolerations") or ())
    _spread(page, spec)
    if events:
        page.events(pod)


def _containers(page: Page, pod: Object) -> None:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}

    def resolve(ref: Mapping[str, Any]) -> str:
        return _resolve(pod, ref)

    if spec.get("initContainers"):
        statuses = status.get("initContainerStatuses") or ()
        write_containers(page, "Init Containers", spec["initContainers"], statuses, resolve)
    write_containers(page, "Containers", spec.get("containers") or (), status.get("containerStatuses") or (), resolve)
    if spec.get("ephemeralContainers"):
        statuses = status.get("ephemeralContainerStatuses") or ()
        write_containers(page, "Ephemeral Containers", spec["ephemeralContainers"], statuses, resolve)


def _conditions(page: Page, pod: Object) -> None:
    gates = get_in(pod, "spec", "readinessGates", default=())
    conditions = get_in(pod, "status", "conditions", default=())
    if gates:
        by_type = {c.get("type"): c.get("status") for c in conditions}
        page.line(0, "Readiness Gates:")
        page.line(1, "Type\tStatus")
        for gate in gates:
            page.line(1, f"{gate.get('conditionType', '')} \t{by_type.get(gate.get('conditionType'), '<none>')} ")
    if conditions:
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus")
        for condition in conditions:
            page.line(1, f"{condition.get('type', '')} \t{condition.get('status', '')} ")


def _resolve(pod: Object, ref: Mapping[str, Any]) -> str:
    """What kubectl itself can tell of a downward API field: metadata only, and the container's own numbers."""
    path = str(ref.get("fieldPath", ""))
    if path in ("metadata.name", "metadata.namespace", "metadata.uid"):
        return str(get_in(pod, *path.split("."), default=""))
    for prefix, values in (("metadata.labels", labels_of(pod)), ("metadata.annotations", annotations_of(pod))):
        if path == prefix:
            return "\n".join(f'{k}="{v}"' for k, v in sorted(values.items()))
        if path.startswith(prefix + "['") and path.endswith("']"):
            return values.get(path[len(prefix) + 2 : -2], "")
    return ""


def _spread(page: Page, spec: Object, indent: str = "") -> None:
    from labsim.commands.kubectl.describers.base import selector_text

    lines = []
    for constraint in sorted(spec.get("topologySpreadConstraints") or (), key=lambda c: str(c.get("topologyKey", ""))):
        text = f"{constraint.get('topologyKey', '')}:{constraint.get('whenUnsatisfiable', '')}"
        text += f" when max skew {constraint.get('maxSkew', 0)} is exceeded"
        if constraint.get("labelSelector") is not None:
            text += f" for selector {selector_text(constraint['labelSelector'])}"
        lines.append(text)
    if lines:
        page.lines(f"{indent}Topology Spread Constraints:", lines)


def write_template(page: Page, template: Object) -> None:
    """`Pod Template:` of a workload."""
    spec = template.get("spec") or {}
    page.line(0, "Pod Template:")
    page.labels("Labels", labels_of(template), "  ")
    if annotations_of(template):
        page.annotations(annotations_of(template), "  Annotations")
    if spec.get("serviceAccountName"):
        page.line(0, f"  Service Account:\t{spec['serviceAccountName']}")
    if spec.get("initContainers"):
        write_containers(page, "Init Containers", spec["initContainers"], space="  ")
    write_containers(page, "Containers", spec.get("containers") or (), space="  ")
    write_volumes(page, spec.get("volumes") or (), "  ")
    _spread(page, spec, "  ")
    if spec.get("priorityClassName"):
        page.line(0, f"  Priority Class Name:\t{spec['priorityClassName']}")
    page.labels("Node-Selectors", spec.get("nodeSelector"), "  ")
    write_tolerations(page, spec.get("tolerations") or (), "  ")
