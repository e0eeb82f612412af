"""describe for config maps, secrets, namespaces, quotas, limit ranges, service accounts, priority classes."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from labsim.commands.kubectl.describers.base import quantity, yes
from labsim.kube.objects import Object, annotations_of, get_in, name_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page


def describe_config_map(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    page.labels_and_annotations(obj)
    page.line(0, "\nData\n====")
    for key, value in sorted((obj.get("data") or {}).items()):
        page.line(0, f"{key}:\n----\n{value}\n")
    page.line(0, "\nBinaryData\n====")
    for key, value in sorted((obj.get("binaryData") or {}).items()):
        page.line(0, f"{key}: {_size(value)} bytes")
    page.raw("\n")
    if events:
        page.events(obj)


def _size(value: object) -> int:
    return len(base64.b64decode(str(value)))


def describe_secret(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    page.labels_and_annotations(obj)
    page.line(0, f"\nType:\t{obj.get('type', '')}")
    page.line(0, "\nData\n====")
    for key, value in sorted((obj.get("data") or {}).items()):
        if key == "token" and obj.get("type") == "kubernetes.io/service-account-token":
            page.line(0, f"{key}:\t{base64.b64decode(value).decode()}")
        else:
            page.line(0, f"{key}:\t{_size(value)} bytes")


def describe_namespace(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    page.labels_and_annotations(obj)
    page.field("Status", get_in(obj, "status", "phase", default=""))
    conditions = get_in(obj, "status", "conditions", default=())
    if conditions:
        page.line(0, "Conditions:")
        page.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage")
        page.line(1, "----\t------\t------------------\t------\t-------")
        from labsim.commands.kubectl.describers.base import stamp

        for c in conditions:
            page.line(
                1,
                f"{c.get('type', '')}\t{c.get('status', '')}\t{stamp(c.get('lastTransitionTime'))}\t"
                f"{c.get('reason', '')}\t{c.get('message', '')}",
            )
    quotas = page.client.list("resourcequotas", name_of(obj))
    page.raw("\n")
    if quotas:
        page.line(0, "Resource Quotas")
        for quota in quotas:
            _quota_rows(page, quota)
    else:
        page.line(0, "No resource quota.")
    ranges = page.client.list("limitranges", name_of(obj))
    page.raw("\n")
    if ranges:
        page.line(0, "Resource Limits")
        page.line(1, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
        page.line(1, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
        for found in ranges:
            _limit_rows(page, found, " ")
    else:
        page.line(0, "No LimitRange resource.")


def _quota_rows(page: Page, quota: Object) -> None:
    page.line(1, f"Name:\t{name_of(quota)}")
    scopes = get_in(quota, "spec", "scopes", default=())
    if scopes:
        page.line(1, f"Scopes:\t{', '.join(sorted(scopes))}")
        for scope in sorted(scopes):
            if scope in _SCOPES:
                page.line(1, f"* {_SCOPES[scope]}")
    page.line(1, "Resource\tUsed\tHard")
    page.line(1, "--------\t---\t---")
    hard, used = get_in(quota, "status", "hard", default={}), get_in(quota, "status", "used", default={})
    for name in sorted(hard):
        page.line(1, f"{name}\t{quantity(used.get(name, '0'))}\t{quantity(hard[name])}")


_SCOPES = {
    "Terminating": (
        "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being "
        "actively terminated by the system."
    ),
    "NotTerminating": (
        "Matches all pods that do not have an active deadline. These pods usually include long running pods whose "
        "container command is not expected to terminate."
    ),
    "BestEffort": (
        "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."
    ),
    "NotBestEffort": (
        "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed "
        "quality of service."
    ),
}


def describe_quota(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    scopes = get_in(obj, "spec", "scopes", default=())
    if scopes:
        page.field("Scopes", ", ".join(sorted(scopes)))
        for scope in sorted(scopes):
            if scope in _SCOPES:
                page.line(0, f" * {_SCOPES[scope]}")
    page.line(0, "Resource\tUsed\tHard")
    page.line(0, "--------\t----\t----")
    hard, used = get_in(obj, "status", "hard", default={}), get_in(obj, "status", "used", default={})
    for name in sorted(hard):
        page.line(0, f"{name}\t{quantity(used.get(name, '0'))}\t{quantity(hard[name])}")


def describe_limit_range(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    page.line(0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
    page.line(0, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
    _limit_rows(page, obj, "")


def _limit_rows(page: Page, obj: Object, indent: str) -> None:
    columns = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")
    for item in get_in(obj, "spec", "limits", default=()):
        names = sorted({name for column in columns for name in item.get(column) or ()})
        for name in names:
            cells = [quantity(item[c][name]) if name in (item.get(c) or {}) else "-" for c in columns]
            page.raw(f"{indent}{item.get('type', '')}\t{name}\t" + "\t".join(cells) + "\n")


def describe_service_account(page: Page, obj: Object, events: bool) -> None:
    page.head(obj)
    page.labels_and_annotations(obj)
    page.lines("Image pull secrets:", [str(s.get("name", "")) for s in obj.get("imagePullSecrets") or ()])
    if obj.get("secrets"):
        page.lines("Mountable secrets:", [str(s.get("name", "")) for s in obj["secrets"]])
    if events:
        page.events(obj)


def describe_priority_class(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    page.field("Value", obj.get("value", 0))
    page.field("GlobalDefault", yes(obj.get("globalDefault")))
    page.field("PreemptionPolicy", obj.get("preemptionPolicy", "PreemptLowerPriority"))
    page.field("Description", obj.get("description", ""))
    page.annotations(annotations_of(obj))
    if events:
        page.events(obj)


def describe_storage_class(page: Page, obj: Object, events: bool) -> None:
    page.field("Name", name_of(obj))
    default = annotations_of(obj).get("storageclass.kubernetes.io/is-default-class") == "true"
    page.field("IsDefaultClass", "Yes" if default else "No")
    page.raw(
        "Annotations:\t" + (",".join(f"{k}={v}" for k, v in sorted(annotations_of(obj).items())) or "<none>") + "\n"
    )
    page.field("Provisioner", obj.get("provisioner", ""))
    page.field("Parameters", ",".join(f"{k}={v}" for k, v in sorted((obj.get("parameters") or {}).items())) or "<none>")
    page.field(
        "AllowVolumeExpansion",
        "<unset>" if obj.get("allowVolumeExpansion") is None else str(bool(obj["allowVolumeExpansion"])),
    )
    options = obj.get("mountOptions")
    if options:
        page.line(0, "MountOptions:")
        for option in options:
            page.line(1, option)
    else:
        page.field("MountOptions", "<none>")
    page.field("ReclaimPolicy", obj.get("reclaimPolicy", "<unset>"))
    page.field("VolumeBindingMode", obj.get("volumeBindingMode", "<unset>"))
    if events:
        page.events(obj)
