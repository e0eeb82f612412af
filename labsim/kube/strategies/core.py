"""Core kinds other than pods: namespaces, nodes, services, config, storage claims, events.

Source: kubernetes pkg/apis/core/v1/defaults.go and pkg/registry/core of 1.35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube import validation
from labsim.kube.errors import FieldError, forbidden_field, invalid_value, required, unsupported
from labsim.kube.objects import Object, get_in, merge_in, name_of, set_in
from labsim.kube.quantity import compare, milli
from labsim.kube.strategies.poddefaults import filled
from labsim.kube.strategies.podupdates import difference
from labsim.kube.strategies.podvalidation import NOT_NEGATIVE
from labsim.kube.strategy import Request, Strategy, field_path

if TYPE_CHECKING:
    pass

if TYPE_CHECKING:
    pass

# The kubelet's nodeStatusReportFrequency, and a quarter of nodeLeaseDurationSeconds.


MAX_DATA = 1024 * 1024
_QUOTA_NAMES = frozenset(
    {
        "configmaps",
        "cpu",
        "ephemeral-storage",
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "memory",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
        "requests.storage",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    }
)


class Namespaces(Strategy):
    fields = {"status.phase": field_path("status", "phase"), "name": name_of}

    def default(self, obj: Object) -> Object:
        obj = (
            merge_in(obj, ("metadata", "labels"), {"kubernetes.io/metadata.name": name_of(obj)})
            if name_of(obj)
            else obj
        )
        return {**obj, "spec": obj.get("spec") or {}}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        finalizers = list(get_in(obj, "spec", "finalizers", default=()))
        if "kubernetes" not in finalizers:
            finalizers.append("kubernetes")
        return {**obj, "spec": {**obj["spec"], "finalizers": finalizers}, "status": {"phase": "Active"}}

    def prepare_update(self, new: Object, old: Object, request: Request) -> Object:
        if request.subresource == "finalize":
            return set_in({**old, "metadata": new["metadata"]}, ("spec",), new["spec"])
        new = super().prepare_update(new, old, request)
        finalizers = get_in(old, "spec", "finalizers")
        return set_in(new, ("spec",), {"finalizers": finalizers} if finalizers else {})

    def holds(self, obj: Object) -> bool:
        return bool(get_in(obj, "spec", "finalizers"))

    def deleting(self, obj: Object) -> Object:
        return set_in(obj, ("status", "phase"), "Terminating")


def _frozen(new: Object, old: Object, *keys: str) -> list[FieldError]:
    """ConfigMaps and Secrets with `immutable: true`."""
    if not old.get("immutable"):
        return []
    detail = "field is immutable when `immutable` is set"
    found = [] if new.get("immutable") else [forbidden_field("immutable", detail)]
    return found + [forbidden_field(key, detail) for key in keys if (new.get(key) or {}) != (old.get(key) or {})]


def _data(obj: Object, *keys: str) -> list[FieldError]:
    found = []
    size = 0
    for key in keys:
        for name, value in sorted((obj.get(key) or {}).items()):
            found += [invalid_value(f"{key}[{name}]", name, text) for text in validation.config_map_key(name)]
            size += len(str(value).encode()) if key == "data" and "binaryData" in keys else len(str(value)) * 3 // 4
    if size > MAX_DATA:
        text = f"Too long: may not be more than {MAX_DATA} bytes"
        found.append(FieldError("" if "binaryData" in keys else "data", "FieldValueTooLong", text))
    return found


class ConfigMaps(Strategy):
    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        both = sorted(set(obj.get("data") or ()) & set(obj.get("binaryData") or ()))
        found = [invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData") for key in both]
        return found + _data(obj, "data", "binaryData")

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        return _frozen(new, old, "data", "binaryData")


_SECRET_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}


class Secrets(Strategy):
    fields = {"type": field_path("type")}

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        wanted = _SECRET_KEYS.get(str(obj.get("type")), ())
        missing = [required(f"data[{key}]") for key in wanted if key not in (obj.get("data") or {})]
        return _data(obj, "data") + missing

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        found = []
        if new.get("type") != old.get("type"):
            found.append(invalid_value("type", new.get("type"), "field is immutable"))
        return found + _frozen(new, old, "data")

    def default(self, obj: Object) -> Object:
        from base64 import b64encode

        obj = filled(obj, type="Opaque")
        if obj.get("stringData"):
            encoded = {k: b64encode(str(v).encode()).decode() for k, v in obj["stringData"].items()}
            obj = {**obj, "data": {**(obj.get("data") or {}), **encoded}}
        return {k: v for k, v in obj.items() if k != "stringData"}


class Events(Strategy):
    fields = {
        **{
            f"involvedObject.{key}": field_path("involvedObject", key)
            for key in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        },
        "reason": field_path("reason"),
        "reportingComponent": field_path("reportingComponent"),
        "source": lambda e: str(get_in(e, "source", "component", default="") or e.get("reportingComponent") or ""),
        "type": field_path("type"),
    }
    indexes = {"involvedObject.uid": lambda e: [u] if (u := get_in(e, "involvedObject", "uid", default="")) else []}


class PersistentVolumeClaims(Strategy):
    def default(self, obj: Object) -> Object:
        return {**obj, "spec": filled(obj.get("spec") or {}, volumeMode="Filesystem")}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"phase": "Pending"}}

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        spec = obj["spec"]
        found = []
        if not spec.get("accessModes"):
            found.append(required("spec.accessModes", "at least 1 access mode is required"))
        modes = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
        found += [unsupported("spec.accessModes", m, modes) for m in spec.get("accessModes") or () if m not in modes]
        if not get_in(spec, "resources", "requests", "storage"):
            found.append(required("spec.resources[storage]"))
        return found

    def validate_update(self, new: Object, old: Object, request: Request) -> list[FieldError]:
        """Only the size may grow, and the binder may name the volume once."""
        if request.subresource or request.trusted:
            return []

        def fixed(obj: Object) -> Object:
            free = ("resources", "volumeAttributesClassName")
            return {k: v for k, v in obj["spec"].items() if k not in free}

        if fixed(new) != fixed(old):
            detail = (
                "spec is immutable after creation except resources.requests and "
                "volumeAttributesClassName for bound claims\n"
            )
            text = difference(old["spec"], new["spec"], "core.PersistentVolumeClaimSpec")
            return [forbidden_field("spec", detail + text)]
        before, after = (get_in(o, "spec", "resources", "requests", "storage", default="0") for o in (old, new))
        if compare(str(after), str(before)) < 0:
            detail = "field can not be less than status.capacity"
            return [forbidden_field("spec.resources.requests.storage", detail)]
        return []


class PersistentVolumes(Strategy):
    def default(self, obj: Object) -> Object:
        spec = filled(obj.get("spec") or {}, persistentVolumeReclaimPolicy="Retain", volumeMode="Filesystem")
        return {**obj, "spec": spec}

    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {"phase": "Pending"}}


class ResourceQuotas(Strategy):
    def prepare_create(self, obj: Object, request: Request) -> Object:
        return {**obj, "status": {}}

    def validate(self, obj: Object, request: Request) -> list[FieldError]:
        found = []
        for name, value in sorted(get_in(obj, "spec", "hard", default={}).items()):
            path = f"spec.hard[{name}]"
            found += [invalid_value(path, name, text) for text in validation.qualified_name(name)]
            if "/" not in name and name not in _QUOTA_NAMES and not name.partition(".")[2].startswith("hugepages-"):
                found.append(invalid_value(path, name, "must be a standard resource type or fully qualified"))
                found.append(invalid_value(path, name, "must be a standard resource for quota"))
            if milli(str(value)) < 0:
                found.append(invalid_value(path, str(value), NOT_NEGATIVE))
        return found


class LimitRanges(Strategy):
    def default(self, obj: Object) -> Object:
        """A maximum serves as limit, a limit as request, where those are not given."""
        limits = []
        for item in get_in(obj, "spec", "limits", default=()):
            if item.get("type") == "Container":
                default = {**(item.get("max") or {}), **(item.get("default") or {})}
                request = {**(item.get("min") or {}), **default, **(item.get("defaultRequest") or {})}
                if default:
                    item = {**item, "default": default}
                if request:
                    item = {**item, "defaultRequest": request}
            limits.append(item)
        return set_in(obj, ("spec", "limits"), limits)


STRATEGIES: dict[str, type[Strategy]] = {
    "namespaces": Namespaces,
    "configmaps": ConfigMaps,
    "secrets": Secrets,
    "events": Events,
    "persistentvolumeclaims": PersistentVolumeClaims,
    "persistentvolumes": PersistentVolumes,
    "resourcequotas": ResourceQuotas,
    "limitranges": LimitRanges,
}
