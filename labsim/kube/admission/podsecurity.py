"""PodSecurity: the baseline and restricted standards, by the labels of a namespace.

Source: kubernetes staging/src/k8s.io/pod-security-admission (policy/check_*.go, admission/admission.go) of 1.35.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from labsim.kube.admission.base import Plugin, refused
from labsim.kube.objects import Object, get_in, labels_of, name_of, namespace_of
from labsim.kube.strategy import Request, Strategy

_LABEL = "pod-security.kubernetes.io/"
_TEMPLATES = {
    "podtemplates": ("template",),
    "replicationcontrollers": ("spec", "template"),
    "deployments.apps": ("spec", "template"),
    "replicasets.apps": ("spec", "template"),
    "daemonsets.apps": ("spec", "template"),
    "statefulsets.apps": ("spec", "template"),
    "jobs.batch": ("spec", "template"),
    "cronjobs.batch": ("spec", "jobTemplate", "spec", "template"),
}
_BASELINE_CAPABILITIES = frozenset(
    "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID "
    "SYS_CHROOT".split()
)
_SAFE_SYSCTLS = frozenset(
    "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_unprivileged_port_start net.ipv4.tcp_syncookies "
    "net.ipv4.ping_group_range net.ipv4.ip_local_reserved_ports net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout "
    "net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes net.ipv4.tcp_rmem net.ipv4.tcp_wmem".split()
)
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_RESTRICTED_VOLUMES = frozenset(
    "configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret".split()
)


def _containers(spec: Object) -> list[Object]:
    groups = ("initContainers", "containers", "ephemeralContainers")
    return [c for group in groups for c in spec.get(group) or ()]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _named(names: list[str], what: str = "container") -> str:
    return f"{what}{'s' if len(names) != 1 else ''} {_quoted(names)}"


def _host_namespaces(spec: Object) -> str:
    found = [f"{key}=true" for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key)]
    return f"host namespaces ({', '.join(found)})" if found else ""


def _host_paths(spec: Object) -> str:
    names = [v["name"] for v in spec.get("volumes") or () if v.get("hostPath") is not None]
    return f"hostPath volumes ({_named(names, 'volume')})" if names else ""


def _host_ports(spec: Object) -> str:
    names, ports = [], []
    for container in _containers(spec):
        own = [p["hostPort"] for p in container.get("ports") or () if p.get("hostPort")]
        if own:
            names.append(container["name"])
            ports += own
    if not ports:
        return ""
    listed = ", ".join(str(p) for p in sorted(set(ports)))
    verb, noun = ("uses", "hostPort") if len(names) == 1 else ("use", "hostPorts")
    noun = "hostPorts" if len(set(ports)) > 1 else noun
    return f"hostPort ({_named(names)} {verb} {noun} {listed})"


def _privileged(spec: Object) -> str:
    names = [c["name"] for c in _containers(spec) if get_in(c, "securityContext", "privileged")]
    return f"privileged ({_named(names)} must not set securityContext.privileged=true)" if names else ""


def _added(spec: Object, allowed: Iterable[str]) -> tuple[list[str], list[str]]:
    """Containers that add other capabilities, and those capabilities."""
    names, found = [], set()
    for container in _containers(spec):
        more = [c for c in get_in(container, "securityContext", "capabilities", "add", default=()) if c not in allowed]
        if more:
            names.append(container["name"])
            found.update(more)
    return names, sorted(found)


def _baseline_capabilities(spec: Object) -> str:
    names, found = _added(spec, _BASELINE_CAPABILITIES)
    if not names:
        return ""
    text = f"must not include {_quoted(found)} in securityContext.capabilities.add"
    return f"non-default capabilities ({_named(names)} {text})"


def _proc_mount(spec: Object) -> str:
    names, kinds = [], set()
    for container in _containers(spec):
        kind = get_in(container, "securityContext", "procMount", default="Default")
        if kind != "Default":
            names.append(container["name"])
            kinds.add(kind)
    return (
        f"procMount ({_named(names)} must not set securityContext.procMount to {_quoted(sorted(kinds))})"
        if names
        else ""
    )


def _selinux(spec: Object) -> str:
    setters: list[str] = []
    found: list[str] = []
    names = [c["name"] for c in _containers(spec) if _bad_selinux(c, found)]
    if _bad_selinux(spec, found):
        setters.append("pod")
    if names:
        setters.append(_named(names))
    if not setters:
        return ""
    said = "; ".join(dict.fromkeys(found))
    return f"seLinuxOptions ({' and '.join(setters)} set forbidden securityContext.seLinuxOptions: {said})"


def _bad_selinux(holder: Object, found: list[str]) -> bool:
    options = get_in(holder, "securityContext", "seLinuxOptions", default={})
    bad = []
    if options.get("type", "") not in _SELINUX_TYPES:
        bad.append(f'type "{options["type"]}"')
    bad += [f"{key} may not be set" for key in ("user", "role") if options.get(key)]
    found += bad
    return bool(bad)


def _seccomp_baseline(spec: Object) -> str:
    setters = []
    if get_in(spec, "securityContext", "seccompProfile", "type") == "Unconfined":
        setters.append("pod")
    names = [
        c["name"] for c in _containers(spec) if get_in(c, "securityContext", "seccompProfile", "type") == "Unconfined"
    ]
    if names:
        setters.append(_named(names))
    text = 'must not set securityContext.seccompProfile.type to "Unconfined"'
    return f"seccompProfile ({' and '.join(setters)} {text})" if setters else ""


def _sysctls(spec: Object) -> str:
    found = [
        s["name"] for s in get_in(spec, "securityContext", "sysctls", default=()) if s["name"] not in _SAFE_SYSCTLS
    ]
    return f"forbidden sysctls ({', '.join(found)})" if found else ""


def _escalation(spec: Object) -> str:
    names = [
        c["name"] for c in _containers(spec) if get_in(c, "securityContext", "allowPrivilegeEscalation") is not False
    ]
    if not names:
        return ""
    return (
        f"allowPrivilegeEscalation != false ({_named(names)} must set securityContext.allowPrivilegeEscalation=false)"
    )


def _restricted_capabilities(spec: Object) -> str:
    keeping = [
        c["name"]
        for c in _containers(spec)
        if "ALL" not in get_in(c, "securityContext", "capabilities", "drop", default=())
    ]
    names, found = _added(spec, ("NET_BIND_SERVICE",))
    parts = []
    if keeping:
        parts.append(f'{_named(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if names:
        parts.append(f"{_named(names)} must not include {_quoted(found)} in securityContext.capabilities.add")
    return f"unrestricted capabilities ({'; '.join(parts)})" if parts else ""


def _restricted_volumes(spec: Object) -> str:
    names, kinds = [], set()
    for volume in spec.get("volumes") or ():
        kind = next((k for k, v in volume.items() if k != "name" and v is not None), "emptyDir")
        if kind not in _RESTRICTED_VOLUMES:
            names.append(volume["name"])
            kinds.add(kind)
    if not names:
        return ""
    verb = "uses" if len(names) == 1 else "use"
    noun = "type" if len(kinds) == 1 else "types"
    return (
        f"restricted volume types ({_named(names, 'volume')} {verb} restricted volume {noun} {_quoted(sorted(kinds))})"
    )


def _non_root(spec: Object) -> str:
    bad: list[str] = []
    pod_value = get_in(spec, "securityContext", "runAsNonRoot")
    explicit, implicit = [], []
    for container in _containers(spec):
        value = get_in(container, "securityContext", "runAsNonRoot")
        if value is False:
            explicit.append(container["name"])
        elif value is None and not pod_value:
            implicit.append(container["name"])
    if pod_value is False:
        bad.append("pod")
    if explicit:
        bad.append(_named(explicit))
    if bad:
        return f"runAsNonRoot != true ({' and '.join(bad)} must not set securityContext.runAsNonRoot=false)"
    if implicit:
        return f"runAsNonRoot != true (pod or {_named(implicit)} must set securityContext.runAsNonRoot=true)"
    return ""


def _root_user(spec: Object) -> str:
    bad = ["pod"] if get_in(spec, "securityContext", "runAsUser") == 0 else []
    names = [c["name"] for c in _containers(spec) if get_in(c, "securityContext", "runAsUser") == 0]
    if names:
        bad.append(_named(names))
    return f"runAsUser=0 ({' and '.join(bad)} must not set runAsUser=0)" if bad else ""


def _seccomp_restricted(spec: Object) -> str:
    good = ("RuntimeDefault", "Localhost")
    pod_value = get_in(spec, "securityContext", "seccompProfile", "type")
    bad, explicit, implicit = [], [], []
    for container in _containers(spec):
        value = get_in(container, "securityContext", "seccompProfile", "type")
        if value is None:
            if pod_value not in good:
                implicit.append(container["name"])
        elif value not in good:
            explicit.append(container["name"])
    values = sorted({pod_value} - {None, *good})
    if values:
        bad.append("pod")
    if explicit:
        bad.append(_named(explicit))
        values = sorted(
            {
                *values,
                *(
                    get_in(c, "securityContext", "seccompProfile", "type")
                    for c in _containers(spec)
                    if c["name"] in explicit
                ),
            }
        )
    if bad:
        text = f"must not set securityContext.seccompProfile.type to {_quoted(values)}"
        return f"seccompProfile ({' and '.join(bad)} {text})"
    if implicit:
        text = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
        return f"seccompProfile (pod or {_named(implicit)} {text})"
    return ""


Check = Callable[[Object], str]
# In the order of their upstream ids; restricted replaces three of the baseline.
_COMMON: tuple[Check, ...] = (_host_ports, _privileged, _proc_mount, _selinux)
_BASELINE: tuple[Check, ...] = (
    _baseline_capabilities,
    _host_namespaces,
    _host_paths,
    *_COMMON,
    _seccomp_baseline,
    _sysctls,
)
_RESTRICTED: tuple[Check, ...] = (
    _host_namespaces,
    *_COMMON,
    _sysctls,
    _escalation,
    _restricted_capabilities,
    _restricted_volumes,
    _non_root,
    _root_user,
    _seccomp_restricted,
)
_LEVELS: dict[str, tuple[Check, ...]] = {"privileged": (), "baseline": _BASELINE, "restricted": _RESTRICTED}


def violations(level: str, spec: Object) -> list[str]:
    """What a pod spec does against a level, in the admission plugin's words."""
    return [text for check in _LEVELS.get(level, ()) if (text := check(spec))]


