"""Cut the schema file that labsim ships out of the PyPI package kubernetes-validate (Apache-2.0).

    pip download --no-deps kubernetes-validate==1.37.0
    go mod download k8s.io/api@v0.35.0 k8s.io/apimachinery@v0.35.0
    cd "$(go env GOMODCACHE)"/k8s.io
    python tools/cut_schema.py kubernetes_validate-1.37.0-py3-none-any.whl api@v0.35.0 apimachinery@v0.35.0

The Go modules (Apache-2.0) tell the names of Go types, which stand in the API server's decoding errors (`of type
v1.PullPolicy`), and the values of enums, which a server publishes and the wheel lacks. The wheel's schema says
`["integer", "null"]` and flattens quantities; both are put back as the API server publishes them. The output has sorted
keys and no time stamp in it, so the same input always gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = "1.35"
TARGET = Path(__file__).parent.parent / "labsim" / "kube" / "schema" / f"openapi-{VERSION}.json.gz"
SOURCE = f"kubernetes_validate/kubernetes-json-schema/v{VERSION}.0-local/_definitions.json"

KINDS = {
    "v1": "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume "
    "PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
    "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "authentication.k8s.io/v1": "SelfSubjectReview TokenRequest TokenReview",
    "authorization.k8s.io/v1": "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview "
    "SubjectAccessReview",
    "autoscaling/v1": "Scale",
    "autoscaling/v2": "HorizontalPodAutoscaler",
    "batch/v1": "CronJob Job",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "coordination.k8s.io/v1": "Lease",
    "discovery.k8s.io/v1": "EndpointSlice",
    "events.k8s.io/v1": "Event",
    "networking.k8s.io/v1": "Ingress IngressClass NetworkPolicy",
    "node.k8s.io/v1": "RuntimeClass",
    "policy/v1": "Eviction PodDisruptionBudget",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io/v1": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
    "scheduling.k8s.io/v1": "PriorityClass",
    "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
}
SPECIAL: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": "string", "format": "int-or-string"},
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": "string"},
}
KEEP = {
    "$ref", "additionalProperties", "description", "enum", "format", "items", "properties", "required", "type",
    "x-kubernetes-group-version-kind", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy", "x-kubernetes-unions",
}  # fmt: skip


def clean(node: dict[str, Any]) -> dict[str, Any]:
    """One schema node with only what is used, and `type` as a plain word."""
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key not in KEEP:
            continue
        if key == "$ref":
            out[key] = value.removeprefix("#/$defs/")
        elif key == "type" and isinstance(value, list):
            out[key] = next(word for word in value if word != "null")
        elif key == "enum":
            out[key] = [word for word in value if word is not None]
        elif key == "properties":
            out[key] = {name: clean(inner) for name, inner in value.items()}
            for name in ("apiVersion", "kind"):  # the wheel adds their one value
                out[key].get(name, {}).pop("enum", None)
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            out[key] = clean(value)
        else:
            out[key] = value
    return out


def references(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(references(value) for value in node.values()))
    return set().union(*(references(value) for value in node)) if isinstance(node, list) else set()


def cut(definitions: dict[str, Any]) -> dict[str, Any]:
    """`{"kinds": {"apps/v1": {"Deployment": definition name}}, "definitions": {name: node}}`."""
    by_gvk = {
        (f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"], gvk["kind"]): name
        for name, node in definitions.items()
        for gvk in node.get("x-kubernetes-group-version-kind", ())
        if len(node["x-kubernetes-group-version-kind"]) == 1
    }
    kinds = {version: {kind: by_gvk[version, kind] for kind in names.split()} for version, names in KINDS.items()}
    kept: dict[str, Any] = {}
    waiting = [name for names in kinds.values() for name in names.values()]
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        node = clean(definitions[name])
        if name in SPECIAL:
            node = {**{key: node[key] for key in ("description",) if key in node}, **SPECIAL[name]}
        kept[name] = node
        waiting.extend(references(node))
    return {"version": VERSION, "kinds": kinds, "definitions": kept}


NAMED = re.compile(r"^type (\w+) (?:=\s*)?(string|u?int\d*|bool|\[\]\S+|map\[\S+)$", re.MULTILINE)
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s+\w+\s+(\S+)\s+`[^`]*json:\"(\w+)", re.MULTILINE)
INLINE = re.compile(r"^\s+(\w+)\s+`[^`]*json:\",inline", re.MULTILINE)
TYPE = re.compile(r"^(\*|\[\])*(?:(\w+)\.)?(\w+)$")


def go_fields(definitions: dict[str, Any], modules: list[Path]) -> Iterator[tuple[dict[str, Any], str, str]]:
    """(property, its Go type as written, the folder of its package) for every field that has a definition."""
    for folder, text in sources(modules).items():
        suffix = f"{folder.parent.name}.{folder.name}"
        structs = {struct[1]: struct[2] for struct in STRUCT.finditer(text)}
        for struct in structs:
            name = next((known for known in definitions if known.endswith(f".{suffix}.{struct}")), "")
            for field in FIELD.finditer(body(struct, structs)) if name else ():
                node = definitions[name].get("properties", {}).get(field[2])
                if node is not None:
                    yield node, field[1], suffix


def body(struct: str, structs: dict[str, str]) -> str:
    """The fields of a struct with those of the structs it has inline."""
    own = structs.get(struct, "")
    return own + "".join(body(inner[1], structs) for inner in INLINE.finditer(own))


def sources(modules: list[Path]) -> dict[Path, str]:
    return {path.parent: path.read_text() for module in modules for path in sorted(module.glob("**/v*/types.go"))}


def add_go_types(definitions: dict[str, Any], modules: list[Path]) -> None:
    """`x-go-type` for fields whose Go type has a name of its own but no definition: v1.PullPolicy, v1.ResourceList."""
    named = {match[1] for text in sources(modules).values() for match in NAMED.finditer(text)} | {"UID"}
    for node, go_type, _ in go_fields(definitions, modules):
        found = TYPE.match(go_type)
        if found is None or found[3] not in named or "$ref" in node:
            continue
        target = node.get("items", node) if "[]" in go_type else node
        if "$ref" not in target:
            target["x-go-type"] = f"{'types' if found[2] == 'types' else 'v1'}.{found[3]}"


def enums(modules: list[Path]) -> dict[tuple[str, str], dict[str, str]]:
    """(package, type) -> value -> its description line, for every type marked `+enum`."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for folder, text in sources(modules).items():
        package = f"{folder.parent.name}.{folder.name}"
        comment: list[str] = []
        for line in text.splitlines():
            stripped = line.strip()
            if stripped.startswith("//"):
                comment.append(stripped.removeprefix("//").strip())
                continue
            marked = re.match(r"type (\w+) string", stripped)
            value = re.match(r"(\w+)\s+(\w+)\s*=\s*\"(.*?)\"", stripped)
            if marked and any(word in ("+enum", "+k8s:enum") for word in comment):
                found.setdefault((package, marked[1]), {})
            elif value and (package, value[2]) in found:
                words = " ".join(word for word in comment if not word.startswith("+"))
                words = " ".join(words.removeprefix(value[1]).split())
                found[package, value[2]].setdefault(value[3], f' - `"{value[3]}"` {words}'.rstrip())
            comment = []
    return found


