"""Validation of a pod spec, in pods and in templates (kubernetes pkg/apis/core/validation/validation.go of 1.35)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from labsim.kube import validation
from labsim.kube.errors import (
    FieldError,
    duplicate,
    field_not_found,
    forbidden_field,
    invalid_value,
    required,
    unsupported,
)
from labsim.kube.metadata import validate_labels
from labsim.kube.objects import Object, get_in
from labsim.kube.quantity import compare, parse

_STANDARD_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage"})
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_INT32 = 2**31 - 1
NOT_NEGATIVE = "must be greater than or equal to 0"


def validate_pod_spec(spec: Object, path: str = "spec") -> list[FieldError]:
    found: list[FieldError] = []
    volumes = _volumes(spec.get("volumes") or (), f"{path}.volumes", found)
    if not spec.get("containers"):
        found.append(required(f"{path}.containers"))
    seen: list[str] = []
    host_network = bool(spec.get("hostNetwork"))
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for index, container in enumerate(spec.get(group) or ()):
            where = f"{path}.{group}[{index}]"
            found += _container(container, where, volumes, host_network, group)
            name = container.get("name")
            if name in seen:
                found.append(duplicate(f"{where}.name", name))
            elif name:
                seen.append(name)
    found += _one_of(spec, "restartPolicy", ("Always", "OnFailure", "Never"), path)
    found += _one_of(spec, "dnsPolicy", ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"), path)
    found += validate_labels(spec.get("nodeSelector") or {}, f"{path}.nodeSelector")
    for key in ("serviceAccountName", "priorityClassName", "runtimeClassName", "nodeName"):
        if spec.get(key):
            found += _texts(f"{path}.{key}", spec[key], validation.dns1123_subdomain)
    if spec.get("hostname"):
        found += _texts(f"{path}.hostname", spec["hostname"], validation.dns1123_label)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _INT32:
        detail = f"must be between 1 and {_INT32}, inclusive"
        found.append(invalid_value(f"{path}.activeDeadlineSeconds", deadline, detail))
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        found.append(invalid_value(f"{path}.terminationGracePeriodSeconds", grace, NOT_NEGATIVE))
    found += validate_tolerations(spec.get("tolerations") or (), f"{path}.tolerations")
    found += _affinity(spec.get("affinity") or {}, f"{path}.affinity")
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        found += _spread(constraint, f"{path}.topologySpreadConstraints[{index}]")
    return found


def _texts(path: str, value: Any, check: Callable[[str], Iterable[str]]) -> list[FieldError]:
    return [invalid_value(path, value, text) for text in check(str(value))]


def _one_of(obj: Object, key: str, allowed: Sequence[str], path: str) -> list[FieldError]:
    value = obj.get(key)
    if value is None or value in allowed:
        return []
    return [unsupported(f"{path}.{key}", value, allowed)]


def _container(
    container: Object, path: str, volumes: Sequence[str], host_network: bool, group: str
) -> list[FieldError]:
    found: list[FieldError] = []
    if not container.get("name"):
        found.append(required(f"{path}.name"))
    else:
        found += _texts(f"{path}.name", container["name"], validation.dns1123_label)
    image = str(container.get("image") or "")
    if not image:
        found.append(required(f"{path}.image"))
    elif image != image.strip():
        found.append(invalid_value(f"{path}.image", image, "must not have leading or trailing whitespace"))
    found += _one_of(container, "imagePullPolicy", ("Always", "IfNotPresent", "Never"), path)
    found += _one_of(container, "terminationMessagePolicy", ("FallbackToLogsOnError", "File"), path)
    if group == "initContainers" and container.get("restartPolicy") not in (None, "Always", "OnFailure", "Never"):
        found.append(unsupported(f"{path}.restartPolicy", container["restartPolicy"], ("Always", "OnFailure", "Never")))
    found += _ports(container.get("ports") or (), f"{path}.ports", host_network)
    for index, item in enumerate(container.get("env") or ()):
        found += _env(item, f"{path}.env[{index}]")
    for index, source in enumerate(container.get("envFrom") or ()):
        where = f"{path}.envFrom[{index}]"
        refs = [k for k in ("configMapRef", "secretRef") if source.get(k) is not None]
        if not refs:
            found.append(invalid_value(where, "", "must specify one of: `configMapRef` or `secretRef`"))
        for key in refs:
            if not source[key].get("name"):
                found.append(required(f"{where}.{key}.name"))
    mounts: list[str] = []
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        where = f"{path}.volumeMounts[{index}]"
        name, target = mount.get("name"), mount.get("mountPath")
        if not name:
            found.append(required(f"{where}.name"))
        elif name not in volumes:
            found.append(field_not_found(f"{where}.name", name))
        if not target:
            found.append(required(f"{where}.mountPath"))
        elif target in mounts:
            found.append(invalid_value(f"{where}.mountPath", target, "must be unique"))
        mounts.append(str(target))
    found += _resources(container.get("resources") or {}, f"{path}.resources")
    plain_init = group == "initContainers" and container.get("restartPolicy") != "Always"
    for key in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(key)
        if probe is None:
            continue
        if plain_init:
            detail = "must not be set for init containers without restartPolicy=Always"
            found.append(forbidden_field(f"{path}.{key}", detail))
            continue
        found += _probe(probe, f"{path}.{key}", key)
    security = container.get("securityContext") or {}
    if security.get("privileged") and security.get("allowPrivilegeEscalation") is False:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        found.append(invalid_value(f"{path}.securityContext", security, detail))
    return found


def _ports(ports: Sequence[Object], path: str, host_network: bool) -> list[FieldError]:
    found: list[FieldError] = []
    names: list[str] = []
    for index, port in enumerate(ports):
        where = f"{path}[{index}]"
        if port.get("name"):
            found += _texts(f"{where}.name", port["name"], validation.port_name)
            if port["name"] in names:
                found.append(duplicate(f"{where}.name", port["name"]))
            names.append(port["name"])
        number = port.get("containerPort")
        if not number:
            found.append(required(f"{where}.containerPort"))
        else:
            found += [invalid_value(f"{where}.containerPort", number, t) for t in validation.port_number(number)]
        host = port.get("hostPort")
        if host:
            found += [invalid_value(f"{where}.hostPort", host, t) for t in validation.port_number(host)]
            if host_network and host != number:
                detail = "must match `hostPort` when `hostNetwork` is true"
                found.append(invalid_value(f"{where}.containerPort", number, detail))
        found += _one_of(port, "protocol", ("SCTP", "TCP", "UDP"), where)
    return found


def _env(item: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    if not item.get("name"):
        found.append(required(f"{path}.name"))
    else:
        found += _texts(f"{path}.name", item["name"], validation.env_var_name_relaxed)
    source = item.get("valueFrom")
    if source is None:
        return found
    kinds = [
        k for k in ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef") if source.get(k) is not None
    ]
    where = f"{path}.valueFrom"
    if not kinds:
        detail = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        )
        found.append(invalid_value(where, "", detail))
    elif item.get("value"):
        found.append(invalid_value(where, "", "may not be specified when `value` is not empty"))
    elif len(kinds) > 1:
        found.append(invalid_value(where, "", "may not have more than one field specified at a time"))
    for key in kinds:
        if key.endswith("KeyRef"):
            for part in ("name", "key"):
                if not source[key].get(part):
                    found.append(required(f"{where}.{key}.{part}"))
    return found


def _probe(probe: Object, path: str, kind: str) -> list[FieldError]:
    found: list[FieldError] = []
    handlers = [h for h in _HANDLERS if probe.get(h) is not None]
    if not handlers:
        found.append(required(path, "must specify a handler type"))
    for extra in handlers[1:]:
        found.append(forbidden_field(f"{path}.{extra}", "may not specify more than 1 handler type"))
    for key in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        if int(probe.get(key) or 0) < 0:
            found.append(invalid_value(f"{path}.{key}", probe[key], NOT_NEGATIVE))
    if kind != "readinessProbe" and probe.get("successThreshold") not in (None, 1):
        found.append(invalid_value(f"{path}.successThreshold", probe["successThreshold"], "must be 1"))
    if get_in(probe, "exec") is not None and not get_in(probe, "exec", "command"):
        found.append(required(f"{path}.exec.command"))
    return found


def is_extended(name: str) -> bool:
    """A device-like resource: whole numbers, never overcommitted."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def may_overcommit(name: str) -> bool:
    native = "/" not in name or "kubernetes.io/" in name
    return native and not name.startswith("hugepages-")


