"""The pod worker: admission, volumes, sandbox, containers in order, termination. One call brings a pod as far as it
goes at this instant; what it must know is in the pod's status and its container objects."""

from __future__ import annotations

from labsim.kube.matching import pod_fits_node, untolerated
from labsim.kube.objects import Object, get_in, name_of, namespace_of, uid_of
from labsim.kubelet import containers, devices, probes, status, volumes
from labsim.kubelet.context import PodSync
from labsim.kubelet.pull import RESYNC
from labsim.sim.clock import SECOND, parse_time, rfc3339

FINISHED = ("Succeeded", "Failed")
# Volume retries: 0.5 s doubling to 2 min 2 s (nestedpendingoperations).
MOUNT_RETRY, MOUNT_RETRY_MAX = 500, 122 * SECOND


def sync_pod(sync: PodSync) -> None:
    pod = sync.pod
    phase = get_in(pod, "status", "phase", default="Pending")
    if pod["metadata"].get("deletionTimestamp"):
        _terminate(sync)
        return
    if phase in FINISHED:
        _release(sync)
        return
    if not sync.containers and not _admit(sync):
        return
    for group, spec in sync.specs("ephemeralContainers"):
        if spec["name"] not in sync.containers:
            containers.create(sync, group, spec, {})
    if _past_deadline(sync):
        return
    sandbox = get_in(sync.first, "status", "pod", "sandbox", default=None) is not None
    if not sandbox:
        if not _sandbox(sync):
            _write(sync, sandbox=False)
            return
        sandbox = True
    _run(sync)
    _write(sync, sandbox=True)
    if get_in(sync.pod, "status", "phase") in FINISHED:
        _stop_sidecars(sync)
        _release(sync)


# -- admission ---------------------------------------------------------------------------------------------------------


def _admit(sync: PodSync) -> bool:
    """Take the pod in, with its devices; or reject it for good."""
    try:
        given = devices.allocate(sync.client, sync.node, sync.pod)
    except devices.AllocationError as error:
        _reject(sync, "UnexpectedAdmissionError", str(error))
        return False
    if not pod_fits_node(sync.pod, sync.node):
        text = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
        _reject(sync, "NodeAffinity", text)
        return False
    taints = get_in(sync.node, "spec", "taints", default=())
    if untolerated(get_in(sync.pod, "spec", "tolerations", default=()), taints, ("NoExecute",)):
        _reject(sync, "TaintToleration", "Predicate TaintToleration failed: node(s) had untolerated taint(s)")
        return False
    for group, spec in sync.specs():
        containers.create(sync, group, spec, given.get(spec["name"], {}))
    address = _host_ip(sync.node)
    more: Object = {"startTime": rfc3339(sync.now), "hostIP": address, "hostIPs": [{"ip": address}]}
    _write(sync, sandbox=False, **more)
    return True


def _reject(sync: PodSync, reason: str, message: str) -> None:
    sync.event("Warning", reason, message)
    found: Object = {
        **(sync.pod.get("status") or {}),
        "phase": "Failed",
        "reason": reason,
        "message": f"Pod was rejected: {message}",
        "startTime": rfc3339(sync.now),
    }
    sync.pod = sync.client.update_status("pods", {**sync.pod, "status": found}, namespace_of(sync.pod))


def _host_ip(node: Object) -> str:
    for address in get_in(node, "status", "addresses", default=()):
        if address["type"] == "InternalIP":
            return str(address["address"])
    return ""


# -- volumes and sandbox -----------------------------------------------------------------------------------------------


