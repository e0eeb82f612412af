"""exec, run -it, attach, cp and debug: programs, files and sessions of containers."""

import pytest

from labsim.commands.kubectl.container_images import look
from labsim.lab import Lab

DRIVER = "kubectl exec -n gpu-operator ds/nvidia-driver-daemonset"
MANAGER = "kubectl exec -q -n gpu-operator ds/nvidia-mig-manager"
COMPLETED = "a container in a completed pod; current phase is Succeeded\n"
NO_SHELL = 'exec: "{0}": executable file not found in $PATH: unknown\n'


@pytest.fixture(scope="module")
def shared() -> Lab:
    lab = Lab.open("dgx-h100", seed=1)
    lab.run("kubectl run bb --image=busybox:1.36 --restart=Never -- sleep 3600")
    lab.run("kubectl run done --image=busybox:1.36 --restart=Never -- sh -c 'exit 0'")
    lab.run("kubectl wait --for=condition=Ready pod/bb")
    return lab


@pytest.mark.parametrize(
    ("line", "code", "stdout", "stderr"),
    [
        (f"{DRIVER} -- sh -c 'exit 3'", 3, "", "command terminated with exit code 3\n"),
        (f"{DRIVER} -q -- sh -c 'exit 3'", 3, "", ""),
        (f"{DRIVER} -- sh -c 'nope'", 127, "", "sh: 1: nope: not found\ncommand terminated with exit code 127\n"),
        (f"{DRIVER} -q -- sh -c 'kubectl get pods'", 127, "", "sh: 1: kubectl: not found\n"),
        (f"{DRIVER} -- head -1 /etc/os-release", 0, 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\n', ""),
        (f"{MANAGER} -- nvidia-mig-parted export -o json", 0, None, ""),
        (f"echo abc | {MANAGER} -i -- cat", 0, "abc\n", ""),
        (f"echo abc | {MANAGER} -- cat", 0, "", ""),
        ("kubectl exec bb -- cat /etc/os-release", 1, "", None),
        ("kubectl exec bb -- sh -c 'echo $0 $1' x y", 0, None, ""),
        ("kubectl exec bb -- hostname", 0, "bb\n", ""),
        ("kubectl exec bb -- grep nameserver /etc/resolv.conf", 0, "nameserver 10.96.0.10\n", ""),
        ("kubectl exec done -- ls", 1, "", f"error: cannot exec into {COMPLETED}"),
        ("kubectl exec bb ls", 1, "", None),
        ("kubectl exec bb -c nope -- ls", 1, "", None),
        ("kubectl attach done", 1, "", f"error: cannot attach {COMPLETED}"),
    ],
)  # fmt: skip
def test_exec(shared: Lab, line: str, code: int, stdout: str | None, stderr: str | None) -> None:
    out = shared.run(line)
    assert out.exit_code == code
    assert stdout is None or out.stdout == stdout
    assert stderr is None or out.stderr == stderr


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (f"{MANAGER} -- bash", "bash"),
        (f"{DRIVER} -- kubectl get pods", "kubectl"),
        ("kubectl exec -n kube-system deploy/coredns -- sh", "sh"),
        ("kubectl exec bb -- nvidia-smi", "nvidia-smi"),
        ("kubectl exec bb -- nvidia-mig-parted export", "nvidia-mig-parted"),
    ],
)
def test_a_program_that_the_image_has_not(shared: Lab, line: str, program: str) -> None:
    out = shared.run(line)
    assert out.exit_code == 1
    assert out.stderr.startswith("error: Internal error occurred: error executing command in container: ")
    assert out.stderr.endswith(NO_SHELL.format(program))


def test_nvidia_smi_shows_the_node_of_the_pod(shared: Lab) -> None:
    pods = shared.client.list("pods", "gpu-operator", label_selector="app=nvidia-driver-daemonset")
    seen = {shared.run(f"kubectl exec -n gpu-operator {p['metadata']['name']} -- nvidia-smi -L").stdout for p in pods}
    assert len(seen) == 3
    assert all(text.count("NVIDIA H100 80GB HBM3") == 8 for text in seen)


def test_a_session_has_the_files_of_its_container_and_no_others() -> None:
    lab = Lab.open("dgx-h100", seed=1)
    lab.run("kubectl run web --image=nginx:1.27")
    lab.run("kubectl wait --for=condition=Ready pod/web")
    lab.run("kubectl exec -it web -- bash")
    assert lab.shell.prompt() == "root@web:/# "
    lab.run("echo hi > /tmp/note")
    assert lab.run("kubectl get pods").stderr == "bash: kubectl: command not found\n"
    lab.run("exit")
    assert lab.run("cat /tmp/note").exit_code == 1
    assert lab.run("kubectl exec web -- cat /tmp/note").stdout == "hi\n"
    lab.run("kubectl cp web:/tmp/note /tmp/note")
    assert lab.run("cat /tmp/note").stdout == "hi\n"
    lab.run("mkdir -p /tmp/d && echo 1 > /tmp/d/one && kubectl cp /tmp/d web:/srv")
    assert lab.run("kubectl exec web -- cat /srv/one").stdout == "1\n"