def _resource_name(name: str, path: str) -> list[FieldError]:
    found = _texts(path, name, validation.qualified_name)
    if "/" not in name and name not in _STANDARD_RESOURCES and not name.startswith("hugepages-"):
        found.append(invalid_value(path, name, "must be a standard resource type or fully qualified"))
        found.append(invalid_value(path, name, "must be a standard resource for containers"))
    return found


def _resources(resources: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for kind, values in (("limits", limits), ("requests", requests)):
        for name, value in sorted(values.items()):
            where = f"{path}.{kind}[{name}]"
            found += _resource_name(name, where)
            number = parse(str(value)).value
            if number < 0:
                found.append(invalid_value(where, str(value), NOT_NEGATIVE))
            if (is_extended(name) or name.startswith("hugepages-")) and number != int(number):
                found.append(invalid_value(where, str(value), "must be an integer"))
            if kind == "limits" and name in requests:
                asked = str(requests[name])
                if not may_overcommit(name) and compare(str(value), asked) != 0:
                    found.append(invalid_value(f"{path}.requests", asked, f"must be equal to {name} limit of {value}"))
                elif compare(asked, str(value)) > 0:
                    detail = f"must be less than or equal to {name} limit of {value}"
                    found.append(invalid_value(f"{path}.requests", asked, detail))
            elif kind == "requests" and name not in limits and not may_overcommit(name):
                found.append(required(f"{path}.limits", "Limit must be set for non overcommitable resources"))
    return found


_SOURCES: dict[str, tuple[str, ...]] = {
    "hostPath": ("path",),
    "persistentVolumeClaim": ("claimName",),
    "secret": ("secretName",),
    "configMap": ("name",),
    "nfs": ("server", "path"),
    "csi": ("driver",),
}


def _volumes(volumes: Sequence[Object], path: str, found: list[FieldError]) -> list[str]:
    """The names of the volumes; errors go to `found`."""
    names: list[str] = []
    for index, volume in enumerate(volumes):
        where = f"{path}[{index}]"
        kinds = [k for k, v in volume.items() if k != "name" and v is not None]
        for extra in kinds[1:]:
            found.append(forbidden_field(f"{where}.{extra}", "may not specify more than 1 volume type"))
        for kind in kinds[:1]:
            for key in _SOURCES.get(kind, ()):
                if not volume[kind].get(key):
                    found.append(required(f"{where}.{kind}.{key}"))
        name = volume.get("name")
        if not name:
            found.append(required(f"{where}.name"))
            continue
        found += _texts(f"{where}.name", name, validation.dns1123_label)
        if name in names:
            found.append(duplicate(f"{where}.name", name))
        names.append(str(name))
    return names


def validate_tolerations(tolerations: Sequence[Object], path: str) -> list[FieldError]:
    found: list[FieldError] = []
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        if key:
            found += _texts(f"{where}.key", key, validation.qualified_name)
        elif operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            found.append(invalid_value(f"{where}.operator", operator, detail))
        if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            found.append(invalid_value(f"{where}.effect", toleration.get("effect") or "", detail))
        if operator in ("Equal", ""):
            found += _texts(f"{where}.operator", toleration.get("value") or "", validation.label_value)
        elif operator == "Exists":
            if toleration.get("value"):
                detail = "value must be empty when `operator` is 'Exists'"
                found.append(invalid_value(f"{where}.operator", toleration, detail))
        else:
            found.append(unsupported(f"{where}.operator", operator, ("Equal", "Exists")))
        effect = toleration.get("effect")
        if effect and effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
            found.append(unsupported(f"{where}.effect", effect, ("NoSchedule", "PreferNoSchedule", "NoExecute")))
    return found


def _affinity(affinity: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    node = f"{path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    needed = get_in(affinity, "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if needed is not None:
        if not needed.get("nodeSelectorTerms"):
            found.append(required(f"{node}.nodeSelectorTerms", "must have at least one node selector term"))
        for index, term in enumerate(needed.get("nodeSelectorTerms") or ()):
            for number, expression in enumerate(term.get("matchExpressions") or ()):
                found += _expression(expression, f"{node}.nodeSelectorTerms[{index}].matchExpressions[{number}]")
    for kind in ("podAffinity", "podAntiAffinity"):
        where = f"{path}.{kind}.requiredDuringSchedulingIgnoredDuringExecution"
        for index, term in enumerate(
            get_in(affinity, kind, "requiredDuringSchedulingIgnoredDuringExecution", default=())
        ):
            if not term.get("topologyKey"):
                found.append(required(f"{where}[{index}].topologyKey", "can not be empty"))
    return found


def _expression(expression: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    operator, values = expression.get("operator"), expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            found.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            found.append(forbidden_field(f"{path}.values", detail))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            found.append(required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'"))
    else:
        found.append(invalid_value(f"{path}.operator", operator or "", "not a valid selector operator"))
    return found + _texts(f"{path}.key", expression.get("key") or "", validation.qualified_name)


def _spread(constraint: Object, path: str) -> list[FieldError]:
    found: list[FieldError] = []
    skew = int(constraint.get("maxSkew") or 0)
    if skew <= 0:
        found.append(invalid_value(f"{path}.maxSkew", skew, "must be greater than zero"))
    if not constraint.get("topologyKey"):
        found.append(required(f"{path}.topologyKey", "can not be empty"))
    return found + _one_of(constraint, "whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), path)
