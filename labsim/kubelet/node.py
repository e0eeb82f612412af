"""The node's side: registration, status, resources, events; start, stop and reboot of the kubelet.

The machine's `status.kubelet` is {running, startedAt, since, stopped, cordoned}: `startedAt` (ms) is set when the
kubelet has begun its work, `since` when it stopped answering; whoever writes plain {"running": true} starts it (again).
`stopped` holds when plugins' sockets vanished, `cordoned` what it last saw of its node. While it runs heartbeats are
computed when read; at a stop the last one is written down.
"""

from __future__ import annotations

from labsim.kube.client import Client
from labsim.kube.events import Recorder
from labsim.kube.objects import Object, get_in, set_in, uid_of
from labsim.kubelet import devices, runtime
from labsim.kubelet.containers import terminated
from labsim.kubelet.context import MACHINES
from labsim.sim import names
from labsim.sim.clock import rfc3339, rfc3339_micro
from labsim.sim.loop import After

VERSION = "v1.35.2"
RUNTIME = "containerd://2.1.4"
KERNEL, OS_IMAGE = "5.15.0-1063-nvidia", "Ubuntu 22.04.5 LTS"
# kubelet defaults: 110 pods; kube-reserved and the hard eviction threshold of 100Mi are left out of allocatable memory.
MAX_PODS, EVICTION_MI = 110, 100
DISK_KI = 1_843_269_236  # the 1.92 TB system disk of a DGX H100 (two in RAID 1), as a file system
LEASES, LEASE_NAMESPACE = "leases.coordination.k8s.io", "kube-node-lease"

CONDITIONS = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
_EVENT_OF = {
    "MemoryPressure": "NodeHasSufficientMemory",
    "DiskPressure": "NodeHasNoDiskPressure",
    "PIDPressure": "NodeHasSufficientPID",
}


def running(machine: Object | None) -> bool:
    """The kubelet works: it was started and has not been stopped since."""
    kubelet = get_in(machine, "status", "kubelet", default={})
    return bool(kubelet.get("running")) and "startedAt" in kubelet


def sync_node(client: Client, seed: int, name: str) -> After | None:
    machine = client.find(MACHINES, name)
    if machine is None:
        return None
    kubelet = get_in(machine, "status", "kubelet", default={})
    if not kubelet.get("running"):
        if "since" not in kubelet:
            _stopped(client, name, machine)
        return None
    if "startedAt" not in kubelet:
        machine = _started(client, seed, name, machine)
    node = client.find("nodes", name)
    if node is None:
        return None  # deleted by someone: it registers again when the kubelet restarts
    return _report(client, name, node, machine)


# -- start and stop ----------------------------------------------------------------------------------------------------


def _stopped(client: Client, name: str, machine: Object) -> None:
    node = client.find("nodes", name)
    if node is not None:
        last = rfc3339(client.now)
        conditions = [
            {**row, "lastHeartbeatTime": last} if row["type"] in {c[0] for c in CONDITIONS} else row
            for row in get_in(node, "status", "conditions", default=())
        ]
        client.update_status("nodes", set_in(node, ("status", "conditions"), conditions))
        _lease(client, node)
    kubelet = {"running": False, "since": client.now, **_kept(machine)}
    client.update_status(MACHINES, set_in(machine, ("status", "kubelet"), kubelet))


def _kept(machine: Object) -> Object:
    stopped = get_in(machine, "status", "kubelet", "stopped")
    return {"stopped": stopped} if stopped else {}


def _started(client: Client, seed: int, name: str, machine: Object) -> Object:
    """Register, say so, and begin with all plugin resources at 0 until the plugins register again."""
    recorder = Recorder(client, "kubelet", name)
    node = client.find("nodes", name)
    boot = str(machine["spec"]["bootID"])
    fresh = node is None
    if node is None:
        node = client.create("nodes", _new_node(name, machine))
    booted_before = get_in(node, "status", "nodeInfo", "bootID")
    rebooted = bool(booted_before) and booted_before != boot
    was_ready = any(
        c["type"] == "Ready" and c["status"] == "True" for c in get_in(node, "status", "conditions", default=())
    )
    subject = node_reference(name)
    recorder.event(subject, "Normal", "Starting", "Starting kubelet.")
    status = _status(client, seed, name, node, machine)
    for kind, _, _, _ in CONDITIONS[:3]:
        recorder.event(subject, "Normal", _EVENT_OF[kind], f"Node {name} status is now: {_EVENT_OF[kind]}")
    recorder.event(subject, "Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods")
    if rebooted:
        text = f"Node {name} has been rebooted, boot id: {boot}"
        recorder.event(subject, "Warning", "Rebooted", text)
    # All plugin resources stand at 0 until their plugins register again (gpu.md 3.4).
    known = [r for r in get_in(node, "status", "capacity", default={}) if devices.is_device(r)]
    for resource in known:
        status["capacity"][resource] = status["allocatable"][resource] = "0"
    current = client.find("nodes", name)
    assert current is not None
    client.update_status("nodes", {**current, "status": status})
    if fresh or not was_ready:
        recorder.event(subject, "Normal", "NodeReady", f"Node {name} status is now: NodeReady")
    if rebooted:
        _containers_died(client, seed, name)
    _lease(client, current)
    machine = client.get(MACHINES, name)
    kubelet = {"running": True, "startedAt": client.now}
    return client.update_status(MACHINES, set_in(machine, ("status", "kubelet"), kubelet))