def add_enums(definitions: dict[str, Any], modules: list[Path]) -> None:
    """`enum` and its paragraph in the description, as the server's OpenAPI has them."""
    known = enums(modules)
    for node, go_type, package in go_fields(definitions, modules):
        found = TYPE.match(go_type)
        if found is None or "$ref" in node:
            continue
        home = package if not found[2] else "core.v1"
        values = known.get((home, found[3]))
        if not values:
            continue
        if "[]" in go_type:
            node["items"]["enum"] = sorted(values)
            continue
        node["enum"] = sorted(values)
        lines = "\n".join(["", "Possible enum values:", *sorted(values.values())])
        node["description"] = f"{node.get('description', '')}\n{lines}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("modules", type=Path, nargs="+", help="folders of k8s.io/api and k8s.io/apimachinery")
    args = parser.parse_args()
    with zipfile.ZipFile(args.wheel) as archive:
        definitions = json.loads(archive.read(SOURCE))["$defs"]
    data = cut(definitions)
    add_go_types(data["definitions"], args.modules)
    add_enums(data["definitions"], args.modules)
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0, filename="") as packed:
        packed.write(text.encode())
    TARGET.write_bytes(buffer.getvalue())
    print(f"{TARGET.name}: {len(text)} bytes, {len(buffer.getvalue())} packed")


if __name__ == "__main__":
    main()
