"""The resources a 1.35 API server serves without any CRD, and labsim's hidden ones: names, scopes, short names.

Source: `kubectl api-resources -o wide` of 1.35 (storage versions only; beta groups are off by default).
Order of groups: as in the API server's group list, legacy core first.
"""

from __future__ import annotations

from labsim.kube.scheme import ALL_VERBS, Resource

_NAMESPACED, _CLUSTER = True, False
_CREATE = ("create",)
# group, version -> rows of (plural, kind, namespaced, short names, categories, subresources[, verbs])
_Row = tuple[str, str, bool, str, str, str] | tuple[str, str, bool, str, str, str, tuple[str, ...]]
_ROWS: tuple[tuple[str, str, tuple[_Row, ...]], ...] = (
    (
        "",
        "v1",
        (
            ("bindings", "Binding", _NAMESPACED, "", "", "", _CREATE),
            ("componentstatuses", "ComponentStatus", _CLUSTER, "cs", "", "", ("get", "list")),
            ("configmaps", "ConfigMap", _NAMESPACED, "cm", "", ""),
            ("endpoints", "Endpoints", _NAMESPACED, "ep", "", ""),
            ("events", "Event", _NAMESPACED, "ev", "", ""),
            ("limitranges", "LimitRange", _NAMESPACED, "limits", "", ""),
            ("namespaces", "Namespace", _CLUSTER, "ns", "", "finalize status"),
            ("nodes", "Node", _CLUSTER, "no", "", "proxy status"),
            ("persistentvolumeclaims", "PersistentVolumeClaim", _NAMESPACED, "pvc", "", "status"),
            ("persistentvolumes", "PersistentVolume", _CLUSTER, "pv", "", "status"),
            (
                "pods",
                "Pod",
                _NAMESPACED,
                "po",
                "all",
                "attach binding ephemeralcontainers eviction exec log portforward proxy resize status",
            ),
            ("podtemplates", "PodTemplate", _NAMESPACED, "", "", ""),
            ("replicationcontrollers", "ReplicationController", _NAMESPACED, "rc", "all", "scale status"),
            ("resourcequotas", "ResourceQuota", _NAMESPACED, "quota", "", "status"),
            ("secrets", "Secret", _NAMESPACED, "", "", ""),
            ("serviceaccounts", "ServiceAccount", _NAMESPACED, "sa", "", "token"),
            ("services", "Service", _NAMESPACED, "svc", "all", "proxy status"),
        ),
    ),
    ("apiregistration.k8s.io", "v1", (("apiservices", "APIService", _CLUSTER, "", "api-extensions", "status"),)),
    (
        "apps",
        "v1",
        (
            ("controllerrevisions", "ControllerRevision", _NAMESPACED, "", "", ""),
            ("daemonsets", "DaemonSet", _NAMESPACED, "ds", "all", "status"),
            ("deployments", "Deployment", _NAMESPACED, "deploy", "all", "scale status"),
            ("replicasets", "ReplicaSet", _NAMESPACED, "rs", "all", "scale status"),
            ("statefulsets", "StatefulSet", _NAMESPACED, "sts", "all", "scale status"),
        ),
    ),
    ("events.k8s.io", "v1", (("events", "Event", _NAMESPACED, "ev", "", ""),)),
    (
        "authentication.k8s.io",
        "v1",
        (
            ("selfsubjectreviews", "SelfSubjectReview", _CLUSTER, "", "", "", _CREATE),
            ("tokenreviews", "TokenReview", _CLUSTER, "", "", "", _CREATE),
        ),
    ),
    (
        "authorization.k8s.io",
        "v1",
        (
            ("localsubjectaccessreviews", "LocalSubjectAccessReview", _NAMESPACED, "", "", "", _CREATE),
            ("selfsubjectaccessreviews", "SelfSubjectAccessReview", _CLUSTER, "", "", "", _CREATE),
            ("selfsubjectrulesreviews", "SelfSubjectRulesReview", _CLUSTER, "", "", "", _CREATE),
            ("subjectaccessreviews", "SubjectAccessReview", _CLUSTER, "", "", "", _CREATE),
        ),
    ),
    (
        "autoscaling",
        "v2",
        (("horizontalpodautoscalers", "HorizontalPodAutoscaler", _NAMESPACED, "hpa", "all", "status"),),
    ),
    (
        "batch",
        "v1",
        (
            ("cronjobs", "CronJob", _NAMESPACED, "cj", "all", "status"),
            ("jobs", "Job", _NAMESPACED, "", "all", "status"),
        ),
    ),
    (
        "certificates.k8s.io",
        "v1",
        (("certificatesigningrequests", "CertificateSigningRequest", _CLUSTER, "csr", "", "approval status"),),
    ),
    (
        "networking.k8s.io",
        "v1",
        (
            ("ingressclasses", "IngressClass", _CLUSTER, "", "", ""),
            ("ingresses", "Ingress", _NAMESPACED, "ing", "", "status"),
            ("ipaddresses", "IPAddress", _CLUSTER, "ip", "", ""),
            ("networkpolicies", "NetworkPolicy", _NAMESPACED, "netpol", "", ""),
            ("servicecidrs", "ServiceCIDR", _CLUSTER, "", "", "status"),
        ),
    ),
    (
        "policy",
        "v1",
        (("poddisruptionbudgets", "PodDisruptionBudget", _NAMESPACED, "pdb", "", "status"),),
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        (
            ("clusterrolebindings", "ClusterRoleBinding", _CLUSTER, "", "", ""),
            ("clusterroles", "ClusterRole", _CLUSTER, "", "", ""),
            ("rolebindings", "RoleBinding", _NAMESPACED, "", "", ""),
            ("roles", "Role", _NAMESPACED, "", "", ""),
        ),
    ),
    (
        "storage.k8s.io",
        "v1",
        (
            ("csidrivers", "CSIDriver", _CLUSTER, "", "", ""),
            ("csinodes", "CSINode", _CLUSTER, "", "", ""),
            ("csistoragecapacities", "CSIStorageCapacity", _NAMESPACED, "", "", ""),
            ("storageclasses", "StorageClass", _CLUSTER, "sc", "", ""),
            ("volumeattachments", "VolumeAttachment", _CLUSTER, "", "", "status"),
            ("volumeattributesclasses", "VolumeAttributesClass", _CLUSTER, "vac", "", ""),
        ),
    ),
    (
        "admissionregistration.k8s.io",
        "v1",
        (
            ("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", _CLUSTER, "", "api-extensions", ""),
            ("validatingadmissionpolicies", "ValidatingAdmissionPolicy", _CLUSTER, "", "api-extensions", "status"),
            (
                "validatingadmissionpolicybindings",
                "ValidatingAdmissionPolicyBinding",
                _CLUSTER,
                "",
                "api-extensions",
                "",
            ),
            ("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", _CLUSTER, "", "api-extensions", ""),
        ),
    ),
    (
        "apiextensions.k8s.io",
        "v1",
        (("customresourcedefinitions", "CustomResourceDefinition", _CLUSTER, "crd crds", "api-extensions", "status"),),
    ),
    ("scheduling.k8s.io", "v1", (("priorityclasses", "PriorityClass", _CLUSTER, "pc", "", ""),)),
    ("coordination.k8s.io", "v1", (("leases", "Lease", _NAMESPACED, "", "", ""),)),
    ("node.k8s.io", "v1", (("runtimeclasses", "RuntimeClass", _CLUSTER, "", "", ""),)),
    ("discovery.k8s.io", "v1", (("endpointslices", "EndpointSlice", _NAMESPACED, "", "", ""),)),
    (
        "resource.k8s.io",
        "v1",
        (
            ("deviceclasses", "DeviceClass", _CLUSTER, "", "", ""),
            ("resourceclaims", "ResourceClaim", _NAMESPACED, "", "", "status"),
            ("resourceclaimtemplates", "ResourceClaimTemplate", _NAMESPACED, "", "", ""),
            ("resourceslices", "ResourceSlice", _CLUSTER, "", "", ""),
        ),
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1",
        (
            ("flowschemas", "FlowSchema", _CLUSTER, "", "", "status"),
            ("prioritylevelconfigurations", "PriorityLevelConfiguration", _CLUSTER, "", "", "status"),
        ),
    ),
    (
        "metrics.k8s.io",
        "v1beta1",
        (
            ("nodes", "NodeMetrics", _CLUSTER, "", "", "", ("get", "list")),
            ("pods", "PodMetrics", _NAMESPACED, "", "", "", ("get", "list")),
        ),
    ),
    ("hardware.labsim", "v1", (("machines", "Machine", _CLUSTER, "", "", ""),)),
    (
        "runtime.labsim",
        "v1",
        (
            ("containers", "Container", _NAMESPACED, "", "", ""),
            ("logs", "Log", _NAMESPACED, "", "", ""),
            ("deviceplugins", "DevicePlugin", _CLUSTER, "", "", ""),
        ),
    ),
)


def _resources() -> list[Resource]:
    found = []
    for group, version, rows in _ROWS:
        for plural, kind, namespaced, short, categories, subresources, *verbs in rows:
            allowed = verbs[0] if verbs else ALL_VERBS
            if plural == "namespaces":
                allowed = tuple(v for v in allowed if v != "deletecollection")
            found.append(
                Resource(
                    group,
                    version,
                    plural,
                    "" if group == "metrics.k8s.io" else kind.lower(),
                    kind,
                    namespaced,
                    tuple(short.split()),
                    tuple(categories.split()),
                    allowed,
                    tuple(subresources.split()),
                )
            )
    return found


RESOURCES: tuple[Resource, ...] = tuple(_resources())
