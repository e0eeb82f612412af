"""kubectl create ingress."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl import creating
from labsim.commands.kubectl.errors import Failure
from labsim.commands.kubectl.flags import Flag

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

USAGE = "create ingress NAME --rule=host/path=service:port[,tls[=secret]]"
ABOUT = "Create an ingress. A path that ends in * is a prefix."
EXAMPLES = """  kubectl create ingress web --rule='web.example/*=web:80'"""
SPEC = (
    *creating.GENERATOR,
    Flag("annotation", kind="array", help="Annotation: KEY=VALUE (may be repeated)"),
    Flag("class", help="Ingress class"),
    Flag("default-backend", help="Service for what no rule takes: NAME:PORT"),
    Flag("rule", kind="array", help="HOST/PATH=SERVICE:PORT[,tls[=SECRET]] (may be repeated)"),
)
_RULE = re.compile(r"^(?P<host>[\w*\-.]*)(?P<path>/[\w/\-.*%~]*)=(?P<svc>[\w-]+:[\w-]+)(?P<tls>,tls(=[\w-]*)?)?$")
_BACKEND = re.compile(r"^[^:]+:[^:]+$")


def run(kubectl: Kubectl) -> int:
    flags = kubectl.flags
    name = creating.one_name(kubectl)
    if not flags["default-backend"] and not flags["rule"]:
        raise Failure(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all "
            "traffic) or a list of rules (which catch specific paths)"
        )
    if flags["default-backend"] and not _BACKEND.match(flags["default-backend"]):
        raise Failure("default-backend should be in format servicename:serviceport")
    metadata: dict[str, Any] = {"name": name}
    annotations = dict(pair.split("=", 1) for pair in flags["annotation"] if "=" in pair)
    if len(annotations) != len(flags["annotation"]):
        raise Failure(f"annotation {flags['annotation'][0]} is invalid and should be in format key=[value]")
    if annotations:
        metadata["annotations"] = annotations
    spec: dict[str, Any] = {}
    if flags["default-backend"]:
        spec["defaultBackend"] = _backend(flags["default-backend"])
    if flags["class"]:
        spec["ingressClassName"] = flags["class"]
    spec |= _rules(flags["rule"])
    obj = {"metadata": metadata, "spec": spec, "status": {"loadBalancer": {}}}
    return creating.make(kubectl, "ingresses.networking.k8s.io", obj, "ingress")


def _backend(text: str) -> dict[str, Any]:
    name, _, port = text.partition(":")
    return {"service": {"name": name, "port": {"number": int(port)} if port.isdigit() else {"name": port}}}


def _rules(texts: tuple[str, ...]) -> dict[str, Any]:
    hosts: dict[str, list[dict[str, Any]]] = {}
    tls: list[dict[str, Any]] = []
    for text in texts:
        found = _RULE.match(text)
        if found is None:
            raise Failure(f"rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
        path = found["path"]
        kind = "Prefix" if path.endswith("*") else "Exact"
        entry = {"backend": _backend(found["svc"]), "path": path.rstrip("*"), "pathType": kind}
        hosts.setdefault(found["host"], []).append(entry)
        if found["tls"]:
            secret = found["tls"].partition("=")[2]
            entry = {
                **({"hosts": [found["host"]]} if found["host"] else {}),
                **({"secretName": secret} if secret else {}),
            }
            if entry and entry not in tls:
                tls.append(entry)
    rules = [{**({"host": host} if host else {}), "http": {"paths": paths}} for host, paths in hosts.items()]
    return {**({"rules": rules} if rules else {}), **({"tls": tls} if tls else {})}