def _sandbox(sync: PodSync) -> bool:
    """Mount the volumes and make the sandbox, when it is time. False while that waits or fails."""
    missing = volumes.problems(sync.client, sync.pod)
    if missing:
        tries = sync.memory("mount")
        due = int(tries.get("next", 0))
        if sync.now >= due:
            for text in missing:
                sync.event("Warning", "FailedMount", text)
            count = int(tries.get("count", 0)) + 1
            due = sync.now + min(MOUNT_RETRY << min(count - 1, 8), MOUNT_RETRY_MAX)
            sync.remember("mount", {"count": count, "next": due})
        sync.due(due, periodic=True)
        return False
    began = max(int(sync.first["status"]["createdAt"]), int(sync.memory("mount").get("next", 0)))
    failed = sync.memory("failed")
    due = int(failed["at"]) + RESYNC if failed else began + sync.lifecycle.delay("sandbox")
    if sync.now < due:
        sync.due(due, periodic=bool(failed) and bool(_sandbox_problem(sync)))
        return False
    problem = _sandbox_problem(sync)
    if problem:
        sync.event("Warning", "FailedCreatePodSandBox", f"Failed to create pod sandbox: {problem}")
        sync.remember("failed", {"at": sync.now})
        sync.due(sync.now + RESYNC, periodic=True)
        return False
    sync.remember("sandbox", {"at": sync.now})
    address = _host_ip(sync.node) if get_in(sync.pod, "spec", "hostNetwork") else pod_ip(sync)
    _write(sync, sandbox=True, podIP=address, podIPs=[{"ip": address}])
    return True


def _sandbox_problem(sync: PodSync) -> str:
    """Why the runtime cannot make the sandbox: the handler of the RuntimeClass is not configured on the machine."""
    name = get_in(sync.pod, "spec", "runtimeClassName")
    if not name:
        return ""
    found = sync.client.find("runtimeclasses.node.k8s.io", str(name))
    handler = str(get_in(found, "handler", default=name))
    if handler in ("", "runc"):
        return ""
    toolkit = bool(get_in(sync.machine, "status", "toolkit", "configured", default=False))
    if toolkit and (handler == "nvidia" or handler.startswith("nvidia-")):
        return ""
    return f'rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "{handler}" is configured'


def pod_ip(sync: PodSync) -> str:
    """The lowest free address of the node's pod range; .0 is the network, .1 the bridge."""
    cidr = str(get_in(sync.node, "spec", "podCIDR", default=""))
    if not cidr:
        return ""
    octets = [int(part) for part in cidr.partition("/")[0].split(".")]
    base = int.from_bytes(bytes(octets), "big")
    used = {
        str(get_in(pod, "status", "podIP", default=""))
        for pod in sync.client.by_index("pods", "spec.nodeName", sync.node_name)
        if get_in(pod, "status", "phase") not in FINISHED
    }
    for offset in range(2, 1 << (32 - int(cidr.partition("/")[2]))):
        address = ".".join(str(octet) for octet in (base + offset).to_bytes(4, "big"))
        if address not in used:
            return address
    return ""


# -- containers --------------------------------------------------------------------------------------------------------


def _run(sync: PodSync) -> None:
    for group, spec in sync.specs("ephemeralContainers"):
        containers.step(sync, group, spec)
    # A new sandbox (after a reboot) begins with the init containers again.
    sandbox = int(sync.memory("sandbox").get("at", 0))
    begun = any(
        int(sync.containers[spec["name"]]["status"].get("startedAt") or -1) >= sandbox
        for _, spec in sync.specs("containers")
    )
    for group, spec in sync.specs("initContainers"):
        sidecar = spec.get("restartPolicy") == "Always"
        container = sync.containers[spec["name"]]
        ended_well = container["status"]["state"] == "exited" and container["status"].get("exitCode") == 0
        if not sidecar and (ended_well or begun):
            continue
        container = _step(sync, group, spec)
        if begun:
            continue
        if sidecar and probes.is_started(sync, spec, container):
            continue
        if not sidecar and container["status"]["state"] == "exited" and container["status"].get("exitCode") == 0:
            continue
        return
    for group, spec in sync.specs("containers"):
        _step(sync, group, spec)


def _step(sync: PodSync, group: str, spec: Object) -> Object:
    """One container; a missing environment source keeps it from being created (CreateContainerConfigError)."""
    container = sync.containers[spec["name"]]
    if container["status"]["state"] != "created":
        return containers.step(sync, group, spec)
    problem = volumes.config_error(sync.client, sync.pod, spec)
    shown = get_in(container, "status", "pull", "reason", default="")
    if not problem:
        if shown == "CreateContainerConfigError":
            sync.store(container, pull=None)
        return containers.step(sync, group, spec)
    pull = get_in(container, "status", "pull", default={})
    if shown != "CreateContainerConfigError" or sync.now >= int(pull.get("next", 0)):
        sync.event("Warning", "Failed", f"Error: {problem}", str(spec["name"]), group)
        pull = {"reason": "CreateContainerConfigError", "message": problem, "next": sync.now + RESYNC}
        sync.store(container, pull=pull)
    sync.due(int(pull["next"]), periodic=True)
    return sync.containers[spec["name"]]


