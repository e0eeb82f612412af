"""kubectl config get-contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.builder import raise_all
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config get-contexts [(-o|--output=)name)]"
ABOUT = "List the contexts, or those that are named."
EXAMPLES = "  kubectl config get-contexts"
SPEC = (
    Flag("no-headers", kind="bool", help="Print no column heads"),
    Flag("output", "o", help="name"),
)


def run(kubectl: Kubectl) -> int:
    from labsim.commands.kubectl.printers import table

    flags, config = kubectl.flags, kubectl.kubeconfig
    if flags["output"] not in ("", "name"):
        raise Failure(
            f"--output {flags['output']} is not available in kubectl config get-contexts; "
            "resetting to default output format"
        )
    entries = config.entries("contexts")
    wanted = sorted(kubectl.args) if kubectl.args else sorted(entries)
    missing = [name for name in wanted if name not in entries]
    wanted = [name for name in wanted if name in entries]
    if flags["output"] == "name":
        kubectl.out("".join(f"{name}\n" for name in wanted))
    else:
        rows = [] if flags["no-headers"] else [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]]
        for name in wanted:
            body = entries[name].get("context") or {}
            mark = "*" if name == config.current else ""
            rows.append([mark, name, *(str(body.get(k) or "") for k in ("cluster", "user", "namespace"))])
        kubectl.out(table.render(rows))
    if missing:
        raise_all([Failure(f"context {name} not found") for name in missing])
    return 0
