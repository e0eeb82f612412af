"""`kubectl config set` and `unset`: a value of the kubeconfig by a dotted name."""

from __future__ import annotations

from typing import Any

from labsim.commands.kubectl.config import Kubeconfig
from labsim.commands.kubectl.errors import Failure

_FIELDS = {
    "clusters": ("server", "certificate-authority", "insecure-skip-tls-verify", "tls-server-name", "proxy-url"),
    "contexts": ("cluster", "user", "namespace"),
    "users": ("token", "username", "password", "client-certificate", "client-key"),
}
_BOOLS = ("insecure-skip-tls-verify",)


def change(config: Kubeconfig, name: str, value: str | None) -> None:
    """None removes. Raises Failure for a name that means nothing in a kubeconfig."""
    if name == "current-context":
        config.use(value or "")
        return
    plural, dot, rest = name.partition(".")
    if plural not in _FIELDS:
        raise Failure(f"unable to parse {name} after [] at api.Config")
    entry, _, field = _parted(plural, rest)
    if not dot or not entry:
        if value is not None:
            raise Failure(f"labsim: kubectl config set {name} is not simulated", prefix=False)
        for found in config.entries(plural):
            config.put(plural, found, None)
        return
    body = config.body(plural, entry)
    if value is None:
        if not field:
            config.put(plural, entry, None)
        elif body is not None:
            config.put(plural, entry, {k: v for k, v in body.items() if k != field})
        return
    if field not in _FIELDS[plural]:
        raise Failure(f"labsim: kubectl config set {name} is not simulated", prefix=False)
    new: dict[str, Any] = dict(body or {})
    new[field] = value == "true" if field in _BOOLS else value
    config.put(plural, entry, new)


def _parted(plural: str, rest: str) -> tuple[str, str, str]:
    """Entry names may have dots: the last part is the field when it is one."""
    entry, dot, field = rest.rpartition(".")
    return (entry, dot, field) if dot and field in _FIELDS[plural] else (rest, "", "")
