"""kubectl config view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import printers
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag
from labsim.commands.kubectl.global_flags import OUTPUT

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "config view [flags]"
ABOUT = "Show the merged kubeconfig, or the named file. Secrets are left out without --raw."
EXAMPLES = "  kubectl config view --minify"
SPEC = (
    Flag("output", "o", default="yaml", help="As for get"),
    *OUTPUT[1:],
    Flag("flatten", kind="bool", help="Put certificates into the output (there are none in files)"),
    Flag("merge", kind="bool", default=True, help="Merge all files of $KUBECONFIG"),
    Flag("minify", kind="bool", help="Only what the current context uses"),
    Flag("raw", kind="bool", help="With certificates, keys and tokens"),
)


def run(kubectl: Kubectl) -> int:
    flags, config = kubectl.flags, kubectl.kubeconfig
    content = config.merged()
    if flags["minify"]:
        content = _minify(content, flags["context"])
    if not flags["raw"]:
        content = _redacted(content)
    kubectl.out(printers.printer(kubectl, in_order=True)(_ordered(content)))
    return 0


def _ordered(content: dict[str, Any]) -> dict[str, Any]:
    """The order of the fields of api.Config, in which JSON shows them."""
    head = ("kind", "apiVersion", "clusters", "users", "contexts", "current-context")
    rest = {key: value for key, value in content.items() if key not in head}

    def named(entry: dict[str, Any]) -> dict[str, Any]:
        return {"name": entry["name"], **{k: v for k, v in entry.items() if k != "name"}}

    ordered = {key: content.get(key) for key in head}
    for plural in ("clusters", "users", "contexts"):
        ordered[plural] = [named(entry) for entry in content[plural] or ()] or None
    return {**ordered, **rest}


def _minify(content: dict[str, Any], wanted: str) -> dict[str, Any]:
    """Only what the current context uses. Raises Failure."""
    name = wanted or content["current-context"]
    context = next((e for e in content["contexts"] or () if e["name"] == name), None)
    if not name:
        raise Failure("current-context must exist in order to minify")
    if context is None:
        raise Failure(f"cannot locate context {name}")
    body = context.get("context") or {}
    return {
        **content,
        "current-context": name,
        "contexts": [context],
        "clusters": [e for e in content["clusters"] or () if e["name"] == body.get("cluster")] or None,
        "users": [e for e in content["users"] or () if e["name"] == body.get("user")] or None,
    }


def _redacted(content: dict[str, Any]) -> dict[str, Any]:
    def clean(entry: dict[str, Any], part: str) -> dict[str, Any]:
        body = dict(entry.get(part) or {})
        for key in body:
            if key.endswith("-data"):
                body[key] = "DATA+OMITTED"
            elif key in ("token", "password"):
                body[key] = "REDACTED"
        return {**entry, part: body}

    return {
        **content,
        "clusters": [clean(e, "cluster") for e in content["clusters"] or ()] or None,
        "users": [clean(e, "user") for e in content["users"] or ()] or None,
    }
