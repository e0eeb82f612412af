"""kubectl api-resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.mapping import visible
from labsim.commands.kubectl.printers import table

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "api-resources [flags]"
ABOUT = "List the kinds that the server knows, with their short names and versions."
EXAMPLES = """  kubectl api-resources --namespaced=false
  kubectl api-resources --api-group=apps -o wide"""
SPEC = (
    Flag("api-group", help="Only this group"),
    Flag("cached", kind="bool", help="Use what was learned before"),
    Flag("categories", kind="slice", help="Only kinds of these categories"),
    Flag("namespaced", kind="bool", default=True, help="Only kinds with (or without) namespace"),
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("output", "o", help="wide, name, json, yaml or kyaml"),
    Flag("show-managed-fields", kind="bool", help="Keep managedFields in JSON and YAML"),
    Flag("sort-by", help="name or kind"),
    Flag("verbs", kind="slice", help="Only kinds with all these verbs"),
)
_FORMATS = ("json", "kyaml", "name", "wide", "yaml")


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if kubectl.args:
        raise UsageFailure(kubectl.path, f"unexpected arguments: [{' '.join(kubectl.args)}]")
    output = flags["output"]
    if output and output not in _FORMATS:
        raise printers.unknown_format(output, _FORMATS)
    if flags["sort-by"] not in ("", "name", "kind"):
        raise Failure("--sort-by accepts only name or kind")
    found = [
        res
        for res in visible(kubectl.client)
        if (not kubectl.given("api-group") or res.group == flags["api-group"])
        and (not kubectl.given("namespaced") or res.namespaced == flags["namespaced"])
        and set(flags["verbs"]) <= set(res.verbs)
        and set(flags["categories"]) <= set(res.categories)
    ]
    if flags["sort-by"] == "kind":
        found.sort(key=lambda r: (r.kind, r.plural))
    elif flags["sort-by"] == "name":
        found.sort(key=lambda r: (r.plural, r.group))
    else:
        found.sort(key=lambda r: (r.group, r.plural))
    if output == "name":
        kubectl.out("".join(f"{res.key}\n" for res in found))
        return 0
    if output in ("json", "yaml", "kyaml"):
        raise Failure(f"labsim: kubectl api-resources -o {output} is not simulated", prefix=False)
    wide = output == "wide"
    heads = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", *(["VERBS", "CATEGORIES"] if wide else [])]
    rows = [
        [
            res.plural,
            ",".join(res.short_names),
            res.api_version,
            "true" if res.namespaced else "false",
            res.kind,
            *([",".join(res.verbs), ",".join(res.categories)] if wide else []),
        ]
        for res in found
    ]
    kubectl.out(table.render(rows if flags["no-headers"] else [heads, *rows]))
    return 0
