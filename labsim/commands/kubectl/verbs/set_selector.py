"""kubectl set selector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.writing import ALL, DRY_RUN, LOCAL, RESOURCE_VERSION, dry_run, field_manager, patch, report
from labsim.kube.objects import Object, get_in, set_in
from labsim.kube.selectors import Requirement, parse_label

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "set selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]"
ABOUT = "Replace the selector of a service. Only KEY=VALUE expressions are possible."
EXAMPLES = """  kubectl set selector service web app=web,tier=front"""
SPEC = (
    *OUTPUT,
    *(flag for flag in FILENAME if flag.name == "filename"),
    Flag("recursive", "R", kind="bool", default=True, help="Read directories of -f with all below them"),
    ALL,
    LOCAL,
    DRY_RUN,
    RESOURCE_VERSION,
    field_manager("kubectl-set"),
)


def run(kubectl: Kubectl) -> int:
    flags, dry = kubectl.flags, dry_run(kubectl)
    if flags["local"] and dry == "server":
        raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if not kubectl.args:
        raise Failure("one selector is required")
    words, requirements = kubectl.args[:-1], _parsed(kubectl.args[-1])
    if not words and not flags["filename"]:
        raise Failure(setting.NOTHING)
    local = flags["local"]
    infos: list[Info] = kubectl.resources(
        words, select_all=flags["all"], all_without_selector=False, fetch_files=not local
    ).all_infos()
    selector = _pairs(requirements)
    version = flags["resource-version"]
    if version and len(infos) > 1:
        raise Failure("--resource-version may only be used with a single resource")
    for info in infos:
        if info.resource.key != "services":
            raise Failure("setting a selector is only supported for Services")
        after: Object = set_in(info.obj, ("spec", "selector"), selector)
        if not local and dry != "client":
            before = get_in(info.obj, "spec", "selector", default={})
            gone = {key: None for key in before if key not in selector}
            body: Object = {"spec": {"selector": {**selector, **gone}}}
            if version:
                body["metadata"] = {"resourceVersion": version}
            after = patch(
                kubectl, info.resource, info.name, info.namespace, body, "strategic",
                dry_run=dry == "server", field_manager=flags["field-manager"],
            )  # fmt: skip
        report(kubectl, after, "selector updated", dry)
    return 0


_NAMES = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}


def _parsed(text: str) -> tuple[Requirement, ...]:
    """metav1.ParseToLabelSelector. Raises Failure."""
    try:
        found = parse_label(text).written
    except ValueError as error:
        raise Failure(f'couldn\'t parse the selector string "{text}": {error}') from None
    for one in found:
        if one.op in ("!=", "gt", "lt", ">", "<"):
            name = {">": "gt", "<": "lt"}.get(one.op, one.op)
            wrong = "is not a valid label selector operator" if name == "!=" else "isn't supported in label selectors"
            raise Failure(f'"{name}" {wrong}')
    return found


def _pairs(requirements: tuple[Requirement, ...]) -> dict[str, str]:
    others = [r for r in requirements if r.op not in ("=", "==")]
    if others:
        shown = " ".join(f"{{{r.key} {_NAMES[r.op]} [{' '.join(sorted(r.values))}]}}" for r in others)
        raise Failure(f"match expression [{shown}] not supported on this object")
    return {r.key: r.values[0] for r in requirements}
