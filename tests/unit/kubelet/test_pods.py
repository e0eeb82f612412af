"""The pod worker: from input (a pod, a machine, time) to status, events and logs."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.kube.errors import ApiError
from labsim.kube.objects import condition_of, get_in, set_in
from labsim.kubelet import runtime
from tests.support.small import Lab, gpus, pod, serve_gpus

MACHINES = "machines.hardware.labsim"


def logs(lab: Lab, name: str, container: str = "main", **options: Any) -> list[str]:
    return [text for _, _, text in runtime.read_logs(lab.setup, "default", name, container, **options)]


def status(lab: Lab, name: str) -> dict[str, Any]:
    found: dict[str, Any] = lab.get("pods", name)["status"]
    return found


def test_the_way_to_running() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p"))
    lab.cluster.loop.drain()
    first = status(lab, "p")
    assert first["phase"] == "Pending" and lab.waiting("p") == "ContainerCreating"
    assert [(c["type"], c["status"]) for c in first["conditions"]] == [
        ("PodReadyToStartContainers", "False"),
        ("Initialized", "True"),
        ("Ready", "False"),
        ("ContainersReady", "False"),
        ("PodScheduled", "True"),
    ]
    lab.settle()
    last = status(lab, "p")
    assert {c["status"] for c in last["conditions"]} == {"True"}
    assert (last["podIP"], last["hostIP"], last["qosClass"]) == ("10.244.0.2", "10.0.0.11", "BestEffort")
    (row,) = last["containerStatuses"]
    assert row["containerID"].startswith("containerd://") and len(row["containerID"]) == len("containerd://") + 64
    assert row["image"] == "docker.io/library/nginx:1.27"
    reasons = [(r, m) for r, m, c in lab.events("p") if c == "kubelet"]
    assert [r for r, _ in reasons] == ["Pulling", "Pulled", "Created", "Started"]
    assert reasons[0][1] == 'Pulling image "nginx:1.27"'
    assert reasons[1][1].startswith('Successfully pulled image "nginx:1.27" in ')
    assert reasons[1][1].endswith(" including waiting). Image size: 72279508 bytes.")
    assert [m for _, m in reasons[2:]] == ["Container created", "Container started"]
    lab.create("pods", pod("q"))
    lab.settle()
    text = 'Container image "nginx:1.27" already present on machine and can be accessed by the pod'
    assert ("Pulled", text, "kubelet") in lab.events("q")


def test_a_crash_loop() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("c", "busybox:1.36", command=["sh", "-c", "echo hi; sleep 2; exit 3"]))
    lab.run(10)
    row = status(lab, "c")["containerStatuses"][0]
    assert row["restartCount"] == 1 and row["lastState"]["terminated"]["exitCode"] == 3
    assert row["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    uid = lab.get("pods", "c")["metadata"]["uid"]
    assert row["state"]["waiting"]["message"] == f"back-off 10s restarting failed container=main pod=c_default({uid})"
    text = f"Back-off restarting failed container main in pod c_default({uid})"
    assert ("BackOff", text, "kubelet") in lab.events("c")
    assert status(lab, "c")["phase"] == "Running" and lab.cluster.loop.quiet()
    assert logs(lab, "c") == ["hi"] and logs(lab, "c", previous=True) == ["hi"]
    lab.run(700)
    row = status(lab, "c")["containerStatuses"][0]
    assert row["state"]["waiting"]["message"].startswith("back-off 5m0s restarting")
    assert 6 <= row["restartCount"] <= 8


@pytest.mark.parametrize(
    ("image", "error"),
    [
        (
            "nginx:9.99",
            'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:9.99": failed to '  # noqa: E501
            'resolve reference "docker.io/library/nginx:9.99": docker.io/library/nginx:9.99: not found',
        ),
        (
            "ngnix",
            'rpc error: code = Unknown desc = failed to pull and unpack image "docker.io/library/ngnix:latest": failed to '  # noqa: E501
            'resolve reference "docker.io/library/ngnix:latest": pull access denied, repository does not exist or may '
            "require authorization: server message: insufficient_scope: authorization failed",
        ),
    ],
)
def test_an_image_that_is_not_there(image: str, error: str) -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", image))
    lab.run(4)
    waiting = status(lab, "p")["containerStatuses"][0]["state"]["waiting"]
    assert waiting == {"reason": "ErrImagePull", "message": error}
    lab.run(12)
    waiting = status(lab, "p")["containerStatuses"][0]["state"]["waiting"]
    assert waiting == {
        "reason": "ImagePullBackOff",
        "message": f'Back-off pulling image "{image}": ErrImagePull: {error}',
    }
    said = [(r, m) for r, m, c in lab.events("p") if c == "kubelet"]
    assert said == [
        ("Pulling", f'Pulling image "{image}"'),
        ("Failed", f'Failed to pull image "{image}": {error}'),
        ("Failed", "Error: ErrImagePull"),
        ("BackOff", f'Back-off pulling image "{image}"'),
        ("Failed", "Error: ImagePullBackOff"),
    ]
    assert lab.cluster.loop.quiet()
    with pytest.raises(ApiError, match="is waiting to start: trying and failing to pull image"):
        logs(lab, "p")


def test_a_withdrawn_fault_lets_the_next_pull_succeed() -> None:
    lab = Lab("gpu-node1")
    machine = lab.setup.get(MACHINES, "gpu-node1")
    lab.setup.update_status(MACHINES, set_in(machine, ("status", "faults"), {"registry-unreachable": {}}))
    lab.create("pods", pod("p"))
    lab.run(30)
    message = status(lab, "p")["containerStatuses"][0]["state"]["waiting"]["message"]
    assert "dial tcp: lookup registry-1.docker.io: i/o timeout" in message
    machine = lab.setup.get(MACHINES, "gpu-node1")
    lab.setup.update_status(MACHINES, set_in(machine, ("status", "faults"), {}))
    lab.run(120)
    assert lab.phase("p") == "Running"


@pytest.mark.parametrize(
    ("command", "seconds", "code"),
    [(["sleep", "100000"], 30, 137), (None, 1, 0)],
    ids=["deaf to SIGTERM", "stops at once"],
)
def test_termination(command: list[str] | None, seconds: int, code: int) -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", command=command))
    lab.run(10)
    lab.admin.delete("pods", "p", "default")
    lab.cluster.loop.drain()
    assert ("Killing", "Stopping container main", "kubelet") in lab.events("p")
    lab.run(seconds - 0.9)
    assert lab.admin.find("pods", "p", "default") is not None or seconds == 1
    lab.run(2)
    assert lab.admin.find("pods", "p", "default") is None
    assert lab.setup.list(runtime.CONTAINERS) == [] and lab.setup.list(runtime.LOGS) == []


def test_init_containers_run_in_order_and_sidecars_stay() -> None:
    lab = Lab("gpu-node1")
    body = pod("p")
    body["spec"]["initContainers"] = [
        {"name": "one", "image": "busybox:1.36", "command": ["sleep", "3"]},
        {"name": "proxy", "image": "nginx:1.27", "restartPolicy": "Always"},
        {"name": "two", "image": "busybox:1.36", "command": ["sleep", "3"]},
    ]
    lab.create("pods", body)
    lab.run(4)
    rows = {s["name"]: s["state"] for s in status(lab, "p")["initContainerStatuses"]}
    assert "running" in rows["one"] and rows["two"] == {"waiting": {"reason": "PodInitializing"}}
    assert lab.waiting("p") == "PodInitializing"
    initialized = condition_of(lab.get("pods", "p"), "Initialized")
    assert initialized is not None and initialized["message"] == "containers with incomplete status: [one proxy two]"
    lab.settle()
    rows = {s["name"]: s for s in status(lab, "p")["initContainerStatuses"]}
    assert rows["two"]["state"]["terminated"]["reason"] == "Completed"
    assert "running" in rows["proxy"]["state"] and rows["proxy"]["ready"]
    assert lab.phase("p") == "Running"


def test_an_init_container_that_fails_for_good() -> None:
    lab = Lab("gpu-node1")
    body = pod("p", restartPolicy="Never")
    body["spec"]["initContainers"] = [{"name": "i", "image": "busybox:1.36", "command": ["false"]}]
    lab.create("pods", body)
    lab.settle()
    assert lab.phase("p") == "Failed"


@pytest.mark.parametrize(
    ("policy", "command", "phase"),
    [
        ("Never", ["true"], "Succeeded"),
        ("Never", ["false"], "Failed"),
        ("OnFailure", ["true"], "Succeeded"),
        ("OnFailure", ["false"], "Running"),
    ],
)
def test_restart_policies(policy: str, command: list[str], phase: str) -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", "busybox:1.36", command=command, restartPolicy=policy))
    lab.run(20)
    assert lab.phase("p") == phase


def test_a_missing_config_map_and_its_arrival() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", volumes=[{"name": "v", "configMap": {"name": "settings"}}]))
    lab.run(20)
    text = 'MountVolume.SetUp failed for volume "v" : configmap "settings" not found'
    assert ("FailedMount", text, "kubelet") in lab.events("p") and lab.waiting("p") == "ContainerCreating"
    assert lab.cluster.loop.quiet()
    lab.create("configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}})
    lab.settle()
    assert lab.phase("p") == "Running"


def test_a_missing_secret_in_the_environment() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", envFrom=[{"secretRef": {"name": "token"}}]))
    lab.run(10)
    assert lab.waiting("p") == "CreateContainerConfigError"
    assert ("Failed", 'Error: secret "token" not found', "kubelet") in lab.events("p")
    lab.create("secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}})
    lab.run(20)
    assert lab.phase("p") == "Running"


def test_no_runtime_handler_no_sandbox() -> None:
    lab = Lab("gpu-node1")
    body = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
    lab.setup.create("runtimeclasses.node.k8s.io", body)
    machine = lab.setup.get(MACHINES, "gpu-node1")
    lab.setup.update_status(MACHINES, set_in(machine, ("status", "toolkit", "configured"), False))
    lab.create("pods", pod("p", runtimeClassName="nvidia"))
    lab.run(30)
    text = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: "
        'no runtime for "nvidia" is configured'
    )
    assert ("FailedCreatePodSandBox", text, "kubelet") in lab.events("p") and lab.waiting("p") == "ContainerCreating"
    machine = lab.setup.get(MACHINES, "gpu-node1")
    lab.setup.update_status(MACHINES, set_in(machine, ("status", "toolkit", "configured"), True))
    lab.settle()
    assert lab.phase("p") == "Running"


def test_a_readiness_probe_on_a_port_nobody_listens_on() -> None:
    lab = Lab("gpu-node1")
    probe = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10}
    lab.create("pods", pod("p", readinessProbe=probe))
    lab.create("pods", pod("q", readinessProbe={"httpGet": {"path": "/", "port": 80}}))
    lab.run(30)
    address = status(lab, "p")["podIP"]
    text = f'Readiness probe failed: Get "http://{address}:8080/healthz": dial tcp {address}:8080: connect: connection refused'  # noqa: E501
    assert ("Unhealthy", text, "kubelet") in lab.events("p")
    assert status(lab, "p")["containerStatuses"][0]["ready"] is False
    assert status(lab, "q")["containerStatuses"][0]["ready"] is True


def test_a_liveness_probe_that_fails_restarts() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", livenessProbe={"tcpSocket": {"port": 81}, "periodSeconds": 5}))
    lab.run(16)
    assert ("Killing", "Container main failed liveness probe, will be restarted", "kubelet") in lab.events("p")
    lab.run(5)
    assert status(lab, "p")["containerStatuses"][0]["restartCount"] == 1


def test_endless_output_is_computed_when_read() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p", "busybox:1.36", command=["sh", "-c", "while true; do echo tick; sleep 10; done"]))
    lab.settle()
    lab.run(1)
    before = lab.cluster.store.hash()
    assert logs(lab, "p") == ["tick"]
    lab.run(35)
    assert logs(lab, "p") == ["tick"] * 4 and logs(lab, "p", tail=2) == ["tick"] * 2
    assert logs(lab, "p", since=lab.now - 10_000) == ["tick"]
    assert lab.cluster.store.hash() == before


def test_devices_are_given_lowest_first_and_held_until_the_end() -> None:
    lab = Lab("gpu-node1")
    serve_gpus(lab, "gpu-node1")
    lab.create("pods", pod("a", resources=gpus(2)))
    lab.create("pods", pod("b", "busybox:1.36", command=["sleep", "5"], restartPolicy="Never", resources=gpus(3)))
    lab.run(3)
    held = lambda name: get_in(runtime.find(lab.setup, "default", name, "main"), "spec", "devices", "nvidia.com/gpu")  # noqa: E731  # noqa: E501
    assert held("a") == ["GPU-gpu-node1-0", "GPU-gpu-node1-1"]
    assert held("b") == [f"GPU-gpu-node1-{n}" for n in (2, 3, 4)]
    lab.run(10)
    assert lab.phase("b") == "Succeeded" and not held("b")
    lab.create("pods", pod("c", resources=gpus(1)))
    lab.run(3)
    assert held("c") == ["GPU-gpu-node1-2"]


@pytest.mark.parametrize(
    ("healthy", "text"),
    [
        (
            True,
            "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 3, Available: 2, which is unexpected",  # noqa: E501
        ),
        (
            False,
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",  # noqa: E501
        ),
    ],
)
def test_unexpected_admission_errors(healthy: bool, text: str) -> None:
    lab = Lab("gpu-node1")
    serve_gpus(lab, "gpu-node1", 2)
    if not healthy:
        plugin = lab.setup.get("deviceplugins.runtime.labsim", "gpu-node1.nvidia.com_gpu")
        bad = [{**d, "healthy": False} for d in plugin["spec"]["devices"]]
        lab.setup.update("deviceplugins.runtime.labsim", set_in(plugin, ("spec", "devices"), bad))
    lab.create("pods", pod("p", resources=gpus(3), nodeName="gpu-node1"))
    lab.run(1)
    found = status(lab, "p")
    assert (found["phase"], found["reason"]) == ("Failed", "UnexpectedAdmissionError")
    assert found["message"] == f"Pod was rejected: {text}"
    assert ("UnexpectedAdmissionError", text, "kubelet") in lab.events("p")


def resources(lab: Lab, key: str = "nvidia.com/gpu") -> tuple[str, str]:
    found = lab.get("nodes", "gpu-node1")["status"]
    return found["capacity"].get(key, "-"), found["allocatable"].get(key, "-")


def test_capacity_and_allocatable_over_time() -> None:
    """gpu.md 3.4, row by row."""
    lab = Lab("gpu-node1")
    serve_gpus(lab, "gpu-node1")
    assert resources(lab) == ("8", "8")
    plugin = lab.setup.get("deviceplugins.runtime.labsim", "gpu-node1.nvidia.com_gpu")
    one_bad = [{**d, "healthy": n > 0} for n, d in enumerate(plugin["spec"]["devices"])]
    lab.setup.update("deviceplugins.runtime.labsim", set_in(plugin, ("spec", "devices"), one_bad))
    lab.cluster.loop.drain()
    assert resources(lab) == ("8", "7")
    lab.setup.delete("deviceplugins.runtime.labsim", "gpu-node1.nvidia.com_gpu")
    lab.cluster.loop.drain()
    assert resources(lab) == ("8", "0")
    lab.run(299)
    assert resources(lab) == ("8", "0")
    lab.run(2)
    assert resources(lab) == ("0", "0")
    serve_gpus(lab, "gpu-node1", 56, "nvidia.com/mig-1g.10gb")
    assert resources(lab) == ("0", "0") and resources(lab, "nvidia.com/mig-1g.10gb") == ("56", "56")
    machine = lab.setup.get(MACHINES, "gpu-node1")
    lab.setup.delete("deviceplugins.runtime.labsim", "gpu-node1.nvidia.com_mig-1g.10gb")
    lab.setup.update_status(MACHINES, set_in(machine, ("status", "kubelet"), {"running": True}))
    lab.cluster.loop.drain()
    assert resources(lab, "nvidia.com/mig-1g.10gb") == ("0", "0")


def test_programs_use_their_containers() -> None:
    lab = Lab("gpu-node1")
    lab.create(
        "pods", pod("p", "nvcr.io/nvidia/gpu-operator:v26.3.3", readinessProbe={"httpGet": {"port": 1, "path": "/"}})
    )
    lab.settle()
    found = runtime.find(lab.setup, "default", "p", "main")
    assert found is not None and status(lab, "p")["containerStatuses"][0]["ready"] is False
    runtime.log(lab.setup, found, "one\ntwo")
    runtime.ready(lab.setup, found)
    runtime.remember(lab.setup, found, {"n": 1})
    lab.cluster.loop.drain()
    assert status(lab, "p")["containerStatuses"][0]["ready"] is True and logs(lab, "p") == ["one", "two"]
    runtime.exit(lab.setup, found, 2)
    lab.run(3)
    again = runtime.find(lab.setup, "default", "p", "main")
    assert again is not None and (again["spec"]["attempt"], again["status"]["memory"]) == (1, {})
    runtime.exit(lab.setup, found, 5)  # a dead process cannot act
    lab.cluster.loop.drain()
    assert status(lab, "p")["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 2


def test_unknown_containers_in_logs() -> None:
    lab = Lab("gpu-node1")
    lab.create("pods", pod("p"))
    lab.cluster.loop.drain()
    for container, options, text in (
        ("zzz", {}, "container zzz is not valid for pod p"),
        ("main", {}, 'container "main" in pod "p" is waiting to start: ContainerCreating'),
        ("main", {"previous": True}, 'previous terminated container "main" in pod "p" not found'),
    ):
        with pytest.raises(ApiError) as error:
            logs(lab, "p", container, **options)
        assert error.value.message == text
