"""chroot: from a debugging pod, which has the root of its node under /host, to the node."""

from __future__ import annotations

import shlex

from labsim.commands import place
from labsim.commands.base import Context, NoTerminal, SessionSpec
from labsim.commands.notsimulated import not_simulated
from labsim.kube.objects import Object, get_in


def main(ctx: Context) -> int:
    root, *command = [*ctx.args, ""] if not ctx.args else ctx.args
    if not root:
        ctx.err("chroot: missing operand\nTry 'chroot --help' for more information.\n")
        return 125
    if root.startswith("-"):
        return not_simulated(ctx, f"chroot {root}")
    node = _node_below(ctx, root.rstrip("/") or "/")
    if not node:
        if ctx.fs.is_dir(root):
            return not_simulated(ctx, f"chroot {root}")
        ctx.err(f"chroot: cannot change root directory to '{root}': No such file or directory\n")
        return 125
    # The root changes, the host name does not: the prompt is that of the node's root.
    spec = SessionSpec(node, "root", "/root", "# ", files=node, cwd="/")
    if command and not (len(command) == 1 and command[0].rpartition("/")[2] in ("bash", "sh")):
        result = ctx.services.on_host(ctx, spec, shlex.join(command))
        ctx.out(result.stdout)
        ctx.err(result.stderr)
        return result.exit_code
    try:
        ctx.push_session(spec)
    except NoTerminal:
        return not_simulated(ctx, "chroot inside a line")
    return 0


def _node_below(ctx: Context, path: str) -> str:
    """The node whose root a volume of this container has at `path`; '' if there is none."""
    if ctx.programs is None:
        return ""
    client = place.hardware_client(ctx)
    for container in client.list("containers.runtime.labsim"):
        spec = container["spec"]
        if ctx.host not in (spec["pod"], spec["nodeName"]) or container["status"]["state"] != "running":
            continue
        pod = client.find("pods", spec["pod"], container["metadata"]["namespace"])
        if path in _roots(pod, spec["container"]) and (pod or {})["metadata"]["name"].startswith("node-debugger-"):
            return str(spec["nodeName"])
    return ""


def _roots(pod: Object | None, container: str) -> list[str]:
    whole = [v["name"] for v in get_in(pod, "spec", "volumes", default=()) if get_in(v, "hostPath", "path") == "/"]
    return [
        str(mount["mountPath"])
        for spec in get_in(pod, "spec", "containers", default=())
        if spec["name"] == container
        for mount in spec.get("volumeMounts") or ()
        if mount["name"] in whole
    ]
