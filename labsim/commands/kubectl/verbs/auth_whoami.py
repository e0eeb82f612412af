"""kubectl auth whoami."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.global_flags import OUTPUT
from labsim.commands.kubectl.printers import table

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "auth whoami"
ABOUT = "Show who you are to the server: user name, groups and extra attributes."
EXAMPLES = "  kubectl auth whoami\n  kubectl auth whoami -o yaml"
SPEC = OUTPUT


def run(kubectl: Kubectl) -> int:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview", "metadata": {}}
    answer = kubectl.client.create("selfsubjectreviews.authentication.k8s.io", review)
    if kubectl.flags["output"] or kubectl.flags["template"]:
        shown = {"kind": answer["kind"], "apiVersion": answer["apiVersion"], "metadata": {}, "status": answer["status"]}
        kubectl.out(printers.printer(kubectl, in_order=True)(shown))
        return 0
    info = answer["status"]["userInfo"]
    rows = [["ATTRIBUTE", "VALUE"], ["Username", str(info.get("username", ""))]]
    if info.get("uid"):
        rows.append(["UID", str(info["uid"])])
    if info.get("groups"):
        rows.append(["Groups", "[" + " ".join(info["groups"]) + "]"])
    for key, values in sorted((info.get("extra") or {}).items()):
        rows.append([f"Extra: {key}", "[" + " ".join(values) + "]"])
    kubectl.out(table.render(rows))
    return 0
