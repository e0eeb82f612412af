# ruff: noqa: E501 - a message is one row of the table
"""Bodies that kubectl sends as protobuf: just the kinds and fields that its typed creates use (rest-api.md 5.1).

A message is a table: field number -> (name, type). Types: s string, i int, b bool, y bytes (base64 in JSON), another
message's name, and these with `*` (repeated) or `%` (map of strings to it).
"""

from __future__ import annotations

import base64
from typing import Any

from labsim.kube.errors import unsupported_media_type

_META = {1: ("name", "s"), 2: ("generateName", "s"), 3: ("namespace", "s"), 5: ("uid", "s"), 6: ("resourceVersion", "s"),
         11: ("labels", "%s"), 12: ("annotations", "%s"), 14: ("finalizers", "*s")}  # fmt: skip
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "ObjectMeta": _META,
    "ConfigMap": {1: ("metadata", "ObjectMeta"), 2: ("data", "%s"), 3: ("binaryData", "%y"), 4: ("immutable", "b")},
    "Secret": {1: ("metadata", "ObjectMeta"), 2: ("data", "%y"), 3: ("type", "s"), 4: ("stringData", "%s"), 5: ("immutable", "b")},
    "Namespace": {1: ("metadata", "ObjectMeta")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta")},
    "ResourceQuota": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ResourceQuotaSpec")},
    "ResourceQuotaSpec": {1: ("hard", "%Quantity"), 2: ("scopes", "*s")},
    "Quantity": {1: ("string", "s")},
    "PriorityClass": {1: ("metadata", "ObjectMeta"), 2: ("value", "i"), 3: ("globalDefault", "b"), 4: ("description", "s"), 5: ("preemptionPolicy", "s")},
    "Role": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "ClusterRole": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "PolicyRule": {1: ("verbs", "*s"), 2: ("apiGroups", "*s"), 3: ("resources", "*s"), 4: ("resourceNames", "*s"), 5: ("nonResourceURLs", "*s")},
    "RoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "ClusterRoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "Subject": {1: ("kind", "s"), 2: ("apiGroup", "s"), 3: ("name", "s"), 4: ("namespace", "s")},
    "RoleRef": {1: ("apiGroup", "s"), 2: ("kind", "s"), 3: ("name", "s")},
    "SelfSubjectReview": {1: ("metadata", "ObjectMeta")},
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "AccessSpec")},
    "AccessSpec": {1: ("resourceAttributes", "ResourceAttributes"), 2: ("nonResourceAttributes", "PathAttributes")},
    "ResourceAttributes": {1: ("namespace", "s"), 2: ("verb", "s"), 3: ("group", "s"), 4: ("version", "s"), 5: ("resource", "s"), 6: ("subresource", "s"), 7: ("name", "s")},
    "PathAttributes": {1: ("path", "s"), 2: ("verb", "s")},
    "SelfSubjectRulesReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "RulesSpec")},
    "RulesSpec": {1: ("namespace", "s")},
    "PodDisruptionBudget": {1: ("metadata", "ObjectMeta"), 2: ("spec", "BudgetSpec")},
    "BudgetSpec": {1: ("minAvailable", "IntOrString"), 2: ("selector", "LabelSelector"), 3: ("maxUnavailable", "IntOrString")},
    "IntOrString": {1: ("type", "i"), 2: ("int", "i"), 3: ("string", "s")},
    "LabelSelector": {1: ("matchLabels", "%s"), 2: ("matchExpressions", "*Requirement")},
    "Requirement": {1: ("key", "s"), 2: ("operator", "s"), 3: ("values", "*s")},
    "Deployment": {1: ("metadata", "ObjectMeta"), 2: ("spec", "DeploymentSpec")},
    "DeploymentSpec": {1: ("replicas", "i"), 2: ("selector", "LabelSelector"), 3: ("template", "PodTemplateSpec")},
    "PodTemplateSpec": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "Job": {1: ("metadata", "ObjectMeta"), 2: ("spec", "JobSpec")},
    "JobSpec": {6: ("template", "PodTemplateSpec")},
    "PodSpec": {2: ("containers", "*Container"), 3: ("restartPolicy", "s")},
    "Container": {1: ("name", "s"), 2: ("image", "s"), 3: ("command", "*s"), 4: ("args", "*s"), 6: ("ports", "*Port")},
    "Port": {1: ("name", "s"), 2: ("hostPort", "i"), 3: ("containerPort", "i"), 4: ("protocol", "s")},
    "Service": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ServiceSpec")},
    "ServiceSpec": {1: ("ports", "*ServicePort"), 2: ("selector", "%s"), 3: ("clusterIP", "s"), 4: ("type", "s"), 10: ("externalName", "s")},
    "ServicePort": {1: ("name", "s"), 2: ("protocol", "s"), 3: ("port", "i"), 4: ("targetPort", "IntOrString"), 5: ("nodePort", "i")},
}  # fmt: skip


def decode(raw: bytes) -> dict[str, Any]:
    """The object of a `k8s\\0` envelope. Raises 415 for a kind that is not in the table."""
    envelope = _fields(raw[4:])
    head = _fields(envelope[1][0])
    api_version, kind = head[1][0].decode(), head[2][0].decode()
    if kind not in _MESSAGES:
        raise unsupported_media_type("the body of the request was in an unknown format")
    found: dict[str, Any] = _message(kind, envelope[2][0])
    return {"apiVersion": api_version, "kind": kind, **found}


def _fields(data: bytes) -> dict[int, list[Any]]:
    out: dict[int, list[Any]] = {}
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 2:
            size, at = _varint(data, at)
            value: Any = data[at : at + size]
            at += size
        else:
            value, at = _varint(data, at)
        out.setdefault(number, []).append(value)
    return out


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _message(name: str, data: bytes) -> Any:
    fields = _fields(data)
    if name == "Quantity":
        return fields[1][0].decode()
    if name == "IntOrString":
        return fields[3][0].decode() if fields.get(1, [0])[0] == 1 else fields.get(2, [0])[0]
    out: dict[str, Any] = {}
    for number, (key, kind) in _MESSAGES[name].items():
        if number not in fields:
            continue
        values = fields[number]
        if kind[0] == "%":
            out[key] = {}
            for entry in values:
                pair = _fields(entry)
                out[key][pair.get(1, [b""])[0].decode()] = _scalar(kind[1:], pair.get(2, [b""])[0])
        elif kind[0] == "*":
            out[key] = [_scalar(kind[1:], value) for value in values]
        else:
            value = _scalar(kind, values[-1])
            if value not in ("", None):
                out[key] = value
    return out


def _scalar(kind: str, value: Any) -> Any:
    if kind == "s":
        return value.decode()
    if kind == "b":
        return bool(value)
    if kind == "i":
        return value - (1 << 64) if value >= 1 << 63 else value
    if kind == "y":
        return base64.b64encode(value).decode()
    return _message(kind, value)
