"""kubectl logs (kubectl.md 4.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labsim.commands.kubectl import loglines
from labsim.commands.kubectl.errors import Failure, UsageFailure, standard_text
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import SELECTOR
from labsim.commands.kubectl.mapping import resource_for
from labsim.commands.kubectl.podsof import attachable_pod, pods_of
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, annotations_of, get_in, name_of, namespace_of
from labsim.sim.clock import parse_time

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"
ABOUT = (
    """Print the log of a container of a pod, or of a pod of a workload. With one container its name may be left out."""
)
EXAMPLES = """  # The last lines of a daemon set's pod, followed as they come
  kubectl logs -f ds/nvidia-mig-manager -n gpu-operator --tail=20

  # The log of the container before its restart
  kubectl logs web-0 -p

  # All pods of a label, each line with its source
  kubectl logs -l app=nvidia-mig-manager -n gpu-operator --prefix"""
SPEC = (
    SELECTOR,
    Flag("all-containers", kind="bool", help="All containers of the pods"),
    Flag("all-pods", kind="bool", help="All pods of the workload; with --prefix"),
    Flag("container", "c", help="The container"),
    Flag("follow", "f", kind="bool", help="Go on as lines come"),
    Flag("ignore-errors", kind="bool", help="With -f: an error of one log does not end the others"),
    Flag("insecure-skip-tls-verify-backend", kind="bool", help="Do not check the kubelet's certificate", refused=True),
    Flag("limit-bytes", kind="int", help="At most so many bytes"),
    Flag("max-log-requests", kind="int", default=5, help="How many logs may be followed at once"),
    Flag("pod-running-timeout", kind="duration", default=20_000, help="How long to wait for a running pod"),
    Flag("prefix", kind="bool", help="Pod and container before each line"),
    Flag("previous", "p", kind="bool", help="The log of the container before its last restart"),
    Flag("since", kind="duration", help="Only lines younger than this (5s, 2m, 3h)"),
    Flag("since-time", help="Only lines after this time (RFC 3339)"),
    Flag("tail", kind="int", default=-1, help="Only the last lines; -1 for all (10 with a selector)"),
    Flag("timestamps", kind="bool", help="The time before each line"),
)
_WANTED = (
    "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
    "POD or TYPE/NAME is a required argument for the logs command"
)
_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


@dataclass
class Source:
    """One log that is asked for."""

    pod: Object
    container: str

    @property
    def prefix(self) -> str:
        return f"[pod/{name_of(self.pod)}/{self.container}] "


def run(kubectl: Kubectl) -> int:
    _check_words(kubectl)
    pods = _pods(kubectl)
    query = _query(kubectl)
    sources = [source for pod in pods for source in _sources(kubectl, pod)]
    flags = kubectl.flags
    if not sources:
        if flags["selector"] or flags["all-pods"]:
            kubectl.err(f"No resources found in {kubectl.namespace} namespace.\n")
        return 0
    prefixed = flags["prefix"] or flags["all-pods"]
    if flags["follow"]:
        most = flags["max-log-requests"]
        if len(sources) > most:
            raise Failure(
                f"you are attempting to follow {len(sources)} log streams, but maximum allowed concurrency is {most}, "
                "use --max-log-requests to increase the limit"
            )
        return _follow(kubectl, sources, query, prefixed)
    for source in sources:
        try:
            text = _read(kubectl, source, query)
        except ApiError as error:
            if flags["ignore-errors"]:
                kubectl.out(f"error: {_inner(error)}\n")
                continue
            raise
        kubectl.out(_prefixed(text, source) if prefixed else text)
    return 0


def _inner(error: ApiError) -> str:
    return standard_text(error)


def _check_words(kubectl: Kubectl) -> None:
    flags = kubectl.flags
    args = kubectl.args
    if len(args) == 0 and not flags["selector"]:
        raise UsageFailure(kubectl.path, _WANTED)
    if len(args) > 2:
        raise UsageFailure(kubectl.path, _WANTED)
    if args and flags["selector"]:
        raise UsageFailure(kubectl.path, "only a selector (-l) or a POD name is allowed")
    if flags["all-containers"] and flags["container"]:
        raise Failure("--all-containers=true should not be specified with container name " + flags["container"])
    if len(args) == 2 and flags["container"]:
        raise Failure("only one of -c or an inline [CONTAINER] arg is allowed")


def _query(kubectl: Kubectl) -> dict[str, str]:
    """PodLogOptions. kubectl looks at these only after it has found the pod."""
    flags = kubectl.flags
    query: dict[str, str] = {}
    if kubectl.given("since") and flags["since-time"]:
        raise Failure("at most one of `sinceTime` or `sinceSeconds` may be specified")
    if flags["since-time"]:
        try:
            parse_time(flags["since-time"])
        except ValueError:
            raise Failure(
                f'parsing time "{flags["since-time"]}" as "2006-01-02T15:04:05Z07:00": cannot parse '
                f'"{flags["since-time"]}" as "2006"'
            ) from None
        query["sinceTime"] = flags["since-time"]
    if flags["since"]:
        if flags["since"] < 0:
            raise Failure("--since must be greater than 0")
        query["sinceSeconds"] = str(-(-flags["since"] // 1000))
    if flags["limit-bytes"] < 0:
        raise Failure("--limit-bytes must be greater than 0")
    if flags["limit-bytes"]:
        query["limitBytes"] = str(flags["limit-bytes"])
    tail = flags["tail"]
    if tail < -1:
        raise Failure("--tail must be greater than or equal to -1")
    if flags["selector"] and not kubectl.given("tail"):
        tail = 10
    if tail != -1:
        query["tailLines"] = str(tail)
    if flags["previous"]:
        query["previous"] = "true"
    if flags["timestamps"]:
        query["timestamps"] = "true"
    return query


def _pods(kubectl: Kubectl) -> list[Object]:
    flags, client, namespace = kubectl.flags, kubectl.client, kubectl.namespace
    if flags["selector"]:
        return client.list("pods", namespace, label_selector=flags["selector"])
    word = kubectl.args[0]
    kind, slash, name = word.partition("/")
    if not slash:
        kind, name = "pods", word
    res = resource_for(client, kind)
    if not name or "/" in name:
        raise Failure("arguments in resource/name form must have a single resource and name")
    try:
        obj = client.get(res.key, name, namespace)
    except ApiError as error:
        if error.code == 404:
            raise Failure(f'error from server (NotFound): {error.message} in namespace "{namespace}"') from None
        raise
    if res.key == "pods":
        return [obj]
    if flags["all-pods"]:
        return pods_of(client, res, obj)
    pod, found = attachable_pod(kubectl, res, obj, flags["pod-running-timeout"])
    if found > 1:
        kubectl.err(f"Found {found} pods, using pod/{name_of(pod)}\n")
    return [pod]


def _sources(kubectl: Kubectl, pod: Object) -> list[Source]:
    flags = kubectl.flags
    inline = kubectl.args[1] if len(kubectl.args) == 2 else ""
    wanted = flags["container"] or inline
    if flags["all-containers"]:
        order = ("initContainers", "containers", "ephemeralContainers")
        return [Source(pod, str(c["name"])) for group in order for c in get_in(pod, "spec", group, default=())]
    names = loglines.container_names(pod)
    if wanted:
        if wanted not in names:
            raise Failure(f"container {wanted} is not valid for pod {name_of(pod)}")
        return [Source(pod, wanted)]
    return [Source(pod, default_container(kubectl, pod))]


def default_container(kubectl: Kubectl, pod: Object) -> str:
    """The annotated one, else the first; says so on stderr when there are several."""
    annotated = annotations_of(pod).get(_DEFAULT_CONTAINER, "")
    names = loglines.container_names(pod)
    if annotated in names:
        return annotated
    first = str(get_in(pod, "spec", "containers", 0, "name", default=""))
    if len(names) > 1 and not kubectl.flags.get("all-pods"):
        shown = [str(c["name"]) for c in get_in(pod, "spec", "containers", default=())]
        shown += [f"{c['name']} (ephem)" for c in get_in(pod, "spec", "ephemeralContainers", default=())]
        shown += [f"{c['name']} (init)" for c in get_in(pod, "spec", "initContainers", default=())]
        kubectl.err(f'Defaulted container "{first}" out of: {", ".join(shown)}\n')
    return first


def _read(kubectl: Kubectl, source: Source, query: Mapping[str, str]) -> str:
    asked = {**query, "container": source.container}
    return loglines.server_log(kubectl.client, namespace_of(source.pod), name_of(source.pod), asked)


def _prefixed(text: str, source: Source) -> str:
    return "".join(f"{source.prefix}{line}" for line in text.splitlines(keepends=True))


def _follow(kubectl: Kubectl, sources: list[Source], query: Mapping[str, str], prefixed: bool) -> int:
    """Lines as they come, in the order of their sources within a step; ends when all containers have ended."""
    client = kubectl.client
    shown: list[int] = []
    for source in sources:
        whole = _read(kubectl, source, {k: v for k, v in query.items() if k not in ("tailLines", "limitBytes")})
        first = _read(kubectl, source, query)
        kubectl.emit(_prefixed(first, source) if prefixed else first)
        shown.append(len(whole))
    plain = {k: v for k, v in query.items() if k not in ("tailLines", "limitBytes")}

    def more() -> list[str]:
        return [_read(kubectl, s, plain)[n:] if _alive(kubectl, s) else "" for s, n in zip(sources, shown, strict=True)]

    def ended() -> bool:
        return all(loglines.container_ended(client, namespace_of(s.pod), name_of(s.pod), s.container) for s in sources)

    while not ended():
        end = kubectl.ctx.advance(lambda: any(more()) or ended(), None)
        texts = more()
        for at, (source, text) in enumerate(zip(sources, texts, strict=True)):
            if text:
                kubectl.emit(_prefixed(text, source) if prefixed else text)
                shown[at] += len(text)
        if end.value != "done":
            break
    return 0


def _alive(kubectl: Kubectl, source: Source) -> bool:
    return kubectl.client.find("pods", name_of(source.pod), namespace_of(source.pod)) is not None
