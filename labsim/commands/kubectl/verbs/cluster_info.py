"""kubectl cluster-info; its `dump` is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl.errors import not_simulated
from labsim.commands.kubectl.flags import Flag
from labsim.kube.objects import get_in, labels_of, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "cluster-info"
ABOUT = "Show where the control plane and the services marked kubernetes.io/cluster-service=true are."
EXAMPLES = "  kubectl cluster-info"
SPEC: tuple[Flag, ...] = ()
_GREEN, _YELLOW, _RESET = "\x1b[0;32m", "\x1b[0;33m", "\x1b[0m"


def run(kubectl: Kubectl) -> int:
    if kubectl.args:
        raise not_simulated(f"kubectl cluster-info {kubectl.args[0]}")
    client = kubectl.client
    server = kubectl.settings.server
    color = kubectl.ctx.stdout_is_tty and not kubectl.ctx.env.get("NO_COLOR")

    def line(name: str, link: str) -> None:
        green, yellow, reset = (_GREEN, _YELLOW, _RESET) if color else ("", "", "")
        kubectl.out(f"{green}{name}{reset} is running at {yellow}{link}{reset}\n")

    line("Kubernetes control plane", server)
    for service in client.list("services", "kube-system", label_selector="kubernetes.io/cluster-service=true"):
        name = name_of(service)
        ports = get_in(service, "spec", "ports", default=())
        port = str(ports[0].get("name") or "") if ports else ""
        suffix = f":{port}" if port else ""
        link = f"{server}/api/v1/namespaces/{namespace_of(service)}/services/{name}{suffix}/proxy"
        line(labels_of(service).get("kubernetes.io/name") or name, link)
    kubectl.out("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n")
    return 0
