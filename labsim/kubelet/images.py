"""Images: references, what registries hold, how long a pull takes and how it fails (kubectl.md 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from labsim.kube.objects import Object, get_in

HUB = "docker.io"


@dataclass(frozen=True)
class Reference:
    repository: str  # docker.io/library/busybox
    tag: str
    digest: str = ""

    @classmethod
    def parse(cls, image: str) -> Reference:
        """A reference with registry and tag filled in, as containerd normalises it."""
        rest, _, digest = image.partition("@")
        slash = rest.rfind("/")
        colon = rest.rfind(":")
        repository, tag = (rest[:colon], rest[colon + 1 :]) if colon > slash else (rest, "")
        first = repository.split("/", 1)[0]
        if "/" not in repository:
            repository = f"{HUB}/library/{repository}"
        elif "." not in first and ":" not in first and first != "localhost":
            repository = f"{HUB}/{repository}"
        return cls(repository, tag or ("" if digest else "latest"), digest)

    @property
    def full(self) -> str:
        return f"{self.repository}@{self.digest}" if self.digest else f"{self.repository}:{self.tag}"

    @property
    def registry(self) -> str:
        return self.repository.split("/", 1)[0]

    @property
    def familiar(self) -> str:
        """`busybox`, `bitnami/redis`: without Docker Hub's prefix."""
        return self.repository.removeprefix(f"{HUB}/").removeprefix("library/")

    @property
    def identity(self) -> str:
        """repository@digest, as imageID shows it."""
        return f"{self.repository}@{self.digest or 'sha256:' + sha256(self.full.encode()).hexdigest()}"


_VALID = re.compile(r"^[a-z0-9]+(?:[._:-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$")


def invalid_name(image: str) -> bool:
    return not _VALID.match(re.split(r"[@]|:(?=[^/]*$)", image)[0])


def size(image: str, catalogue: Mapping[str, Any], default: int) -> int:
    """Bytes, as the kubelet reports them. An image that the data do not list gets the default."""
    entry = catalogue.get(Reference.parse(image).repository)
    return int(entry["size"]) if entry is not None else default


def policy(container: Mapping[str, Any]) -> str:
    found = container.get("imagePullPolicy")
    if found:
        return str(found)
    return "Always" if Reference.parse(str(container["image"])).tag == "latest" else "IfNotPresent"


def present(node: Object | None, image: str) -> bool:
    full = Reference.parse(image).full
    return any(full in entry.get("names", ()) for entry in get_in(node, "status", "images", default=()))


def with_image(node: Object, image: str, bytes_: int) -> list[Any]:
    """status.images with one more image; largest first, as the kubelet reports them."""
    reference = Reference.parse(image)
    images = [entry for entry in get_in(node, "status", "images", default=()) if reference.full not in entry["names"]]
    names = [reference.identity] if reference.digest else [reference.identity, reference.full]
    images.append({"names": names, "sizeBytes": bytes_})
    return sorted(images, key=lambda entry: (-int(entry["sizeBytes"]), entry["names"]))


def pull_failure(image: str, machine: Object, catalogue: Mapping[str, Any]) -> tuple[str, str] | None:
    """(reason, text of the runtime's error) when the registry does not hand the image out.

    Faults are in the machine's status: `registry-unreachable` {registry; any when left out}, `image-missing` {images}.
    """
    reference = Reference.parse(image)
    prefix = f'failed to pull and unpack image "{reference.full}": failed to resolve reference "{reference.full}": '
    unreachable = get_in(machine, "status", "faults", "registry-unreachable")
    if unreachable is not None and unreachable.get("registry", reference.registry) == reference.registry:
        manifest = reference.digest or reference.tag
        host = "registry-1.docker.io" if reference.registry == HUB else reference.registry
        path = reference.repository.split("/", 1)[1]
        head = f'failed to do request: Head "https://{host}/v2/{path}/manifests/{manifest}": '
        error = f"{prefix}{head}dial tcp: lookup {host}: i/o timeout"
        return "ErrImagePull", f"rpc error: code = DeadlineExceeded desc = {error}"
    withdrawn = get_in(machine, "status", "faults", "image-missing", "images", default=())
    gone = any(Reference.parse(str(name)).full == reference.full for name in withdrawn)
    entry = catalogue.get(reference.repository)
    if entry is not None and not reference.digest:
        gone = gone or not re.fullmatch(str(entry.get("tags", ".*")), reference.tag)
    elif entry is None and reference.registry == HUB:
        denied = (
            "pull access denied, repository does not exist or may require authorization: "
            "server message: insufficient_scope: authorization failed"
        )
        return "ErrImagePull", f"rpc error: code = Unknown desc = {prefix}{denied}"
    if gone:
        return "ErrImagePull", f"rpc error: code = NotFound desc = {prefix}{reference.full}: not found"
    return None
