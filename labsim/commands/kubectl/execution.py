"""Which container an exec means, what its image has, and running a program there (kubectl.md 4.7)."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands import place
from labsim.commands.base import Result, SessionSpec
from labsim.commands.kubectl.errors import Failure
from labsim.kube.errors import bad_request
from labsim.kube.objects import Object, annotations_of, get_in, name_of, namespace_of, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_GROUPS = (("containers", ""), ("ephemeralContainers", " (ephem)"), ("initContainers", " (init)"))

# Images with a shell of their own kind; all others are taken for a Debian or UBI base, which has bash and coreutils.
_BUSYBOX = ("busybox", "alpine")
_NO_SHELL = ("pause", "distroless", "/coredns", "/kube-proxy", "/metrics-server")
_SHELLS = ("sh", "bash", "ash", "dash")
_COREUTILS = frozenset(
    """awk base64 basename cat chmod cp cut date df dirname echo egrep env expr false fgrep find grep head hostname id ls
    mkdir mktemp mv nl od printenv printf ps pwd readlink realpath rm rmdir sed seq sha256sum sleep sort stat tail tee
    test touch tr true uname uniq wc which whoami xargs""".split()
)


def default_container(kubectl: Kubectl, pod: Object, quiet: bool) -> str:
    """The annotated container, else the first; says so on stderr when there are others."""
    names = [c["name"] for c in get_in(pod, "spec", "containers", default=())]
    wanted = annotations_of(pod).get(DEFAULT_CONTAINER)
    if wanted:
        if any(c["name"] == wanted for group, _ in _GROUPS for c in get_in(pod, "spec", group, default=())):
            return wanted
        kubectl.err(f'Default container name "{wanted}" not found in pod {name_of(pod)}\n')
    listed = [c["name"] + mark for group, mark in _GROUPS for c in get_in(pod, "spec", group, default=())]
    if len(listed) > 1 and not quiet:
        kubectl.err(f'Defaulted container "{names[0]}" out of: {", ".join(listed)}\n')
    return str(names[0])


def running(kubectl: Kubectl, pod: Object, container: str) -> Object:
    """The runtime's container object. Raises what the server or the runtime answers when it does not run."""
    from labsim.kubelet import runtime

    known = [c["name"] for group, _ in _GROUPS for c in get_in(pod, "spec", group, default=())]
    if container not in known:
        raise bad_request(f"container {container} is not valid for pod {name_of(pod)}")
    if not get_in(pod, "spec", "nodeName"):
        raise bad_request(f"pod {name_of(pod)} does not have a host assigned")
    found = runtime.find(place.hardware_client(kubectl.ctx), namespace_of(pod), name_of(pod), container)
    if found is None or found["spec"]["podUID"] != uid_of(pod) or found["status"]["state"] != "running":
        raise Failure(f'Internal error occurred: unable to upgrade connection: container not found ("{container}")')
    return found


def _has(image: str, program: str) -> bool:
    if any(part in image for part in _NO_SHELL):
        return False
    if program in _SHELLS:
        return program in ("sh", "ash") if any(part in image for part in _BUSYBOX) else program != "ash"
    return program in _COREUTILS


def missing(container: Object, program: str, now: int) -> Failure:
    """containerd's words for a program that is not in the image."""
    key = f"{uid_of(container)} {program} {now}".encode()
    ident = hashlib.blake2b(key, digest_size=32).hexdigest()
    at = "stat {0}: no such file or directory" if "/" in program else "executable file not found in $PATH"
    return Failure(
        "Internal error occurred: error executing command in container: failed to exec in container: failed to start "
        f'exec "{ident}": OCI runtime exec failed: exec failed: unable to start container process: exec: "{program}": '
        f"{at.format(program)}: unknown"
    )


