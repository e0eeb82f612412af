"""READY, STATUS and RESTARTS of pods in every state that kubectl.md 1.2 speaks of."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.tables.core import event_cells, node_roles, node_status
from labsim.kube.tables.pods import PODS, pod_state
from labsim.kube.tables.workloads import job_status
from labsim.sim.clock import HOUR, MINUTE, rfc3339

NOW = 1_800_000_000_000


def waiting(reason: str = "") -> dict[str, Any]:
    return {"waiting": {"reason": reason} if reason else {}}


def ended(code: int = 0, reason: str = "", signal: int = 0) -> dict[str, Any]:
    state: dict[str, Any] = {"exitCode": code}
    if reason:
        state["reason"] = reason
    if signal:
        state["signal"] = signal
    return {"terminated": state}


RUNNING: dict[str, Any] = {"running": {}}


def status(name: str, state: dict[str, Any], ready: bool = False, restarts: int = 0, **more: Any) -> dict[str, Any]:
    return {"name": name, "state": state, "ready": ready, "restartCount": restarts, **more}


def make(
    phase: str = "Running",
    containers: tuple[Any, ...] = (),
    inits: tuple[Any, ...] = (),
    sidecars: tuple[str, ...] = (),
    deleted: bool = False,
    conditions: tuple[tuple[str, str], ...] = (),
    reason: str = "",
    count: int = 1,
    init_count: int = 0,
) -> dict[str, Any]:
    init_names = [s["name"] for s in inits] or [f"i{n}" for n in range(init_count)]
    return {
        "metadata": {"name": "p", **({"deletionTimestamp": rfc3339(NOW)} if deleted else {})},
        "spec": {
            "containers": [{"name": f"c{n}"} for n in range(count)],
            "initContainers": [
                {"name": n, **({"restartPolicy": "Always"} if n in sidecars else {})} for n in init_names
            ],
        },
        "status": {
            "phase": phase,
            **({"reason": reason} if reason else {}),
            "containerStatuses": list(containers),
            "initContainerStatuses": list(inits),
            "conditions": [{"type": t, "status": s} for t, s in conditions],
        },
    }


READY = (("Ready", "True"), ("Initialized", "True"))
CASES = [
    ("pending", make("Pending"), ("0/1", "Pending", "0")),
    ("creating", make("Pending", (status("c0", waiting("ContainerCreating")),)), ("0/1", "ContainerCreating", "0")),
    ("running", make("Running", (status("c0", RUNNING, True),)), ("1/1", "Running", "0")),
    ("not ready", make("Running", (status("c0", RUNNING),)), ("0/1", "Running", "0")),
    ("completed", make("Succeeded", (status("c0", ended(0, "Completed")),)), ("0/1", "Completed", "0")),
    ("error", make("Failed", (status("c0", ended(1, "Error")),)), ("0/1", "Error", "0")),
    ("exit code", make("Failed", (status("c0", ended(3)),)), ("0/1", "ExitCode:3", "0")),
    ("signal", make("Failed", (status("c0", ended(137, signal=9)),)), ("0/1", "Signal:9", "0")),
    ("crash loop", make("Running", (status("c0", waiting("CrashLoopBackOff"), restarts=4),)),
     ("0/1", "CrashLoopBackOff", "4")),
    ("first container wins", make("Running", (
        status("c0", waiting("ImagePullBackOff")), status("c1", waiting("CrashLoopBackOff"))), count=2),
     ("0/2", "ImagePullBackOff", "0")),
    ("completed beside running", make("Running", (
        status("c0", ended(0, "Completed")), status("c1", RUNNING, True)), conditions=READY, count=2),
     ("1/2", "Running", "0")),
    ("completed beside running, pod not ready", make("Running", (
        status("c0", ended(0, "Completed")), status("c1", RUNNING, True)), count=2), ("1/2", "NotReady", "0")),
    ("evicted", make("Failed", reason="Evicted"), ("0/1", "Evicted", "0")),
    ("admission", make("Failed", reason="UnexpectedAdmissionError"), ("0/1", "UnexpectedAdmissionError", "0")),
    ("terminating", make("Running", (status("c0", RUNNING, True),), deleted=True), ("1/1", "Terminating", "0")),
    ("deleted but done", make("Succeeded", (status("c0", ended(0, "Completed")),), deleted=True),
     ("0/1", "Completed", "0")),
    ("node lost", make("Running", reason="NodeLost", deleted=True), ("0/1", "Unknown", "0")),
    ("init first", make("Pending", inits=(status("i0", RUNNING), status("i1", waiting("PodInitializing")))),
     ("0/1", "Init:0/2", "0")),
    ("init second", make("Pending", inits=(status("i0", ended(0)), status("i1", RUNNING))), ("0/1", "Init:1/2", "0")),
    ("init error", make("Pending", inits=(status("i0", ended(1, "Error"), restarts=2),)), ("0/1", "Init:Error", "2")),
    ("init exit code", make("Pending", inits=(status("i0", ended(7)),)), ("0/1", "Init:ExitCode:7", "0")),
    ("init crash", make("Pending", inits=(status("i0", waiting("CrashLoopBackOff"), restarts=3),)),
     ("0/1", "Init:CrashLoopBackOff", "3")),
    ("after init", make("Pending", (status("c0", waiting("PodInitializing")),), (status("i0", ended(0)),)),
     ("0/1", "PodInitializing", "0")),
    ("init restarts are forgotten", make("Running", (status("c0", RUNNING, True, 1),), (
        status("i0", ended(0), restarts=5),)), ("1/1", "Running", "1")),
    ("sidecar", make("Running", (status("c0", RUNNING, True),), (
        status("i0", RUNNING, True, 2, started=True),), ("i0",)), ("2/2", "Running", "2")),
    ("sidecar not started", make("Pending", inits=(status("i0", RUNNING),), sidecars=("i0",)),
     ("0/2", "Init:0/1", "0")),
]  # fmt: skip


@pytest.mark.parametrize("pod, expected", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_state(pod: dict[str, Any], expected: tuple[str, str, str]) -> None:
    assert pod_state(pod, NOW) == expected


def test_gated() -> None:
    pod = make("Pending")
    pod["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
    assert pod_state(pod, NOW)[1] == "SchedulingGated"


def test_restarts_say_when_the_last_one_was() -> None:
    last = {"lastState": {"terminated": {"finishedAt": rfc3339(NOW - 90 * MINUTE)}}}
    newer = {"lastState": {"terminated": {"finishedAt": rfc3339(NOW - 3 * MINUTE)}}}
    found = make(containers=(status("c0", RUNNING, True, 2, **last), status("c1", RUNNING, True, 1, **newer)), count=2)
    assert pod_state(found, NOW)[2] == "3 (3m ago)"


def test_wide_cells() -> None:
    found = make()
    assert list(PODS.cells(found, NOW))[5:] == ["<none>"] * 4
    found["status"]["podIPs"] = [{"ip": "10.0.0.9"}]
    found["spec"].update(nodeName="n1", readinessGates=[{"conditionType": "x"}, {"conditionType": "Ready"}])
    found["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    assert list(PODS.cells(found, NOW))[5:] == ["10.0.0.9", "n1", "<none>", "1/2"]


@pytest.mark.parametrize(
    "conditions, unschedulable, expected",
    [
        ([("Ready", "True")], False, "Ready"),
        ([("Ready", "False")], False, "NotReady"),
        ([("Ready", "Unknown")], True, "NotReady,SchedulingDisabled"),
        ([], False, "Unknown"),
    ],
)
def test_node_status(conditions: list[tuple[str, str]], unschedulable: bool, expected: str) -> None:
    node = {
        "spec": {"unschedulable": unschedulable},
        "status": {"conditions": [{"type": t, "status": s} for t, s in conditions]},
    }
    assert node_status(node) == expected


def test_node_roles() -> None:
    labels = {
        "node-role.kubernetes.io/worker": "",
        "node-role.kubernetes.io/control-plane": "",
        "kubernetes.io/role": "x",
    }
    assert node_roles({"metadata": {"labels": labels}}) == "control-plane,worker,x"
    assert node_roles({"metadata": {"labels": {"node-role.kubernetes.io/": ""}}}) == "<none>"


@pytest.mark.parametrize(
    "true, deleted, expected",
    [
        (("Complete", "SuccessCriteriaMet"), True, "Complete"),
        (("Failed", "FailureTarget"), False, "Failed"),
        ((), True, "Terminating"),
        (("Suspended",), False, "Suspended"),
        (("FailureTarget",), False, "FailureTarget"),
        ((), False, "Running"),
    ],
)
def test_job_status(true: tuple[str, ...], deleted: bool, expected: str) -> None:
    job: dict[str, Any] = {"metadata": {}, "status": {"conditions": [{"type": t, "status": "True"} for t in true]}}
    if deleted:
        job["metadata"]["deletionTimestamp"] = rfc3339(NOW)
    assert job_status(job) == expected


def test_event_cells() -> None:
    event = {
        "metadata": {"name": "p.1"},
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec.containers{a}"},
        "source": {"component": "kubelet", "host": "n1"},
        "firstTimestamp": rfc3339(NOW - 5 * HOUR),
        "lastTimestamp": rfc3339(NOW - 2 * MINUTE),
        "count": 7,
        "type": "Warning",
        "reason": "BackOff",
        "message": "Back-off\n",
    }
    assert list(event_cells(event, NOW)) == [
        "2m", "Warning", "BackOff", "pod/p", "spec.containers{a}", "kubelet, n1", "Back-off", "5h", 7, "p.1",
    ]  # fmt: skip