def _past_deadline(sync: PodSync) -> bool:
    limit = get_in(sync.pod, "spec", "activeDeadlineSeconds")
    start = get_in(sync.pod, "status", "startTime")
    if limit is None or start is None:
        return False
    at = parse_time(str(start)) + int(limit) * SECOND
    if sync.now < at:
        sync.due(at, periodic=True)
        return False
    text = "Pod was active on the node longer than the specified deadline"
    sync.event("Normal", "DeadlineExceeded", text)
    for group, spec in sync.specs():
        container = sync.containers[spec["name"]]
        if container["status"]["state"] == "running":
            sync.event("Normal", "Killing", f"Stopping container {spec['name']}", spec["name"], group)
            containers.finish(sync, container, 137)
    _write(sync, sandbox=False, phase="Failed", reason="DeadlineExceeded", message=text)
    _release(sync)
    return True


def _write(sync: PodSync, *, sandbox: bool, **more: object) -> None:
    new = status.build(sync, sandbox=sandbox, **more)
    if new["phase"] in FINISHED:
        new["conditions"] = [
            {**row, "status": "False", "lastTransitionTime": row["lastTransitionTime"]}
            if row["type"] == "PodReadyToStartContainers"
            else row
            for row in new["conditions"]
        ]
    if new != sync.pod.get("status"):
        sync.pod = sync.client.update_status("pods", {**sync.pod, "status": new}, namespace_of(sync.pod))


def _release(sync: PodSync) -> None:
    """The pod has ended: its devices are free again."""
    for container in list(sync.containers.values()):
        if container["spec"].get("devices"):
            sync.store_spec(container, devices={})


def _stop_sidecars(sync: PodSync) -> None:
    for group, spec in sync.specs("initContainers"):
        container = sync.containers[spec["name"]]
        if container["status"]["state"] == "running":
            sync.event("Normal", "Killing", f"Stopping container {spec['name']}", spec["name"], group)
            containers.finish(sync, container, int(get_in(container, "status", "stop", "code", default=0)))


# -- termination -------------------------------------------------------------------------------------------------------


def _terminate(sync: PodSync) -> None:
    """SIGTERM, the grace period, SIGKILL; then the pod is gone from the API."""
    metadata = sync.pod["metadata"]
    end = parse_time(str(metadata["deletionTimestamp"]))
    running = [
        (group, spec)
        for group, spec in sync.specs()
        if get_in(sync.containers.get(spec["name"]), "status", "state") == "running"
    ]
    for group, spec in running:
        container = sync.containers[spec["name"]]
        state = container["status"]
        stop = state.get("stop") or {}
        if not state.get("stopping"):
            sync.event("Normal", "Killing", f"Stopping container {spec['name']}", str(spec["name"]), group)
            state = sync.store(container, stopping=sync.now)["status"]
        container = sync.containers[spec["name"]]
        hook = int(get_in(spec, "lifecycle", "preStop", "sleep", "seconds", default=0)) * SECOND
        asked = int(state["stopping"]) + hook + int(stop.get("after", 300))
        # The API shows whole seconds; a process is given its grace period from when it was told.
        killed = max(end, int(state["stopping"]) + int(metadata.get("deletionGracePeriodSeconds", 30)) * SECOND)
        if stop.get("deaf") or asked > killed:
            if sync.now >= killed:
                containers.finish(sync, container, 137)
            else:
                sync.due(killed)
        elif sync.now >= asked:
            containers.finish(sync, container, int(stop.get("code", 0)))
        else:
            sync.due(asked)
    if any(c["status"]["state"] == "running" for c in sync.containers.values()):
        if sync.containers:
            _write(sync, sandbox=get_in(sync.pod, "status", "podIP") is not None)
        return
    if sync.containers and get_in(sync.pod, "status", "phase") not in FINISHED:
        _write(sync, sandbox=False)
    for container in list(sync.containers.values()):
        containers.drop(sync.client, container)
    current = sync.client.find("pods", name_of(sync.pod), namespace_of(sync.pod))
    if current is not None and uid_of(current) == uid_of(sync.pod):
        sync.client.delete("pods", name_of(sync.pod), namespace_of(sync.pod), grace_seconds=0)