def _lease(client: Client, node: Object) -> None:
    """The node's heartbeat object. Its renewals are computed when read; a start or stop writes one down."""
    name = node["metadata"]["name"]
    stamp = rfc3339_micro(client.now)
    lease = client.find(LEASES, name, LEASE_NAMESPACE)
    if lease is not None:
        client.update(LEASES, set_in(lease, ("spec", "renewTime"), stamp), LEASE_NAMESPACE)
    elif client.find("namespaces", LEASE_NAMESPACE) is not None:
        owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"]}
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "ownerReferences": [owner]},
            "spec": {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": stamp},
        }
        client.create(LEASES, body, LEASE_NAMESPACE)


def _containers_died(client: Client, seed: int, name: str) -> None:
    """A reboot ends every container of the machine; the pods get new sandboxes and addresses, and in them their init
    containers run again."""
    pods = {uid_of(pod): pod for pod in client.by_index("pods", "spec.nodeName", name)}
    for container in runtime.on_node(client, name):
        status = {k: v for k, v in container["status"].items() if k != "pod"}
        if status["state"] == "running":
            status |= {"state": "exited", "finishedAt": client.now, "exitCode": 255, "reason": "Unknown"}
        container = set_in(container, ("status",), status)
        pod = pods.get(str(container["spec"]["podUID"]))
        if pod is not None and _again(pod, container):
            fresh = {"state": "created", "createdAt": client.now, "last": terminated(seed, container), "ready": None}
            container = set_in(container, ("spec", "attempt"), int(container["spec"]["attempt"]) + 1)
            container = set_in(container, ("status",), {**status, **fresh, "pull": None, "memory": {}, "chatter": None})
        runtime.store(client, container)


def _again(pod: Object, container: Object) -> bool:
    """Whether a container that has ended is made anew in its pod's next sandbox."""
    if get_in(pod, "status", "phase", default="") in ("Succeeded", "Failed"):
        return False
    policy = get_in(pod, "spec", "restartPolicy", default="Always")
    failed = container["status"].get("exitCode") != 0
    if container["status"]["state"] != "exited":
        return False
    return bool(container["spec"]["init"]) or policy == "Always" or (policy == "OnFailure" and failed)


