"""kubectl taint (kubectl.md 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure, Failures, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import OUTPUT, SELECTOR
from labsim.commands.kubectl.mapping import find_resource
from labsim.commands.kubectl.writing import DRY_RUN, VALIDATE, dry_run, field_manager, patch, report, validation
from labsim.kube.objects import get_in, set_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N"
ABOUT = """Change the taints of nodes.

 KEY=VALUE:EFFECT or KEY:EFFECT sets a taint; the effect is NoSchedule, PreferNoSchedule or NoExecute. KEY:EFFECT- takes
one away, KEY- all of that key. A taint of the same key and effect is changed only with --overwrite."""
EXAMPLES = """  # Keep everything but GPU workloads away
  kubectl taint nodes gpu-node1 nvidia.com/gpu=present:NoSchedule

  # Take it away again
  kubectl taint nodes gpu-node1 nvidia.com/gpu:NoSchedule-"""
SPEC = (
    *OUTPUT,
    SELECTOR,
    DRY_RUN,
    VALIDATE,
    field_manager("kubectl-taint"),
    Flag("all", kind="bool", help="All nodes of the cluster"),
    Flag("overwrite", kind="bool", help="Let a taint of the same key and effect be given another value"),
)
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

Taint = dict[str, Any]


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    validate = validation(kubectl)
    dry = dry_run(kubectl)
    words, pairs = _split(kubectl.args)
    try:
        new, gone = _parse(pairs)
    except Failure as error:
        raise UsageFailure(kubectl.path, error.text) from None
    if find_resource(kubectl.client, words[0]) is None:
        raise Failure(f'the server doesn\'t have a resource type "{words[0]}"', prefix=False)
    if words[0].lower() not in ("node", "nodes", "no"):
        raise Failure(f"invalid resource type {words[0]}, only node types are supported")
    _check_both(new, gone)
    if flags["all"] and flags["selector"]:
        raise Failure("setting 'all' parameter with a non empty selector is prohibited")
    if not flags["all"] and not flags["selector"] and len(words) < 2:
        raise Failure("at least one resource name must be specified since 'all' parameter is not set")
    named = [] if flags["all"] or flags["selector"] else words[1:]
    result = kubectl.resources(["nodes", *named], select_all=flags["all"])

    def act(info: Info) -> None:
        old: list[Taint] = get_in(info.obj, "spec", "taints", default=[])
        said, taints = _reorganize(info.name, old, new, gone, flags["overwrite"])
        after = set_in(info.obj, ("spec", "taints"), taints)
        if dry == "client":
            report(kubectl, after, said, dry)
            return
        body: Any = {} if taints == old else {"spec": {"taints": taints or None}}
        answer = patch(
            kubectl,
            info.resource,
            info.name,
            "",
            body,
            "strategic",
            dry_run=dry == "server",
            field_validation=validate,
            field_manager=flags["field-manager"],
        )
        report(kubectl, answer, said, dry)

    result.visit(act)
    return 0


def _split(args: Sequence[str]) -> tuple[list[str], list[str]]:
    words: list[str] = []
    pairs: list[str] = []
    for text in args:
        if "=" in text or ":" in text or text.endswith("-"):
            pairs.append(text)
        elif pairs:
            raise Failure(f"all resources must be specified before taint changes: {text}")
        else:
            words.append(text)
    if not words:
        raise Failure("one or more resources must be specified as <resource> <name>")
    if not pairs:
        raise Failure("at least one taint update is required")
    return words, pairs


def _parse(pairs: Sequence[str]) -> tuple[list[Taint], list[Taint]]:
    new: list[Taint] = []
    gone: list[Taint] = []
    for text in pairs:
        if text.endswith("-"):
            taint = _taint(text[:-1])
            gone.append({"key": taint["key"], "effect": taint["effect"]})
            continue
        taint = _taint(text)
        if not taint["effect"]:
            raise Failure(f"invalid taint spec: {text}")
        if any(_same(taint, other) for other in new):
            shown = f"{{{taint['key']} {taint.get('value', '')} {taint['effect']} <nil>}}"
            raise Failure(f"duplicated taints with the same key and effect: {shown}")
        new.append({k: v for k, v in taint.items() if v})
    return new, gone


def _taint(text: str) -> Taint:
    from labsim.kube.validation import label_value, qualified_name

    head, *effects = text.split(":")
    value, effect = "", ""
    if len(effects) > 1:
        raise Failure(f"invalid taint spec: {text}")
    if effects:
        effect = effects[0]
        if effect not in _EFFECTS:
            raise Failure(f"invalid taint effect: {effect}, unsupported taint effect")
        head, *values = head.split("=")
        if len(values) > 1:
            raise Failure(f"invalid taint spec: {text}")
        value = values[0] if values else ""
        problems = label_value(value)
        if problems:
            raise Failure(f"invalid taint spec: {text}, {'; '.join(problems)}")
    problems = qualified_name(head)
    if problems:
        raise Failure(f"invalid taint spec: {text}, {'; '.join(problems)}")
    return {"key": head, "value": value, "effect": effect}


def _same(a: Taint, b: Taint) -> bool:
    return bool(a["key"] == b["key"] and a.get("effect") == b.get("effect"))


def _check_both(new: Sequence[Taint], gone: Sequence[Taint]) -> None:
    both = [
        f"{remove['key']}={remove['effect']}"
        for add in new
        for remove in gone
        if add["key"] == remove["key"] and remove["effect"] in ("", add["effect"])
    ]
    if both:
        raise Failure(f"can not both modify and remove the following taint(s) in the same command: {', '.join(both)}")


def _reorganize(
    node: str, old: list[Taint], new: list[Taint], gone: list[Taint], overwrite: bool
) -> tuple[str, list[Taint]]:
    """(what was done, the node's taints then): new ones first, then the old ones in their order."""
    exists = [add["key"] for add in new for have in old if _same(add, have)]
    if exists and not overwrite:
        raise Failure(
            f"node {node} already has {','.join(exists)} taint(s) with same effect(s) and --overwrite is false"
        )
    taints = [*new, *(have for have in old if not any(_same(add, have) for add in new))]
    added = len(taints) != len(old)
    removed = False
    problems: list[Exception] = []
    for remove in gone:
        left = [t for t in taints if not (t["key"] == remove["key"] and remove["effect"] in ("", t.get("effect")))]
        removed = len(left) != len(taints)
        if not removed:
            shown = remove["key"] + (f":{remove['effect']}" if remove["effect"] else "")
            problems.append(Failure(f'taint "{shown}" not found'))
        taints = left
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise Failures(problems)
    if overwrite or (added and removed):
        return "modified", taints
    return ("tainted" if added else "untainted"), taints
