"""kubectl run: one pod from an image (kubectl.md 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import attaching, creating, deletion, last_applied
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Exit, Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import OUTPUT
from labsim.commands.kubectl.writing import DRY_RUN, DryRun, dry_run, field_manager, report
from labsim.kube.objects import Object, get_in, meta, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = 'run NAME --image=image [--env="key=value"] [--port=port] [--overrides=inline-json] -- [COMMAND] [args...]'
ABOUT = """Start one pod from an image.

 What stands after -- are arguments of the image's program, with --command the program itself. -it with --rm opens a
shell in a pod that is deleted afterwards; --overrides changes the object before it is sent."""
EXAMPLES = """  kubectl run web --image=nginx:1.27 --port=80

  # See the pod only, as a start for a manifest
  kubectl run cuda --image=nvidia/cuda:12.8.0-base-ubuntu24.04 --dry-run=client -o yaml -- nvidia-smi -L"""
SPEC = (
    *OUTPUT,
    DRY_RUN,
    creating.SAVE_CONFIG,
    field_manager("kubectl-run"),
    *deletion.flags(wait_default=False),
    Flag("annotations", kind="array", help="Annotation for the pod: KEY=VALUE"),
    Flag("attach", kind="bool", help="Attach to the pod once it runs"),
    Flag("command", kind="bool", help="What follows -- is the program, not its arguments"),
    Flag("env", kind="array", help="Environment variable: NAME=VALUE"),
    Flag("expose", kind="bool", help="Make a service for the pod as well", refused=True),
    Flag("filename", "f", kind="slice", help="Not used by run", refused=True),
    Flag("image", help="Image to run (needed)"),
    Flag("image-pull-policy", help="Always, IfNotPresent or Never"),
    Flag("kustomize", "k", help="Not used by run", refused=True),
    Flag("labels", "l", help="Labels for the pod: KEY=VALUE,..."),
    Flag("leave-stdin-open", kind="bool", help="Keep standard input open after the first attach", refused=True),
    Flag("override-type", default="merge", help="json, merge or strategic"),
    Flag("overrides", help="JSON that changes the object before it is sent"),
    Flag(
        "pod-running-timeout", kind="duration", default=60_000, shown="1m0s", help="How long to wait for a running pod"
    ),
    Flag("port", help="Port that the container serves"),
    Flag("privileged", kind="bool", help="Run the container in privileged mode"),
    Flag("quiet", "q", kind="bool", help="Do not prompt or tell"),
    Flag("recursive", "R", kind="bool", help="Not used by run", refused=True),
    Flag("restart", default="Always", help="Restart policy: Always, OnFailure or Never"),
    Flag("rm", kind="bool", help="Delete the pod after it ends; needs -i or --attach"),
    Flag("stdin", "i", kind="bool", help="Keep standard input open"),
    Flag("tty", "t", kind="bool", help="A terminal for the container"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if not flags["image"]:
        raise Failure('required flag(s) "image" not set')
    dry = dry_run(kubectl)
    if not kubectl.args or kubectl.dash == 0:
        raise UsageFailure(kubectl.path, "NAME is required for run")
    attach = flags["attach"] if kubectl.given("attach") else flags["stdin"] or flags["tty"]
    _check(kubectl, dry, attach)
    pod = _overridden(kubectl, _pod(kubectl))
    pod = last_applied.updated(pod, flags["save-config"])
    if dry == "client":
        report(kubectl, pod, "created", dry)
        return 0
    res = kubectl.client.scheme.find("pods")
    assert res is not None
    pod = {**pod, "metadata": {**meta(pod), "namespace": kubectl.namespace}}
    answer = creating.send(kubectl, res, pod, kubectl.namespace, dry, "Strict")
    if not attach or dry != "none":
        report(kubectl, answer, "created", dry)
        return 0
    info = Info(res, kubectl.namespace, str(meta(answer)["name"]), answer)
    opened = False
    try:
        pod = attaching.started(kubectl, info.namespace, info.name, _first(answer), int(flags["pod-running-timeout"]))
        if not flags["quiet"]:
            kubectl.err(attaching.RECORDED + attaching.PROMPT)
        opened = flags["stdin"] and attaching.open_shell(kubectl, pod, _first(pod), _removal(kubectl, info))
        return 0 if opened else _follow(kubectl, pod)
    finally:
        if flags["rm"] and not opened:
            _remove(kubectl, info)


def _first(pod: Object) -> str:
    return str(pod["spec"]["containers"][0]["name"])


def _check(kubectl: Kubectl, dry: DryRun, attach: bool) -> None:
    flags = kubectl.flags
    if flags["rm"] and not attach:
        raise UsageFailure(kubectl.path, "--rm should only be used for attached containers")
    if attach and dry != "none":
        raise UsageFailure(
            kubectl.path,
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
        )
    if flags["restart"] not in ("Always", "OnFailure", "Never"):
        raise UsageFailure(kubectl.path, f"invalid restart policy: {flags['restart']}")
    if flags["image-pull-policy"] not in ("", "Always", "IfNotPresent", "Never"):
        raise Failure(f"invalid image pull policy: {flags['image-pull-policy']}")
    if flags["tty"] and not flags["stdin"]:
        raise UsageFailure(kubectl.path, "-i/--stdin is required for containers with -t/--tty=true")
    if flags["image"].rpartition("/")[2].count(":") > 1 or flags["image"].strip() != flags["image"]:
        raise Failure(f'Invalid image name "{flags["image"]}": invalid reference format')


def _pairs(texts: tuple[str, ...] | list[str], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise Failure(f"invalid {what}: {text}")
        found[key] = value
    return found


def _pod(kubectl: Kubectl) -> Object:
    flags = kubectl.flags
    name, *rest = kubectl.args
    labels = _pairs(flags["labels"].split(","), "label") if flags["labels"] else {"run": name}
    container: dict[str, Any] = {"name": name, "image": flags["image"], "resources": {}}
    if flags["image-pull-policy"]:
        container["imagePullPolicy"] = flags["image-pull-policy"]
    if rest:
        container["command" if flags["command"] else "args"] = rest
    if flags["env"]:
        container["env"] = [{"name": k, **({"value": v} if v else {})} for k, v in _pairs(flags["env"], "env").items()]
    if flags["port"]:
        if not flags["port"].isdigit():
            raise Failure(f'strconv.ParseInt: parsing "{flags["port"]}": invalid syntax')
        container["ports"] = [{"containerPort": int(flags["port"])}]
    if flags["stdin"]:
        container |= {"stdin": True, "stdinOnce": True}
    if flags["tty"]:
        container["tty"] = True
    if flags["privileged"]:
        container["securityContext"] = {"privileged": True}
    metadata: dict[str, Any] = {"name": name, "labels": labels}
    annotations = _pairs(flags["annotations"], "annotation")
    if annotations:
        metadata["annotations"] = annotations
    spec = {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": flags["restart"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}


def _overridden(kubectl: Kubectl, pod: Object) -> Object:
    from labsim.commands.kubectl.local_patch import patched
    from labsim.kube.codec.gojson import JsonSyntaxError, decode_next
    from labsim.kube.patch import PatchError

    text, kind = kubectl.flags["overrides"], kubectl.flags["override-type"]
    if not text:
        return pod
    if kind not in ("json", "merge", "strategic"):
        raise Failure(f"invalid override type: {kind}")
    try:
        found = decode_next(text, 0)
        return patched(kind, pod, found[0] if found is not None else None)
    except JsonSyntaxError:
        raise Failure("Invalid JSON Patch") from None
    except PatchError as error:
        raise Failure(str(error)) from None


def _removal(kubectl: Kubectl, info: Info) -> tuple[str, ...]:
    """The words that delete the pod when its shell ends, with --rm."""
    flags = kubectl.flags
    if not flags["rm"]:
        return ()
    words = ["delete", "pod", info.name, "-n", info.namespace, f"--wait={str(flags['wait']).lower()}"]
    words += [f"--cascade={flags['cascade']}", f"--grace-period={flags['grace-period']}"]
    return (*words, *(["--force"] if flags["force"] else []))


def _follow(kubectl: Kubectl, pod: Object) -> int:
    """What the program prints until it ends. With --restart=Never its exit code is kubectl's."""
    code = attaching.follow(kubectl, pod, _first(pod))
    if not code or kubectl.flags["restart"] != "Never":
        return 0
    status = attaching.status_of(kubectl.client.find("pods", name_of(pod), namespace_of(pod)), _first(pod))
    reason = get_in(status, "state", "terminated", "reason", default="Error")
    if not kubectl.flags["quiet"]:
        kubectl.err(f"pod {namespace_of(pod)}/{name_of(pod)} terminated ({reason})\n")
    raise Exit(code)


def _remove(kubectl: Kubectl, info: Info) -> None:
    how = deletion.Deletion(
        deletion.grace_and_force(kubectl), deletion.propagation(kubectl), "none", int(kubectl.flags["timeout"])
    )
    uid = deletion.uid_now(kubectl, info)
    if uid:
        deletion.delete(kubectl, info, how)
        if kubectl.flags["wait"]:
            deletion.wait_until_gone(kubectl, [(info, uid)], how.timeout)