def node_reference(name: str) -> Object:
    """What kubelet events are about: a Node whose uid is its name (kubectl.md 5)."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}}


def _new_node(name: str, machine: Object) -> Object:
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }
    annotations = {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": annotations},
        "spec": {},
    }


# -- status ------------------------------------------------------------------------------------------------------------


def _status(client: Client, seed: int, name: str, node: Object, machine: Object) -> Object:
    old = node.get("status") or {}
    capacity, allocatable = _resources(machine)
    system = machine["spec"].get("system", {})
    serial = str(machine["spec"].get("serial", name))
    return {
        **old,
        "capacity": {**capacity, **_extended(old, "capacity", capacity)},
        "allocatable": {**allocatable, **_extended(old, "allocatable", capacity)},
        "conditions": _conditions(client.now, old.get("conditions") or ()),
        "addresses": old.get("addresses") or _addresses(name, node, machine),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": old.get("images") or [],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": machine["spec"]["bootID"],
            "containerRuntimeVersion": system.get("containerRuntimeVersion", RUNTIME),
            "kernelVersion": system.get("kernelVersion", KERNEL),
            "kubeProxyVersion": "",
            "kubeletVersion": system.get("kubeletVersion", VERSION),
            "machineID": names.digest(seed, "machine-id", name).hex()[:32],
            "operatingSystem": "linux",
            "osImage": system.get("osImage", OS_IMAGE),
            "swap": {"capacity": 0},
            "systemUUID": names.uid(seed, "system-uuid", name, serial),
        },
        "runtimeHandlers": _handlers(machine),
    }


def _resources(machine: Object) -> tuple[Object, Object]:
    """(capacity, allocatable) without plugins' resources: as the world states them (machine `spec.system`), else
    worked out from its size."""
    system = machine["spec"].get("system", {})
    memory_ki = int(machine["spec"]["memoryMi"]) * 1024
    capacity = system.get("capacity") or {
        "cpu": str(machine["spec"]["cpus"]),
        "ephemeral-storage": f"{DISK_KI}Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{memory_ki}Ki",
        "pods": str(MAX_PODS),
    }
    allocatable = system.get("allocatable") or {
        **capacity,
        # Ten per cent of the disk is the hard eviction threshold.
        "ephemeral-storage": str(DISK_KI * 1024 * 9 // 10),
        "memory": f"{memory_ki - EVICTION_MI * 1024}Ki",
    }
    return capacity, allocatable


def _extended(status: Object, part: str, own: Object) -> Object:
    """What device plugins or an administrator added."""
    return {key: value for key, value in (status.get(part) or {}).items() if key not in own}


def _handlers(machine: Object) -> list[Object]:
    found = [{"features": {"recursiveReadOnlyMounts": True, "userNamespaces": True}, "name": ""}]
    handlers = ["runc"]
    if get_in(machine, "status", "toolkit", "configured", default=False):
        handlers += ["nvidia", "nvidia-cdi", "nvidia-legacy"]
    return found + [
        {"features": {"recursiveReadOnlyMounts": True, "userNamespaces": True}, "name": h} for h in sorted(handlers)
    ]


def _addresses(name: str, node: Object, machine: Object) -> list[Object]:
    address = machine["spec"].get("address") or _default_address(name)
    return [{"address": address, "type": "InternalIP"}, {"address": name, "type": "Hostname"}]


def _default_address(name: str) -> str:
    """An address of 10.0.0.0/16 from the number at the end of the name: gpu-node2 -> 10.0.0.12; else from its hash."""
    digits = name[len(name.rstrip("0123456789")) :]
    number = int(digits) + 10 if digits and int(digits) < 60_000 else names.number(0, 300, 60_000, "node-address", name)
    return f"10.0.{number // 256}.{number % 256}"


def _conditions(now: int, old: object) -> list[Object]:
    have = {row["type"]: row for row in old}  # type: ignore[attr-defined]
    found = []
    for kind, value, reason, message in CONDITIONS:
        before = have.pop(kind, None)
        same = before is not None and before["status"] == value
        found.append(
            {
                "lastHeartbeatTime": rfc3339(now),
                "lastTransitionTime": before["lastTransitionTime"] if same and before is not None else rfc3339(now),
                "message": message,
                "reason": reason,
                "status": value,
                "type": kind,
            }
        )
    return list(have.values()) + found


def _report(client: Client, name: str, node: Object, machine: Object) -> After | None:
    """Capacity and Allocatable of plugin resources, schedulability events, runtime handlers."""
    served = devices.plugins(client, name)
    status = node.get("status") or {}
    stopped: dict[str, int] = dict(get_in(machine, "status", "kubelet", "stopped", default={}))
    capacity, allocatable = status.get("capacity") or {}, status.get("allocatable") or {}
    for resource, amount in capacity.items():
        if devices.is_device(resource) and resource not in served and resource not in stopped and amount != "0":
            stopped[resource] = client.now
    capacity, allocatable, still, due = devices.node_resources(served, stopped, capacity, allocatable, client.now)
    new = {**status, "capacity": capacity, "allocatable": allocatable, "runtimeHandlers": _handlers(machine)}
    if not any(c["type"] == "Ready" and c["status"] == "True" for c in status.get("conditions") or ()):
        new["conditions"] = _conditions(client.now, status.get("conditions") or ())
    if new != status:
        client.update_status("nodes", {**node, "status": new})
    before = machine["status"]["kubelet"]
    kubelet = {k: v for k, v in before.items() if k not in ("stopped", "cordoned")}
    if still:
        kubelet["stopped"] = still
    cordoned = bool(get_in(node, "spec", "unschedulable", default=False))
    if cordoned:
        kubelet["cordoned"] = True
    if cordoned != bool(before.get("cordoned", False)):
        reason = "NodeNotSchedulable" if cordoned else "NodeSchedulable"
        text = f"Node {name} status is now: {reason}"
        Recorder(client, "kubelet", name).event(node_reference(name), "Normal", reason, text)
    if kubelet != before:
        client.update_status(MACHINES, set_in(machine, ("status", "kubelet"), kubelet))
    return None if due is None else After(due - client.now)
