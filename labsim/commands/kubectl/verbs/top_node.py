"""kubectl top node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import Failure, UsageFailure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import SELECTOR
from labsim.commands.kubectl.printers import table
from labsim.commands.kubectl.usage import cpu_text, measured, memory_text, metrics_list
from labsim.kube.objects import Object, get_in, name_of
from labsim.kube.podresources import amounts

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "top node [NAME | -l label]"
ABOUT = "Show how much CPU and memory nodes use, and how much of what they have that is."
EXAMPLES = "  kubectl top node\n  kubectl top node gpu-node1"
SPEC = (
    SELECTOR,
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("show-capacity", kind="bool", help="Percent of Capacity instead of Allocatable"),
    Flag("show-swap", kind="bool", help="Show swap memory", refused=True),
    Flag("sort-by", help="cpu or memory"),
    Flag("use-protocol-buffers", kind="bool", default=True, help="Ask for protobuf (no difference in labsim)"),
)


def run(kubectl: Kubectl) -> int:
    flags, client = kubectl.flags, kubectl.client
    if flags["sort-by"] not in ("", "cpu", "memory"):
        raise Failure("--sort-by accepts only cpu or memory")
    if len(kubectl.args) > 1:
        raise UsageFailure(kubectl.path, f"unexpected arguments: [{' '.join(kubectl.args[1:])}]")
    if kubectl.args and flags["selector"]:
        raise Failure("only one of NAME or --selector can be provided")
    found = metrics_list(kubectl, "nodes", "", flags["selector"], kubectl.args[0] if kubectl.args else "")
    if not found:
        raise Failure("metrics not available yet")
    nodes = {name_of(node): node for node in client.list("nodes", label_selector=flags["selector"])}
    found.sort(key=lambda m: (-measured(m)[flags["sort-by"]] if flags["sort-by"] else 0, name_of(m)))
    rows = [_row(metric, nodes.get(name_of(metric), {}), flags["show-capacity"]) for metric in found]
    heads = ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)", ""]
    kubectl.out(table.render(rows if flags["no-headers"] else [heads, *rows]))
    return 0


def _row(metric: Object, node: Object, of_capacity: bool) -> list[str]:
    used = measured(metric)
    total = amounts(get_in(node, "status", "capacity" if of_capacity else "allocatable"))
    percent = {k: f"{int(used[k] / total[k] * 100)}%" if total.get(k) else "<unknown>" for k in ("cpu", "memory")}
    return [name_of(metric), cpu_text(used["cpu"]), percent["cpu"], memory_text(used["memory"]), percent["memory"], ""]
