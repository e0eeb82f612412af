"""Plugins that complete a new pod: service account, priority, tolerations, runtime class."""

from __future__ import annotations

from labsim.kube.admission.base import Plugin, refused
from labsim.kube.objects import Object, annotations_of, get_in, name_of, namespace_of, set_in, uid_of
from labsim.kube.strategy import Request, Strategy
from labsim.sim import names

MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3607  # an hour and the seven seconds by which upstream tells its own tokens from others
NODE_CRITICAL, CLUSTER_CRITICAL = 2_000_001_000, 2_000_000_000
_SYSTEM_CLASSES = {"system-node-critical": NODE_CRITICAL, "system-cluster-critical": CLUSTER_CRITICAL}
_TOLERATED_SECONDS = 300  # --default-not-ready-toleration-seconds and its twin for unreachable


def is_mirror(pod: Object) -> bool:
    return "kubernetes.io/config.mirror" in annotations_of(pod)


class PodPlugin(Plugin):
    """Acts on new pods only."""

    def admit(self, strategy: Strategy, new: Object, old: Object | None, request: Request) -> Object:
        if old is not None or strategy.resource.key != "pods":
            return new
        return self.complete(strategy, new, request)

    def complete(self, strategy: Strategy, pod: Object, request: Request) -> Object:
        raise NotImplementedError


class ServiceAccounts(PodPlugin):
    """The account's name, its pull secrets, and the volume with its token."""

    def complete(self, strategy: Strategy, pod: Object, request: Request) -> Object:
        if is_mirror(pod):
            return pod
        spec = dict(pod["spec"])
        name = str(spec.get("serviceAccountName") or "default")
        namespace = namespace_of(pod)
        account = request.api.store.get("serviceaccounts", namespace, name)
        if account is None and name != "default":
            detail = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
            raise refused(strategy, pod, detail)
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        secrets = (account or {}).get("imagePullSecrets")
        if secrets and not spec.get("imagePullSecrets"):
            spec["imagePullSecrets"] = secrets
        wanted = spec.get("automountServiceAccountToken")
        if wanted is None:
            wanted = (account or {}).get("automountServiceAccountToken", True)
        return {**pod, "spec": _mount(spec, pod, request) if wanted else spec}


def _mount(spec: Object, pod: Object, request: Request) -> Object:
    volume = f"kube-api-access-{names.suffix(request.api.seed, 'kube-api-access', uid_of(pod))}"
    mount = {"name": volume, "readOnly": True, "mountPath": MOUNT_PATH}
    used = False
    for group in ("initContainers", "containers"):
        if not spec.get(group):
            continue
        changed = []
        for container in spec[group]:
            mounts = container.get("volumeMounts") or []
            if all(m.get("mountPath") != MOUNT_PATH for m in mounts):
                container = {**container, "volumeMounts": [*mounts, mount]}
                used = True
            changed.append(container)
        spec = {**spec, group: changed}
    if used:
        spec = {**spec, "volumes": [*(spec.get("volumes") or ()), {"name": volume, "projected": _TOKEN_VOLUME}]}
    return spec


_TOKEN_VOLUME = {
    "sources": [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {
            "downwardAPI": {
                "items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]
            }
        },
    ],
    "defaultMode": 420,
}


class Priority(PodPlugin):
    def complete(self, strategy: Strategy, pod: Object, request: Request) -> Object:
        spec = pod["spec"]
        name, policy = spec.get("priorityClassName") or "", "PreemptLowerPriority"
        store = request.api.store
        if name:
            found = store.get("priorityclasses.scheduling.k8s.io", "", name)
            if found is None and name not in _SYSTEM_CLASSES:
                raise refused(strategy, pod, f"no PriorityClass with name {name} was found")
            value = int(found["value"]) if found is not None else _SYSTEM_CLASSES[name]
        else:
            defaults = [c for c in store.list("priorityclasses.scheduling.k8s.io") if c.get("globalDefault")]
            found = min(defaults, key=lambda c: int(c["value"])) if defaults else None
            value = int(found["value"]) if found is not None else 0
            name = name_of(found) if found is not None else ""
        policy = (found or {}).get("preemptionPolicy") or policy
        given = spec.get("priority")
        if given is not None and int(given) != value:
            detail = (
                f"the integer value of priority ({given}) must not be provided in pod spec; "
                f"priority admission controller computed {value} from the given PriorityClass name"
            )
            raise refused(strategy, pod, detail)
        if spec.get("preemptionPolicy") not in (None, policy):
            detail = (
                f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
                f"priority admission controller computed {policy} from the given PriorityClass name"
            )
            raise refused(strategy, pod, detail)
        added = {"priority": value, "preemptionPolicy": policy}
        if name:
            added["priorityClassName"] = name
        return {**pod, "spec": {**spec, **added}}


class DefaultTolerations(PodPlugin):
    """Five minutes on a node that is not ready or cannot be reached."""

    def complete(self, strategy: Strategy, pod: Object, request: Request) -> Object:
        tolerations = list(get_in(pod, "spec", "tolerations", default=()))
        before = len(tolerations)
        for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"):
            if not any(
                t.get("key") in (key, None, "") and t.get("effect") in ("NoExecute", None, "")
                for t in tolerations[:before]
            ):
                tolerations.append(
                    {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _TOLERATED_SECONDS}
                )
        return set_in(pod, ("spec", "tolerations"), tolerations) if len(tolerations) > before else pod


class RuntimeClasses(PodPlugin):
    """Overhead, node selector and tolerations of the pod's runtime class."""

    def complete(self, strategy: Strategy, pod: Object, request: Request) -> Object:
        name = get_in(pod, "spec", "runtimeClassName")
        if not name:
            return pod
        found = request.api.store.get("runtimeclasses.node.k8s.io", "", name)
        if found is None:
            raise refused(strategy, pod, f'pod rejected: RuntimeClass "{name}" not found')
        spec = pod["spec"]
        overhead = get_in(found, "overhead", "podFixed")
        if overhead:
            spec = {**spec, "overhead": overhead}
        selector = get_in(found, "scheduling", "nodeSelector", default={})
        own = spec.get("nodeSelector") or {}
        for key, value in selector.items():
            if own.get(key, value) != value:
                detail = (
                    f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                    f"pod.spec.nodeSelector[{key}] = {own[key]}"
                )
                raise refused(strategy, pod, detail)
        if selector:
            spec = {**spec, "nodeSelector": {**own, **selector}}
        more = get_in(found, "scheduling", "tolerations", default=())
        if more:
            kept = spec.get("tolerations") or []
            spec = {**spec, "tolerations": [*kept, *(t for t in more if t not in kept)]}
        return {**pod, "spec": spec}
