"""kubectl cp: files between here and a container. The container must have tar, as with the real one."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labsim.commands.base import FileSystem
from labsim.commands.kubectl import execution
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.kube.objects import get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "cp <file-spec-src> <file-spec-dest>"
ABOUT = """Copy files and folders to and from a container: PATH here, [NAMESPACE/]POD:PATH there.

 The image must have tar; without it this fails."""
EXAMPLES = """  kubectl cp layouts.yaml gpu-operator/nvidia-mig-manager-4xxk5:/tmp/layouts.yaml
  kubectl cp web-0:/etc/os-release ./os-release -c main"""
SPEC = (
    Flag("container", "c", help="Name of the container"),
    Flag("no-preserve", kind="bool", help="Do not keep owners and permissions"),
    Flag("retries", kind="int", help="How often to try again; a copy never breaks off in labsim"),
)


@dataclass(frozen=True)
class _Spec:
    namespace: str
    pod: str
    path: str


def run(kubectl: Kubectl) -> int:
    if len(kubectl.args) != 2:
        raise Failure("source and destination are required")
    source, target = (_spec(text) for text in kubectl.args)
    if source.pod and target.pod:
        raise Failure("one of src or dest must be a local file specification")
    if not source.path or not target.path:
        raise Failure("filepath can not be empty")
    here = kubectl.ctx.fs
    if target.pod:
        if not here.exists(source.path):
            raise Failure(f"{source.path} doesn't exist in local filesystem")
        there = _files(kubectl, target)
        _copy(here, source.path, there, _into(there, target.path, source.path))
    elif source.pod:
        there = _files(kubectl, source)
        if not there.exists(source.path):
            if source.path.startswith("/"):
                kubectl.err("tar: Removing leading `/' from member names\n")
            kubectl.err(f"tar: {source.path}: Cannot stat: No such file or directory\n")
            kubectl.err("tar: Exiting with failure status due to previous errors\n")
            raise _ended(2)
        _copy(there, source.path, here, _into(here, target.path, source.path))
        if source.path.startswith("/"):
            kubectl.err("tar: Removing leading `/' from member names\n")
    else:
        raise Failure("one of src or dest must be a remote file specification")
    return 0


def _spec(text: str) -> _Spec:
    head, colon, path = text.partition(":")
    if not colon or text.startswith(("/", "./", "../")):
        return _Spec("", "", text)
    if not head:
        raise Failure("filespec must match the canonical format: [[namespace/]pod:]file/path")
    parts = head.split("/")
    if len(parts) > 2:
        raise Failure("filespec must match the canonical format: [[namespace/]pod:]file/path")
    return _Spec(parts[0] if len(parts) == 2 else "", parts[-1], path)


def _ended(code: int) -> Failure:
    return Failure(f"command terminated with exit code {code}", code, prefix=False)


def _files(kubectl: Kubectl, spec: _Spec) -> FileSystem:
    """The container's files. Raises what the real one says when there is no such container or it has no tar."""
    pod = kubectl.client.get("pods", spec.pod, spec.namespace or kubectl.namespace)
    phase = get_in(pod, "status", "phase")
    if phase in ("Succeeded", "Failed"):
        raise Failure(f"cannot exec into a container in a completed pod; current phase is {phase}")
    named = kubectl.flags["container"] or execution.default_container(kubectl, pod, False)
    container = execution.running(kubectl, pod, named)
    execution.check(container, ["tar"], kubectl.now())
    return kubectl.ctx.services.files_of(execution.session(kubectl, pod, container, "sh"))


def _into(files: FileSystem, path: str, source: str) -> str:
    return posixpath.join(path, posixpath.basename(source.rstrip("/"))) if files.is_dir(path) else path


def _copy(source: FileSystem, path: str, target: FileSystem, new: str) -> None:
    if source.is_dir(path):
        if not target.is_dir(new):
            target.mkdir(new, parents=True)
        for name in source.listdir(path):
            _copy(source, posixpath.join(path, name), target, posixpath.join(new, name))
        return
    parent = posixpath.dirname(new)
    if parent and not target.is_dir(parent):
        target.mkdir(parent, parents=True)
    target.write_bytes(new, source.read_bytes(path))
    target.chmod(new, source.stat(path).mode)
