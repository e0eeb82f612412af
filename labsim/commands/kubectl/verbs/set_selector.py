"""kubectl set selector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labsim.commands.kubectl import setting
from labsim.commands.kubectl.builder import Info
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import FILENAME, OUTPUT
from labsim.commands.kubectl.writing import ALL, DRY_RUN, LOCAL, RESOURCE_VERSION, dry_run, field_manager, patch, report
from labsim.kube.objects import Object, get_in, set_in

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
    words, text = _split(kubectl.args)
    if not text:
        raise Failure("one selector is required")
    selector = _pairs(text)
    if not words and not flags["filename"]:
        raise Failure(setting.NOTHING)
    local = flags["local"]
    infos: list[Info] = kubectl.resources(
        words, select_all=flags["all"], all_without_selector=False, fetch_files=not local
    ).all_infos()
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


def _split(args: Sequence[str]) -> tuple[list[str], str]:
    """The last argument is the selector, unless it can only be a resource."""
    if not args:
        return [], ""
    return list(args[:-1]), args[-1]


def _pairs(text: str) -> dict[str, str]:
    from labsim.kube.selectors import parse_label

    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.strip().partition("=")
        if not equals or key.endswith("!") or " " in key:
            try:
                parse_label(text)
            except ValueError as error:
                raise Failure(str(error)) from None
            raise Failure("only expressions of the form KEY=VALUE can be set here")
        found[key.strip()] = value.removeprefix("=").strip()
    return found
