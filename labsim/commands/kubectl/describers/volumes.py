"""The Volumes block: one small table of fields a kind of volume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.describers.base import quantity, yes
from labsim.kube.objects import Object

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page

Fields = list[tuple[str, Any]]


def write_volumes(page: Page, volumes: Sequence[Object], space: str = "") -> None:
    if not volumes:
        page.raw(f"{space}Volumes:\t<none>\n")
        return
    page.raw(f"{space}Volumes:\n")
    for volume in volumes:
        page.line(1, f"{' ' if space else ''}{volume.get('name', '')}:")
        write_source(page, volume)


def write_source(page: Page, volume: Object) -> None:
    for source, write in _SOURCES.items():
        if volume.get(source) is not None:
            for label, value in write(volume[source]):
                page.line(2, f"{label}:\t{value}")
            return
    if volume.get("downwardAPI") is not None:
        page.field("Type", "DownwardAPI (a volume populated by information about the pod)", 2)
        page.line(2, "Items:")
        for item in volume["downwardAPI"].get("items") or ():
            if item.get("fieldRef"):
                page.line(3, f"{item['fieldRef'].get('fieldPath', '')} -> {item.get('path', '')}")
            else:
                page.line(3, f"{(item.get('resourceFieldRef') or {}).get('resource', '')} -> {item.get('path', '')}")
        return
    page.line(2, "<unknown>")


def _host_path(source: Object) -> Fields:
    return [
        ("Type", "HostPath (bare host directory volume)"),
        ("Path", source.get("path", "")),
        ("HostPathType", source.get("type") or ""),
    ]


def _empty_dir(source: Object) -> Fields:
    limit = source.get("sizeLimit")
    return [
        ("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)"),
        ("Medium", source.get("medium") or ""),
        ("SizeLimit", quantity(limit) if limit not in (None, "0", 0) else "<unset>"),
    ]


def _config_map(source: Object) -> Fields:
    return [
        ("Type", "ConfigMap (a volume populated by a ConfigMap)"),
        ("Name", source.get("name", "")),
        ("Optional", yes(source.get("optional"))),
    ]


def _secret(source: Object) -> Fields:
    return [
        ("Type", "Secret (a volume populated by a Secret)"),
        ("SecretName", source.get("secretName", "")),
        ("Optional", yes(source.get("optional"))),
    ]


def _claim(source: Object) -> Fields:
    return [
        ("Type", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)"),
        ("ClaimName", source.get("claimName", "")),
        ("ReadOnly", yes(source.get("readOnly"))),
    ]


def _projected(source: Object) -> Fields:
    out: Fields = [("Type", "Projected (a volume that contains injected data from multiple sources)")]
    for part in source.get("sources") or ():
        if part.get("secret") is not None:
            out += [("SecretName", part["secret"].get("name", "")), ("Optional", yes(part["secret"].get("optional")))]
        elif part.get("downwardAPI") is not None:
            out.append(("DownwardAPI", "true"))
        elif part.get("configMap") is not None:
            ref = part["configMap"]
            out += [("ConfigMapName", ref.get("name", "")), ("Optional", yes(ref.get("optional")))]
        elif part.get("serviceAccountToken") is not None:
            out.append(("TokenExpirationSeconds", part["serviceAccountToken"].get("expirationSeconds", 3600)))
    return out


def _nfs(source: Object) -> Fields:
    return [
        ("Type", "NFS (an NFS mount that lasts the lifetime of a pod)"),
        ("Server", source.get("server", "")),
        ("Path", source.get("path", "")),
        ("ReadOnly", yes(source.get("readOnly"))),
    ]


def _local(source: Object) -> Fields:
    return [
        ("Type", "LocalVolume (a persistent volume backed by local storage on a node)"),
        ("Path", source.get("path", "")),
    ]


def _csi(source: Object) -> Fields:
    out: Fields = [
        ("Type", "CSI (a Container Storage Interface (CSI) volume source)"),
        ("Driver", source.get("driver", "")),
        ("FSType", source.get("fsType") or ""),
    ]
    if source.get("volumeHandle"):
        out.append(("VolumeHandle", source["volumeHandle"]))
    out.append(("ReadOnly", yes(source.get("readOnly"))))
    return out


_SOURCES = {
    "hostPath": _host_path,
    "emptyDir": _empty_dir,
    "configMap": _config_map,
    "secret": _secret,
    "persistentVolumeClaim": _claim,
    "projected": _projected,
    "nfs": _nfs,
    "local": _local,
    "csi": _csi,
}
