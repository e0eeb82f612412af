"""kubectl version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.versions import CLIENT, KUSTOMIZE, server_version

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "version [flags]"
ABOUT = "Show the versions of kubectl and of the server of the current context."
EXAMPLES = "  kubectl version"
SPEC = (
    Flag("client", kind="bool", help="Only kubectl's own version"),
    Flag("output", "o", help="yaml or json"),
)


def run(kubectl: Kubectl) -> int:
    output = kubectl.flags["output"]
    if kubectl.args:
        raise Failure(f"extra arguments: [{' '.join(kubectl.args)}]")
    if output not in ("", "yaml", "json"):
        raise Failure("--output must be 'yaml' or 'json'")
    versions: dict[str, Any] = {"clientVersion": CLIENT, "kustomizeVersion": KUSTOMIZE}
    if not kubectl.flags["client"]:
        versions["serverVersion"] = server_version(kubectl.client)
    if output:
        from labsim.commands.kubectl.printers import go_struct
        from labsim.kube.codec import dump_yaml

        kubectl.out(dump_yaml(versions) + "\n" if output == "yaml" else go_struct(versions, 2))
        return 0
    kubectl.out(f"Client Version: {CLIENT['gitVersion']}\nKustomize Version: {KUSTOMIZE}\n")
    if "serverVersion" in versions:
        kubectl.out(f"Server Version: {versions['serverVersion']['gitVersion']}\n")
    return 0
