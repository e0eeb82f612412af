"""Candidates for Tab after `kubectl`: commands, flags, values, types and names (judged by `kubectl __complete`)."""

from __future__ import annotations

from collections.abc import Sequence

from labsim.commands.base import Context
from labsim.commands.kubectl import printers
from labsim.commands.kubectl.dispatch import flags_of
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag, FlagError, parse
from labsim.commands.kubectl.mapping import find_resource, visible
from labsim.commands.kubectl.registry import ROOT, Command
from labsim.commands.kubectl.session import Kubectl
from labsim.kube.errors import ApiError
from labsim.kube.objects import get_in, name_of

_ANY = ("annotate", "debug", "delete", "describe", "edit", "get", "label", "patch")
_WORKLOADS = ("daemonsets", "deployments", "pods", "cronjobs", "replicasets", "replicationcontrollers", "statefulsets")
_ROLLING = ("deployment", "daemonset", "statefulset")
# Verbs that take TYPE NAME, and the types that they take.
_TYPES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("autoscale",): ("deployment", "replicaset", "replicationcontroller", "statefulset"),
    ("expose",): ("pod", "service", "replicationcontroller", "deployment", "replicaset"),
    ("scale",): ("deployment", "replicaset", "replicationcontroller", "statefulset"),
    ("taint",): ("node",),
    **{("rollout", verb): _ROLLING for verb in ("history", "pause", "restart", "resume", "status", "undo")},
    **{("set", verb): _WORKLOADS for verb in ("env", "image", "resources", "serviceaccount")},
}
# Verbs that take the names of one kind.
_NAMES: dict[tuple[str, ...], str] = {
    ("cordon",): "nodes",
    ("drain",): "nodes",
    ("uncordon",): "nodes",
    ("top", "node"): "nodes",
    ("top", "pod"): "pods",
}
_PODS = ("attach", "exec", "logs", "port-forward")
_OWNERS = tuple("daemonsets deployments pods jobs replicasets replicationcontrollers services statefulsets".split())


def candidates(ctx: Context, words: Sequence[str], index: int) -> list[str]:
    """Whole words that may stand at `index`; none leaves the word to file names."""
    before, current = list(words[1:index]), words[index]
    try:
        command, rest = _command(before)
        found = _found(ctx, command, rest, current)
    except (ApiError, Failure, FlagError):
        return []
    return [word for word in found if word.startswith(current)]


def _command(words: list[str]) -> tuple[Command, list[str]]:
    """The command that the words before the cursor name, and those that are left."""
    command, rest, at = ROOT, list(words), 0
    flags = [flag for flag in flags_of(ROOT) if not flag.without_value]
    valued = {label for flag in flags for label in (f"--{flag.name}", f"-{flag.short}")}
    while command.children and at < len(rest):
        if rest[at].startswith("-"):
            at += 2 if rest[at] in valued else 1
            continue
        child = command.child(rest[at])
        if child is None:
            break
        command = child
        del rest[at]
    return command, rest


def _found(ctx: Context, command: Command, rest: list[str], current: str) -> list[str]:
    if not command.played:
        return []
    flags = flags_of(command)
    if "--" in rest:
        return []
    if current.startswith("--") and "=" in current:
        name, _, _ = current[2:].partition("=")
        flag = next((f for f in flags if f.name == name), None)
        return [f"--{name}={value}" for value in _values(ctx, command, flags, rest, flag)]
    waiting = _waiting(rest, flags)
    if waiting is not None:
        return _values(ctx, command, flags, rest[:-1], waiting)
    if current.startswith("-"):
        return [f"--{f.name}" + ("" if f.without_value else "=") for f in flags if not f.refused]
    below = [child.name for child in command.children if child.played]
    if command.children and command.name != "create":
        unknown = any(not word.startswith("-") for word in rest) and command is ROOT
        return [] if unknown else below
    return below + _arguments(_call(ctx, command, flags, rest), current)


def _waiting(rest: Sequence[str], flags: Sequence[Flag]) -> Flag | None:
    """The flag that the last word is, if the word under the cursor is its value."""
    word = rest[-1] if rest else ""
    if not word.startswith("-") or "=" in word:
        return None
    for flag in flags:
        short = bool(flag.short) and not word.startswith("--") and word[-1] == flag.short
        if (short or word == f"--{flag.name}") and not flag.without_value:
            return flag
    return None


def _call(ctx: Context, command: Command, flags: Sequence[Flag], rest: Sequence[str]) -> Kubectl:
    return Kubectl(ctx, command, parse(rest, flags))


def _values(ctx: Context, command: Command, flags: Sequence[Flag], rest: Sequence[str], flag: Flag | None) -> list[str]:
    if flag is None:
        return []
    kubectl = _call(ctx, command, flags, rest)
    if flag.name == "namespace":
        return _names(kubectl, "namespaces")
    if flag.name == "output":
        return list(printers.GET_FORMATS if command.name == "get" else printers.RESULT_FORMATS)
    if flag.name == "dry-run":
        return ["none", "server", "client"]
    if flag.name in ("context", "cluster", "user"):
        return sorted(kubectl.kubeconfig.entries(f"{flag.name}s"))
    if flag.name == "container" and kubectl.args:
        return _containers(kubectl)
    return []


def _containers(kubectl: Kubectl) -> list[str]:
    pod = kubectl.client.find("pods", kubectl.args[0].removeprefix("pod/"), kubectl.namespace)
    groups = ("initContainers", "containers")
    return [str(c["name"]) for group in groups for c in get_in(pod, "spec", group, default=())]


def _arguments(kubectl: Kubectl, current: str) -> list[str]:
    words, args = kubectl.command.words, kubectl.args
    if words in _NAMES:
        return [name for name in _names(kubectl, _NAMES[words]) if name not in args]
    if words == ("config", "use-context"):
        return sorted(kubectl.kubeconfig.entries("contexts"))
    if words and words[0] in _PODS and len(words) == 1:
        if "/" in current:
            return _slashed(kubectl, current)
        return [] if args else _names(kubectl, "pods") + [f"{kind}/" for kind in _OWNERS]
    if words == ("cp",):
        return [f"{name}:" for name in _names(kubectl, "pods")] if ":" not in current else []
    if words == ("explain",):
        return [res.plural for res in visible(kubectl.client)]
    types = _TYPES.get(words)
    if types is None and not (len(words) == 1 and words[0] in _ANY):
        return []
    if "/" in current:
        return _slashed(kubectl, current)
    if not args:
        kinds = list(types) if types else _all_types(kubectl)
        first, comma, _ = current.rpartition(",")
        return [f"{first}{comma}{kind}" for kind in kinds]
    if "/" in args[0] or "," in args[0]:
        return []
    res = find_resource(kubectl.client, args[0])
    return [name for name in _names(kubectl, res.key) if name not in args[1:]] if res is not None else []


def _all_types(kubectl: Kubectl) -> list[str]:
    return [
        f"{res.plural}.{res.group}" if res.group else res.plural
        for res in visible(kubectl.client)
        if "get" in res.verbs
    ]


def _slashed(kubectl: Kubectl, current: str) -> list[str]:
    kind, _, _ = current.partition("/")
    res = find_resource(kubectl.client, kind)
    return [f"{kind}/{name}" for name in _names(kubectl, res.key)] if res is not None else []


def _names(kubectl: Kubectl, key: str) -> list[str]:
    res = kubectl.client.scheme.find(key)
    if res is None or "list" not in res.verbs:
        return []
    return [name_of(obj) for obj in kubectl.client.list(res.key, kubectl.namespace if res.namespaced else "")]