@pytest.mark.parametrize(
    ("line", "code", "left"),
    [
        ("kubectl run -it --rm t --image=busybox --restart=Never -- sh", 0, None),
        ("kubectl run -it t --image=ubuntu:22.04 --restart=Never", 0, ("Succeeded", 0, "Completed")),
        ("kubectl run -it t --image=ubuntu:22.04 --restart=Never", 3, ("Failed", 3, "Error")),
    ],
)
def test_the_shell_of_run_is_the_main_process(line: str, code: int, left: tuple[str, int, str] | None) -> None:
    lab = Lab.open("dgx-h100", seed=1)
    assert lab.run(line).exit_code == 0
    assert lab.run("hostname").stdout == "t\n"
    out = lab.run(f"exit {code}")
    assert out.exit_code == code
    lab.advance(steps=4)
    pod = lab.client.find("pods", "t", "default")
    if left is None:
        assert out.stdout == 'pod "t" deleted from default namespace\n'
        assert pod is None
        return
    assert pod is not None
    ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (pod["status"]["phase"], ended["exitCode"], ended["reason"]) == left


def test_debug_of_a_node_reaches_the_node() -> None:
    lab = Lab.open("dgx-h100", seed=1)
    out = lab.run("kubectl debug node/gpu-node2 -it --image=ubuntu --profile=sysadmin -- chroot /host nvidia-smi -L")
    assert out.exit_code == 0
    assert out.stdout.startswith("Creating debugging pod node-debugger-gpu-node2-")
    assert out.stdout.count("NVIDIA H100") == 8
    (pod,) = lab.client.list("pods", "default")
    assert pod["spec"]["hostNetwork"] and pod["spec"]["nodeName"] == "gpu-node2"
    assert pod["spec"]["containers"][0]["securityContext"] == {"privileged": True}
    lab.run("kubectl debug node/gpu-node2 -it --image=ubuntu --profile=general")
    assert lab.run("cat /host/etc/hostname").stdout == "gpu-node2\n"
    lab.run("chroot /host")
    assert lab.run("cat /etc/hostname").stdout == "gpu-node2\n"
    lab.run("exit")
    lab.run("exit")
    lab.advance(steps=2)
    assert {p["status"]["phase"] for p in lab.client.list("pods", "default")} == {"Succeeded"}


def test_debug_of_a_pod_is_an_ephemeral_container() -> None:
    lab = Lab.open("dgx-h100", seed=1)
    lab.run("kubectl run web --image=nginx:1.27")
    lab.run("kubectl wait --for=condition=Ready pod/web")
    lab.run("kubectl debug web -it -c dbg --image=busybox --profile=general --target=web")
    assert lab.run("hostname").stdout == "web\n"
    lab.run("exit")
    lab.advance(steps=1)
    pod = lab.client.get("pods", "web")
    (spec,) = pod["spec"]["ephemeralContainers"]
    assert spec["targetContainerName"] == "web"
    assert spec["securityContext"] == {"capabilities": {"add": ["SYS_PTRACE"]}}
    assert pod["status"]["ephemeralContainerStatuses"][0]["state"]["terminated"]["exitCode"] == 0
    assert pod["status"]["phase"] == "Running"


def test_undo_of_a_session_with_an_end() -> None:
    lab = Lab.open("dgx-h100", seed=1)
    before = lab.state_hash()
    lab.run("kubectl run -it --rm t --image=busybox --restart=Never -- sh")
    lab.run("exit")
    lab.undo()
    assert lab.shell.prompt() == "/ # "
    lab.undo()
    assert lab.state_hash() == before


@pytest.mark.parametrize(
    ("image", "has", "has_not", "release"),
    [
        ("nvcr.io/nvidia/driver:580.126.20-ubuntu22.04", "bash", "kubectl", 'VERSION_ID="22.04"'),
        ("nvcr.io/nvidia/pytorch:25.10-py3", "python", "kubectl", 'VERSION_ID="24.04"'),
        ("nvidia/cuda:12.8.0-base-ubi9", "rpm", "apt-get", 'ID="rhel"'),
        ("nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.14.2", "nvidia-mig-parted", "bash", "Distroless"),
        ("busybox:1.36", "ash", "bash", ""),
        ("alpine:3.20", "apk", "bash", "VERSION_ID=3.20.0"),
        ("debian:bookworm-slim", "dpkg", "ps", "VERSION_CODENAME=bookworm"),
        ("ubuntu:jammy", "ps", "curl", "VERSION_CODENAME=jammy"),
        ("registry.example/team/train:v1", "bash", "ps", "ID=debian"),
        ("registry.k8s.io/pause:3.10", None, "sh", "Distroless"),
    ],
)
def test_images(image: str, has: str | None, has_not: str, release: str) -> None:
    found = look(image)
    assert has is None or has in found.programs
    assert has_not not in found.programs
    assert release in found.release
    assert bool(release) == bool(found.release)
