"""Volumes of a pod that cannot be mounted yet, with the kubelet's texts (kubectl.md 5)."""

from __future__ import annotations

from labsim.kube.client import Client
from labsim.kube.objects import Object, get_in, namespace_of


def problems(client: Client, pod: Object) -> list[str]:
    """FailedMount messages, one for each volume that is not there; empty when all can be mounted."""
    found = []
    namespace = namespace_of(pod)
    for volume in get_in(pod, "spec", "volumes", default=()):
        for kind, name, items, optional in _sources(volume):
            obj = client.find("configmaps" if kind == "configmap" else "secrets", name, namespace)
            if obj is None:
                if not optional:
                    found.append(f'MountVolume.SetUp failed for volume "{volume["name"]}" : {kind} "{name}" not found')
                    break
                continue
            data = {**(obj.get("data") or {}), **(obj.get("binaryData") or {}), **(obj.get("stringData") or {})}
            missing = [str(item["key"]) for item in items if item["key"] not in data]
            if missing and not optional:
                found.append(
                    f'MountVolume.SetUp failed for volume "{volume["name"]}" : '
                    f"{kind} references non-existent config key: {missing[0]}"
                    if kind == "configmap"
                    else f'MountVolume.SetUp failed for volume "{volume["name"]}" : '
                    f"references non-existent secret key: {missing[0]}"
                )
                break
    return found


def _sources(volume: Object) -> list[tuple[str, str, list[Object], bool]]:
    """(kind, object name, items, optional) of each ConfigMap or Secret behind a volume."""
    parts = [volume, *get_in(volume, "projected", "sources", default=())]
    found = []
    for part in parts:
        if part.get("configMap"):
            source = part["configMap"]
            found.append(
                ("configmap", str(source["name"]), list(source.get("items") or ()), bool(source.get("optional")))
            )
        if part.get("secret"):
            source = part["secret"]
            name = str(source.get("secretName") or source.get("name"))
            found.append(("secret", name, list(source.get("items") or ()), bool(source.get("optional"))))
    return found


def config_error(client: Client, pod: Object, spec: Object) -> str:
    """The message of CreateContainerConfigError when an environment source is missing; "" when all is there."""
    namespace = namespace_of(pod)
    for source in spec.get("envFrom") or ():
        for key, resource, kind in (("configMapRef", "configmaps", "configmap"), ("secretRef", "secrets", "secret")):
            ref = source.get(key)
            if ref and not ref.get("optional") and client.find(resource, ref["name"], namespace) is None:
                return f'{kind} "{ref["name"]}" not found'
    for item in spec.get("env") or ():
        for key, resource, kind in (
            ("configMapKeyRef", "configmaps", "configmap"),
            ("secretKeyRef", "secrets", "secret"),
        ):
            ref = get_in(item, "valueFrom", key)
            if not ref or ref.get("optional"):
                continue
            obj = client.find(resource, ref["name"], namespace)
            if obj is None:
                return f'{kind} "{ref["name"]}" not found'
            if ref["key"] not in {**(obj.get("data") or {}), **(obj.get("stringData") or {})}:
                title = "ConfigMap" if kind == "configmap" else "Secret"
                return f"couldn't find key {ref['key']} in {title} {namespace}/{ref['name']}"
    return ""
