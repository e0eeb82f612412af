"""label and annotate: two verbs that differ in a few words (kubectl.md 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, OUTPUT, SELECTOR
from labsim.commands.kubectl.writing import (
    ALL,
    CHANGE_CAUSE,
    DRY_RUN,
    LOCAL,
    RECORD,
    RESOURCE_VERSION,
    change_cause,
    dry_run,
    field_manager,
    one_item,
    patch,
    record,
    report,
)
from labsim.kube.codec import dump_compact
from labsim.kube.objects import Object, get_in, set_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

Pairs = Mapping[str, str]


@dataclass(frozen=True)
class Style:
    """`field` of metadata, and what the verb says of a change: (before, after, --overwrite) -> word."""

    word: Literal["label", "annotation"]
    parse: Callable[[Sequence[str]], tuple[dict[str, str], list[str]]]
    check_new: Callable[[Pairs, Pairs], None]
    done: Callable[[Object, Object, bool], str]

    @property
    def field(self) -> str:
        return self.word + "s"


def spec(verb: str, word: str) -> tuple[Flag, ...]:
    return (
        *OUTPUT,
        *FILENAME,
        SELECTOR,
        FIELD_SELECTOR,
        ALL_NAMESPACES,
        ALL,
        LOCAL,
        RESOURCE_VERSION,
        DRY_RUN,
        RECORD,
        field_manager(f"kubectl-{verb}"),
        Flag("list", kind="bool", help=f"Show the {word}s after the change, if there is one"),
        Flag("overwrite", kind="bool", help=f"Let a {word} that exists be given another value"),
    )


def resources_and_pairs(args: Sequence[str], word: str) -> tuple[list[str], list[str]]:
    """cmdutil.GetResourcesAndPairs: what comes before the first `k=v` or `k-`, and the rest. Raises Failure."""
    resources: list[str] = []
    pairs: list[str] = []
    for text in args:
        if ("=" in text and text[0] != "=") or (text.endswith("-") and text != "-"):
            pairs.append(text)
        elif pairs:
            raise Failure(f"all resources must be specified before {word} changes: {text}")
        else:
            resources.append(text)
    return resources, pairs


def run(kubectl: Kubectl, style: Style) -> int:
    flags = kubectl.flags
    recording, dry = record(kubectl), dry_run(kubectl)
    words, pairs = resources_and_pairs(kubectl.args, style.word)
    new, gone = style.parse(pairs)
    if flags["list"] and flags["output"]:
        raise Failure("--list and --output may not be specified together")
    _check(kubectl, style, words, dry)
    if not new and not gone and not flags["list"]:
        raise Failure(f"at least one {style.word} update is required")
    _both(style, new, gone)
    result = kubectl.resources(
        words, select_all=flags["all"], fetch_files=not flags["local"], all_without_selector=False
    )
    one = one_item(kubectl, result)
    if not one and flags["resource-version"]:
        raise Failure("--resource-version may only be used with a single resource")
    local = dry == "client" or flags["local"] or flags["list"]

    def act(info: Info) -> None:
        before = info.obj if not flags["resource-version"] else set_in(info.obj, ("metadata", "resourceVersion"), "")
        have: Pairs = get_in(before, "metadata", style.field, default={})
        if style.word == "label" and not local:
            for key in gone:
                if key not in have:
                    kubectl.out(f"label {_quoted(key)} not found.\n")
        if not flags["overwrite"]:
            style.check_new(new, have)
        after = set_in(before, ("metadata", style.field), {k: v for k, v in {**have, **new}.items() if k not in gone})
        if flags["resource-version"]:
            after = set_in(after, ("metadata", "resourceVersion"), flags["resource-version"])
        if recording and not local:
            cause = {**get_in(after, "metadata", "annotations", default={}), CHANGE_CAUSE: change_cause(kubectl)}
            after = set_in(after, ("metadata", "annotations"), cause)
        said = style.done(before, after, flags["overwrite"])
        if not local:
            from labsim.kube.patch import create_merge_patch

            body = create_merge_patch(before, after)
            answer = patch(
                kubectl,
                info.resource,
                info.name,
                info.namespace,
                body,
                "merge",
                dry_run=dry == "server",
                field_manager=flags["field-manager"],
            )
        else:
            answer = after
        if flags["list"]:
            _list(kubectl, style, info, answer, one)
            return
        report(kubectl, answer, said, dry)

    result.visit(act)
    return 0


def _check(kubectl: Kubectl, style: Style, words: Sequence[str], dry: str) -> None:
    flags = kubectl.flags
    if flags["all"] and flags["selector"]:
        raise Failure("cannot set --all and --selector at the same time")
    if flags["all"] and flags["field-selector"]:
        raise Failure("cannot set --all and --field-selector at the same time")
    files = bool(flags["filename"] or flags["kustomize"])
    if flags["local"]:
        if dry == "server":
            raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
        if words:
            raise Failure("can only use local files by -f pod.yaml or --filename=pod.json when --local=true is set")
        if not files:
            raise Failure("one or more files must be specified as -f pod.yaml or --filename=pod.json")
    elif not words and not files:
        raise Failure("one or more resources must be specified as <resource> <name> or <resource>/<name>")


def _both(style: Style, new: Pairs, gone: Sequence[str]) -> None:
    both = [key for key in gone if key in new]
    if not both:
        return
    if style.word == "label":
        raise Failure("can not both modify and remove a label in the same command")
    raise Failure(f"can not both modify and remove the following annotation(s) in the same command: {', '.join(both)}")


def _list(kubectl: Kubectl, style: Style, info: Info, obj: Object, one: bool) -> None:
    indent = ""
    if not one:
        indent = " "
        kubectl.out(f"Listing {style.field} for {info.resource.kind}.{info.resource.group}/{info.name}:\n")
    # The real one walks a Go map, in no order; sorted here.
    for key, value in sorted(get_in(obj, "metadata", style.field, default={}).items()):
        kubectl.out(f"{indent}{key}={value}\n")


def _quoted(text: str) -> str:
    from labsim.kube.errors import quote

    return quote(text)


def length(obj: Object) -> int:
    """Bytes of the object's JSON: what decides between `labeled` and `unlabeled`."""
    return len(dump_compact(obj).encode())