def policy(namespace: Object | None, mode: str) -> tuple[str, str]:
    """The level of a mode (enforce, audit, warn) and its `level:version` form."""
    labels = labels_of(namespace or {})
    level = labels.get(f"{_LABEL}{mode}", "privileged")
    if level not in _LEVELS:
        level = "restricted"  # upstream falls back to the strictest for a value it does not know
    return level, f"{level}:{labels.get(f'{_LABEL}{mode}-version', 'latest')}"


class PodSecurity(Plugin):
    def validate(self, strategy: Strategy, new: Object | None, old: Object | None, request: Request) -> None:
        if new is None or request.subresource == "status":
            return
        key = strategy.resource.key
        if key == "namespaces":
            if old is not None and labels_of(new) != labels_of(old):
                self._relabelled(new, old, request)
            return
        if key == "pods":
            if old is not None and old["spec"] == new["spec"]:
                return
            self._pod(strategy, new, request)
        elif key in _TEMPLATES:
            template = get_in(new, *_TEMPLATES[key])
            if template and (old is None or get_in(old, *_TEMPLATES[key]) != template):
                namespace = request.api.store.get("namespaces", "", namespace_of(new))
                self._warn(namespace, template.get("spec") or {}, request)

    def _pod(self, strategy: Strategy, pod: Object, request: Request) -> None:
        namespace = request.api.store.get("namespaces", "", namespace_of(pod))
        level, shown = policy(namespace, "enforce")
        found = violations(level, pod["spec"])
        if found:
            raise refused(strategy, pod, f'violates PodSecurity "{shown}": {", ".join(found)}')
        self._warn(namespace, pod["spec"], request)

    @staticmethod
    def _warn(namespace: Object | None, spec: Object, request: Request) -> None:
        level, shown = policy(namespace, "warn")
        found = violations(level, spec)
        if found:
            request.warnings.append(f'would violate PodSecurity "{shown}": {", ".join(found)}')

    @staticmethod
    def _relabelled(new: Object, old: Object, request: Request) -> None:
        """A stricter enforce level touches no running pod, but says which ones it would refuse."""
        level, shown = policy(new, "enforce")
        order = list(_LEVELS)
        if order.index(level) <= order.index(policy(old, "enforce")[0]):
            return
        by_reasons: dict[str, list[str]] = {}
        for pod in request.api.store.list("pods", name_of(new)):
            found = violations(level, pod["spec"])
            if found:
                # Only the heads: upstream groups pods by them.
                heads = ", ".join(text.partition(" (")[0] for text in found)
                by_reasons.setdefault(heads, []).append(name_of(pod))
        if not by_reasons:
            return
        request.warnings.append(
            f'existing pods in namespace "{name_of(new)}" violate the new PodSecurity enforce level "{shown}"'
        )
        lines: list[tuple[str, Any]] = []
        for heads, pods in by_reasons.items():
            more = len(pods) - 1
            suffix = f" (and {more} other pod{'s' if more > 1 else ''})" if more else ""
            lines.append((pods[0], f"{pods[0]}{suffix}: {heads}"))
        request.warnings.extend(text for _, text in sorted(lines))
