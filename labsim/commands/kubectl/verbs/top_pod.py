"""kubectl top pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import ALL_NAMESPACES, FIELD_SELECTOR, SELECTOR
from labsim.commands.kubectl.printers import table
from labsim.commands.kubectl.usage import cpu_text, measured, memory_text, metrics_list
from labsim.kube.objects import name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "top pod [NAME | -l label]"
ABOUT = "Show how much CPU and memory pods use."
EXAMPLES = "  kubectl top pod -A --sort-by=memory\n  kubectl top pod web-0 --containers"
SPEC = (
    SELECTOR,
    FIELD_SELECTOR,
    ALL_NAMESPACES,
    Flag("containers", kind="bool", help="Each container by itself"),
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("show-swap", kind="bool", help="Show swap memory", refused=True),
    Flag("sort-by", help="cpu or memory"),
    Flag("sum", kind="bool", help="The sum below the rows"),
    Flag("use-protocol-buffers", kind="bool", default=True, help="Ask for protobuf (no difference in labsim)"),
)


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    if flags["sort-by"] not in ("", "cpu", "memory"):
        raise Failure("--sort-by accepts only cpu or memory")
    if len(kubectl.args) > 1:
        raise UsageFailure(kubectl.path, f"unexpected arguments: [{' '.join(kubectl.args[1:])}]")
    if kubectl.args and (flags["selector"] or flags["field-selector"]):
        raise Failure("only one of NAME or selector can be provided")
    namespace = "" if flags["all-namespaces"] else kubectl.namespace
    name = kubectl.args[0] if kubectl.args else ""
    found = metrics_list(kubectl, "pods", namespace, flags["selector"], name, flags["field-selector"])
    if not found:
        where = "" if flags["all-namespaces"] else f" in {kubectl.namespace} namespace."
        kubectl.err(f"No resources found{where}\n")
        return 0
    key = flags["sort-by"]
    found.sort(key=lambda m: (-measured(m)[key] if key else 0, namespace_of(m), name_of(m)))
    heads = ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    heads = ["POD", *heads] if flags["containers"] else heads
    heads = ["NAMESPACE", *heads] if flags["all-namespaces"] else heads
    rows: list[list[str]] = []
    sums = {"cpu": 0, "memory": 0}
    for metric in found:
        lead = [namespace_of(metric)] if flags["all-namespaces"] else []
        total = measured(metric)
        for what in sums:
            sums[what] += total[what]
        if not flags["containers"]:
            rows.append([*lead, name_of(metric), cpu_text(total["cpu"]), memory_text(total["memory"])])
            continue
        containers = [(str(c["name"]), measured(c)) for c in metric.get("containers") or ()]
        containers.sort(key=lambda c: (-c[1][key] if key else 0, c[0]))
        for container, used in containers:
            rows.append([*lead, name_of(metric), container, cpu_text(used["cpu"]), memory_text(used["memory"])])
    if flags["sum"]:
        lead = [""] * (len(heads) - 3)
        rows.append([*lead, "", "________", "________"])
        rows.append([*lead, "", cpu_text(sums["cpu"]), memory_text(sums["memory"])])
    shown = rows if flags["no-headers"] else [heads, *rows]
    kubectl.out(table.render([[*row, ""] for row in shown]))  # a tab ends the last column too
    return 0
