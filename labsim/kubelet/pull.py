"""Getting a container's image onto the node: pull policy, events, durations, back-off."""

from __future__ import annotations

from labsim.kube.duration import format_go_duration
from labsim.kube.objects import Object, get_in, name_of
from labsim.kubelet import images, runtime
from labsim.kubelet.context import PodSync
from labsim.sim import names
from labsim.sim.clock import MINUTE, SECOND

BACKOFF, BACKOFF_MAX = 10 * SECOND, 5 * MINUTE
RESYNC = 12 * SECOND  # a pod worker that failed looks again after about this long


def image_ready(sync: PodSync, group: str, spec: Object, container: Object) -> bool:
    """True when the container can start now; otherwise a due time is set, or the pull is under way or failing."""
    image, name = str(spec["image"]), str(spec["name"])
    policy = images.policy(spec)
    pull = get_in(container, "status", "pull", default={})
    if images.invalid_name(image):
        parse = f'couldn\'t parse image name "{image}": invalid reference format'
        text = f'Failed to apply default image tag "{image}": {parse}'
        if pull.get("reason") != "InvalidImageName":
            sync.event("Warning", "InspectFailed", text, name, group)
            sync.event("Warning", "Failed", "Error: InvalidImageName", name, group)
            sync.store(container, pull={"reason": "InvalidImageName", "message": text})
        return False
    if not pull or pull.get("reason") == "ErrImageNeverPull":
        here = images.present(sync.node, image)
        if here and policy != "Always":
            text = f'Container image "{image}" already present on machine and can be accessed by the pod'
            sync.event("Normal", "Pulled", text, name, group)
            return True
        if policy == "Never":
            text = f'Container image "{image}" is not present with pull policy of Never'
            if not pull:
                sync.event("Warning", "ErrImageNeverPull", text, name, group)
                sync.event("Warning", "Failed", "Error: ErrImageNeverPull", name, group)
                sync.store(container, pull={"reason": "ErrImageNeverPull", "message": text})
            return False
        _begin(sync, group, spec, container, 0)
        return False
    if "until" in pull:
        if sync.now < pull["until"]:
            sync.due(pull["until"], periodic=pull["failures"] > 0)
            return False
        if "error" in pull:
            _failed(sync, group, spec, container, pull)
            return False
        _pulled(sync, group, spec, container, pull)
        return True
    return _backing_off(sync, group, spec, container, pull)


def _begin(sync: PodSync, group: str, spec: Object, container: Object, failures: int) -> None:
    image = str(spec["image"])
    sync.event("Normal", "Pulling", f'Pulling image "{image}"', str(spec["name"]), group)
    failure = images.pull_failure(image, sync.machine, sync.lifecycle.images)
    pull: Object = {"since": sync.now, "failures": failures}
    if failure is not None:
        slow = "i/o timeout" in failure[1]
        pull |= {"reason": failure[0], "error": failure[1]}
        pull["until"] = sync.now + sync.lifecycle.delay("pullTimeout" if slow else "pullRefused")
    else:
        # Pulls of a node run one after another (serializeImagePulls), so this one may have to wait.
        start = sync.now
        for other in runtime.on_node(sync.client, sync.node_name):
            busy = get_in(other, "status", "pull")
            if busy and "until" in busy and "error" not in busy:
                start = max(start, int(busy["until"]))
                if other["spec"]["image"] == image:
                    pull["resolved"] = True
        known = images.present(sync.node, image) or pull.pop("resolved", False)
        pull["took"] = _duration(sync, image, bool(known))
        pull["until"] = start + pull["took"]
    sync.store(container, pull=pull)
    sync.due(pull["until"], periodic=failures > 0)


def _duration(sync: PodSync, image: str, known: bool) -> int:
    """Milliseconds a pull takes: the bytes at the registry's rate, or only a look at the manifest."""
    data = sync.lifecycle.data["pull"]
    jitter = names.number(sync.seed, 0, 399, "pull", sync.node_name, image, sync.now)
    least = int(data["least"]) + jitter
    if known:
        return least
    bytes_ = images.size(image, sync.lifecycle.images, int(sync.lifecycle.data["defaultSize"]))
    return least + bytes_ * 1000 // int(data["rate"])


def _pulled(sync: PodSync, group: str, spec: Object, container: Object, pull: Object) -> None:
    image = str(spec["image"])
    bytes_ = images.size(image, sync.lifecycle.images, int(sync.lifecycle.data["defaultSize"]))
    took, total = format_go_duration(pull["took"]), format_go_duration(pull["until"] - pull["since"])
    text = f'Successfully pulled image "{image}" in {took} ({total} including waiting). Image size: {bytes_} bytes.'
    sync.event("Normal", "Pulled", text, str(spec["name"]), group)
    sync.store(container, pull=None)
    node = sync.client.find("nodes", sync.node_name)
    if node is not None and not images.present(node, image):
        status = {**node.get("status", {}), "images": images.with_image(node, image, bytes_)}
        sync.node = sync.client.update_status("nodes", {**node, "status": status})


def _failed(sync: PodSync, group: str, spec: Object, container: Object, pull: Object) -> None:
    name = str(spec["name"])
    sync.event("Warning", "Failed", f'Failed to pull image "{spec["image"]}": {pull["error"]}', name, group)
    sync.event("Warning", "Failed", f"Error: {pull['reason']}", name, group)
    failures = pull["failures"] + 1
    wait = min(BACKOFF << min(failures - 1, 5), BACKOFF_MAX)
    sync.store(
        container,
        pull={
            "reason": pull["reason"],
            "message": pull["error"],
            "failures": failures,
            "cause": f"{pull['reason']}: {pull['error']}",
            "next": sync.now + RESYNC,
            "retryAt": sync.now + RESYNC + wait,
        },
    )
    sync.due(sync.now + RESYNC, periodic=True)


def _backing_off(sync: PodSync, group: str, spec: Object, container: Object, pull: Object) -> bool:
    if "retryAt" not in pull:
        return False
    if sync.now >= pull["retryAt"]:
        _begin(sync, group, spec, container, pull["failures"])
        return False
    if sync.now >= pull["next"]:
        text = f'Back-off pulling image "{spec["image"]}"'
        sync.event("Normal", "BackOff", text, str(spec["name"]), group)
        sync.event("Warning", "Failed", "Error: ImagePullBackOff", str(spec["name"]), group)
        pull = {**pull, "reason": "ImagePullBackOff", "message": f"{text}: {pull['cause']}"}
        pull["next"] = min(sync.now + RESYNC, pull["retryAt"])
        sync.store(container, pull=pull)
    sync.due(min(pull["next"], pull["retryAt"]), periodic=True)
    return False


def container_id(seed: int, container: Object) -> str:
    """containerd://<64 hex>, another one for each attempt."""
    spec = container["spec"]
    raw = names.digest(seed, "container", spec["podUID"], spec["container"], spec["attempt"])
    return f"containerd://{raw.hex()}"


def pid(seed: int, container: Object) -> int:
    spec = container["spec"]
    return names.number(seed, 2_000, 3_999_999, "pid", spec["podUID"], name_of(container), spec["attempt"])