def session(kubectl: Kubectl, pod: Object, container: Object, shell: str) -> SessionSpec:
    """The container as a place to work in: its own files, environment and prompt."""
    from labsim.commands.kubectl.container_files import environment, files

    spec = _spec_of(pod, container["spec"]["container"])
    prompt = f"root@{name_of(pod)}:\\w# " if shell == "bash" else "\\w # " if _busybox(container) else "# "
    return SessionSpec(
        host=name_of(pod),
        user="root",
        home="/root",
        cwd=str(spec.get("workingDir") or "/"),
        prompt=prompt,
        files=uid_of(container),
        env=environment(kubectl, pod, spec, container),
        start_files=files(kubectl, pod, spec),
    )


def _busybox(container: Object) -> bool:
    return any(part in str(container["spec"]["image"]) for part in _BUSYBOX)


def _spec_of(pod: Object, name: str) -> Object:
    found: Object = next(c for group, _ in _GROUPS for c in get_in(pod, "spec", group, default=()) if c["name"] == name)
    return found


def run(kubectl: Kubectl, pod: Object, container: Object, command: Sequence[str], stdin: bool) -> int:
    """Run a program to its end; its output is printed. Returns its exit code, raises Failure if it is not there."""
    ctx = kubectl.ctx
    program, image = command[0].rpartition("/")[2], str(container["spec"]["image"])
    if program == "nvidia-smi":
        return _nvidia_smi(kubectl, container, command)
    if program == "nvidia-mig-parted":
        if "mig-manager" not in image and "mig-parted" not in image:
            raise missing(container, command[0], kubectl.now())
        return _print(kubectl, ctx.spawn([program, *command[1:]], host=name_of(pod), stdin=ctx.stdin if stdin else ""))
    if not _has(image, program):
        raise missing(container, command[0], kubectl.now())
    place_spec = session(kubectl, pod, container, program)
    if program in _SHELLS:
        text = _script(kubectl, command, stdin)
    else:
        text = shlex.join([program, *command[1:]])
    return _print(kubectl, ctx.services.on_host(ctx, place_spec, text))


def _script(kubectl: Kubectl, command: Sequence[str], stdin: bool) -> str:
    """What a shell is told to do: `-c TEXT` with its arguments, a file, or standard input."""
    at = 1
    while at < len(command) and command[at].startswith("-") and command[at] != "-c":
        if command[at].lstrip("-").endswith("c") and not command[at].startswith("--"):
            break
        at += 1
    if at < len(command) and command[at].startswith("-"):
        if at + 1 >= len(command):
            return f"echo '{command[0]}: -c: option requires an argument' >&2; exit 2"
        arguments = command[at + 3 :]
        head = f"set -- {shlex.join(arguments)}\n" if arguments else ""
        return head + command[at + 1]
    if at < len(command):
        return f". {shlex.join(command[at:])}"
    return kubectl.ctx.stdin if stdin else ""


def is_shell(command: Sequence[str]) -> bool:
    """An interactive shell: `bash`, `sh -l`, `/bin/bash -i`; no script and no -c."""
    plain = all(word in ("-i", "-l", "--login", "-il", "-li") for word in command[1:])
    return command[0].rpartition("/")[2] in _SHELLS and plain


def check_shell(container: Object, command: Sequence[str], now: int) -> None:
    if not _has(str(container["spec"]["image"]), command[0].rpartition("/")[2]):
        raise missing(container, command[0], now)


def _nvidia_smi(kubectl: Kubectl, container: Object, command: Sequence[str]) -> int:
    from labsim.commands.base import WaitEnd
    from labsim.commands.kubectl.errors import not_simulated
    from labsim.commands.nvidia_smi import call
    from labsim.commands.nvidia_smi.options import Refused

    ctx = kubectl.ctx
    client = place.hardware_client(ctx)
    node = str(container["spec"]["nodeName"])

    def wait(ms: int) -> bool:
        return ctx.advance(timeout_ms=ms) is WaitEnd.TIMEOUT

    try:
        code = call(client, node, container, command[1:], ctx.emit, wait)
    except Refused as refused:
        raise not_simulated(str(refused)) from None
    if code is None:
        raise missing(container, command[0], kubectl.now())
    return code


def _print(kubectl: Kubectl, result: Result) -> int:
    kubectl.out(result.stdout)
    kubectl.err(result.stderr)
    return result.exit_code
