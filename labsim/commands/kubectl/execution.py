"""Which container an exec means, what its image has, and running a program there (kubectl.md 4.7)."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from labsim.commands import place
from labsim.commands.base import Context, Result, SessionSpec
from labsim.commands.kubectl.container_images import Image, look
from labsim.commands.kubectl.errors import Failure
from labsim.kube.errors import bad_request
from labsim.kube.objects import Object, annotations_of, get_in, name_of, namespace_of, uid_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_GROUPS = (("containers", ""), ("ephemeralContainers", " (ephem)"), ("initContainers", " (init)"))

_SHELLS = ("sh", "bash", "ash", "dash")
# Programs of labsim that the toolkit or the image brings, whatever the base.
_GPU_TOOLS = frozenset({"nvidia-smi"})


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


def image_of(container: Object) -> Image:
    return look(str(container["spec"]["image"]))


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
    """The container as a place to work in: its own programs, files, environment and prompt."""
    from labsim.commands.kubectl.container_files import environment, files

    spec, image = _spec_of(pod, container["spec"]["container"]), image_of(container)
    prompt = f"root@{name_of(pod)}:\\w# " if shell == "bash" else "\\w # " if image.busybox else "# "
    return SessionSpec(
        host=hostname(pod),
        user="root",
        home="/root",
        cwd=str(spec.get("workingDir") or "/"),
        prompt=prompt.replace(name_of(pod), hostname(pod)),
        files=uid_of(container),
        env=environment(kubectl, pod, spec, container),
        start_files={**files(kubectl, pod, spec, image.release), **_node_files(kubectl, pod, spec)},
        programs=image.programs | _GPU_TOOLS if _sees_gpus(kubectl, container) else image.programs,
    )


# Programs that end by themselves at once, whatever their arguments.
_QUICK = frozenset(
    """cat chroot date df dmesg env free grep hostname id ls lscpu lsmod lspci nproc nvidia-smi printenv ps pwd stat
    uname wc whoami""".split()
)


def play_main(kubectl: Kubectl, pod: Object, container: str, spec: Object) -> int | None:
    """Run the main process of a container whose lifecycle data do not say what it prints, and end the container.

    Its exit code; None when it is not running or no such program.
    """
    from labsim.kubelet import runtime

    words = [str(word) for word in (*(spec.get("command") or ()), *(spec.get("args") or ()))]
    found = runtime.find(place.hardware_client(kubectl.ctx), namespace_of(pod), name_of(pod), container)
    if found is None or found["status"]["state"] != "running" or not words:
        return None
    program = words[0].rpartition("/")[2]
    if program not in _QUICK or (program != "nvidia-smi" and program not in image_of(found).programs):
        return None
    code = run(kubectl, pod, found, words, stdin=False)
    runtime.exit(place.hardware_client(kubectl.ctx), found, code)
    return code


def main_shell(container: Object) -> str:
    """The shell that a container (of a pod spec) runs as its main process; '' if it is another program."""
    words = [str(word) for word in (*(container.get("command") or ()), *(container.get("args") or ()))]
    if words:
        return words[0].rpartition("/")[2] if is_shell(words) else ""
    name = str(container["image"]).rpartition("/")[2].partition(":")[0]
    return {"busybox": "sh", "alpine": "sh", "ubuntu": "bash", "debian": "bash"}.get(name, "")


def main_process(spec: SessionSpec, pod: Object, container: Object, remove: Sequence[str] = ()) -> SessionSpec:
    """The session is the container's main process: both end together. `remove`: kubectl's words to delete the pod."""
    words = (namespace_of(pod), name_of(pod), str(container["spec"]["container"]), uid_of(container), *remove)
    return replace(spec, closing=("labsim.commands.kubectl.execution:ended", *words))


def ended(ctx: Context) -> int:
    """SessionSpec.closing of `main_process`."""
    from labsim.kubelet import runtime

    _, namespace, pod, name, uid, *remove = ctx.argv
    code = int(ctx.env["LABSIM_EXIT"])
    client = place.hardware_client(ctx)
    container = runtime.find(client, namespace, pod, name)
    if container is not None and uid_of(container) == uid and container["status"]["state"] == "running":
        runtime.exit(client, container, code, "Error" if code else "Completed")
    if remove:
        result = ctx.spawn(["kubectl", *remove])
        ctx.out(result.stdout)
        ctx.err(result.stderr)
    return code


def _node_files(kubectl: Kubectl, pod: Object, spec: Object) -> dict[str, str]:
    """What the node has now below the mount of its root in a debugging pod: a copy, what is written stays."""
    roots = [v["name"] for v in get_in(pod, "spec", "volumes", default=()) if get_in(v, "hostPath", "path") == "/"]
    mounts = [str(m["mountPath"]) for m in spec.get("volumeMounts") or () if m["name"] in roots]
    if not mounts:
        return {}
    node = str(get_in(pod, "spec", "nodeName"))
    there = kubectl.ctx.services.files_of(SessionSpec(node, "root", "/root", "", files=node))

    def texts(folder: str) -> Iterator[tuple[str, str]]:
        for name in there.listdir(folder or "/"):
            path = f"{folder}/{name}"
            if there.is_dir(path):
                yield from texts(path) if path != "/dev" else ()
            else:
                yield path, there.read_text(path)

    return {f"{mounts[0]}{path}": text for path, text in texts("")}


def hostname(pod: Object) -> str:
    """A pod of the host's network has the node's name."""
    return str(get_in(pod, "spec", "nodeName")) if get_in(pod, "spec", "hostNetwork") else name_of(pod)


def _sees_gpus(kubectl: Kubectl, container: Object) -> bool:
    from labsim.commands.nvidia_smi import view

    return view.load(place.hardware_client(kubectl.ctx), str(container["spec"]["nodeName"]), container) is not None


def _spec_of(pod: Object, name: str) -> Object:
    found: Object = next(c for group, _ in _GROUPS for c in get_in(pod, "spec", group, default=()) if c["name"] == name)
    return found


def run(kubectl: Kubectl, pod: Object, container: Object, command: Sequence[str], stdin: bool) -> int:
    """Run a program to its end; its output is printed. Returns its exit code, raises Failure if it is not there."""
    ctx = kubectl.ctx
    program = command[0].rpartition("/")[2]
    if program == "nvidia-smi":
        return _nvidia_smi(kubectl, container, command)
    check(container, command, kubectl.now())
    if program == "nvidia-mig-parted":
        return _print(kubectl, ctx.spawn([program, *command[1:]], host=name_of(pod), stdin=ctx.stdin if stdin else ""))
    place_spec = session(kubectl, pod, container, program)
    if not stdin:
        ctx = replace(ctx, stdin="", stdin_is_tty=False)
    if program not in _SHELLS:
        text = _fed(ctx.stdin, shlex.join([program, *command[1:]]))
        return _print(kubectl, ctx.services.on_host(ctx, place_spec, text))
    script = _script(kubectl, command, stdin)
    result = ctx.services.on_host(ctx, place_spec, script if script is ctx.stdin else _fed(ctx.stdin, script))
    return _print(kubectl, replace(result, stderr=_worded(result.stderr, program, image_of(container))))


def _fed(stdin: str, text: str) -> str:
    """Shell text with its standard input as a here-document."""
    if not stdin:
        return text
    end = "LABSIM_END_OF_INPUT"
    whole = stdin if stdin.endswith("\n") else stdin + "\n"
    return f"{{ {text}\n}} <<'{end}'\n{whole}{end}\n"


def _worded(stderr: str, shell: str, image: Image) -> str:
    """bash's `command not found` as the shell of the image says it: dash on Debian, ash in BusyBox, bash on UBI."""
    if shell == "bash" or "rpm" in image.programs:
        before = f"{shell}: line 1: \\1: command not found"
    else:
        before = "sh: \\1: not found" if image.busybox else "sh: 1: \\1: not found"
    return re.sub(r"^bash: (?:line \d+: )?(.+): command not found$", before, stderr, flags=re.MULTILINE)


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


def check(container: Object, command: Sequence[str], now: int) -> None:
    """Raises what containerd says when the image has no such program."""
    if command[0].rpartition("/")[2] not in image_of(container).programs:
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
