"""The schema file: kinds, types, merge keys; CRDs at run time."""

from __future__ import annotations

import pytest

from labsim.kube.schema import FieldMeta, load

KINDS = """
v1/Pod v1/Node v1/Namespace v1/ConfigMap v1/Secret v1/Service v1/Endpoints v1/ServiceAccount v1/Event
v1/PersistentVolume v1/PersistentVolumeClaim v1/ResourceQuota v1/LimitRange apps/v1/Deployment
apps/v1/ReplicaSet apps/v1/StatefulSet apps/v1/DaemonSet apps/v1/ControllerRevision batch/v1/Job
batch/v1/CronJob autoscaling/v2/HorizontalPodAutoscaler networking.k8s.io/v1/Ingress
networking.k8s.io/v1/IngressClass networking.k8s.io/v1/NetworkPolicy policy/v1/PodDisruptionBudget
rbac.authorization.k8s.io/v1/Role rbac.authorization.k8s.io/v1/ClusterRole
rbac.authorization.k8s.io/v1/RoleBinding rbac.authorization.k8s.io/v1/ClusterRoleBinding
scheduling.k8s.io/v1/PriorityClass node.k8s.io/v1/RuntimeClass coordination.k8s.io/v1/Lease
storage.k8s.io/v1/StorageClass discovery.k8s.io/v1/EndpointSlice events.k8s.io/v1/Event
apiextensions.k8s.io/v1/CustomResourceDefinition apiregistration.k8s.io/v1/APIService
admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration
admissionregistration.k8s.io/v1/MutatingWebhookConfiguration resource.k8s.io/v1/DeviceClass
resource.k8s.io/v1/ResourceClaim resource.k8s.io/v1/ResourceClaimTemplate resource.k8s.io/v1/ResourceSlice
certificates.k8s.io/v1/CertificateSigningRequest
""".split()


@pytest.mark.parametrize("name", KINDS)
def test_kind_is_known(name: str) -> None:
    api_version, _, kind = name.rpartition("/")
    ref = load().for_object({"apiVersion": api_version, "kind": kind})
    assert ref is not None
    assert ref.short_name == kind
    metadata = ref.field("metadata")
    assert metadata is not None and metadata.short_name == "ObjectMeta"


@pytest.mark.parametrize(
    ("path", "kind", "go_type", "meta"),
    [
        ("spec.containers", "array", "[]v1.Container", FieldMeta("merge", "name")),
        ("spec.containers.ports", "array", "[]v1.ContainerPort", FieldMeta("merge", "containerPort")),
        ("spec.containers.volumeMounts", "array", "[]v1.VolumeMount", FieldMeta("merge", "mountPath")),
        ("spec.containers.imagePullPolicy", "string", "v1.PullPolicy", FieldMeta()),
        ("spec.containers.resources.limits", "map", "v1.ResourceList", FieldMeta()),
        ("spec.containers.resources.limits.cpu", "quantity", "resource.Quantity", FieldMeta()),
        ("spec.containers.livenessProbe.httpGet.port", "int-or-string", "intstr.IntOrString", FieldMeta()),
        ("spec.volumes", "array", "[]v1.Volume", FieldMeta("merge", "name", retain_keys=True)),
        ("spec.tolerations", "array", "[]v1.Toleration", FieldMeta()),
        ("spec.priority", "integer", "int32", FieldMeta()),
        ("metadata.labels", "map", "map[string]string", FieldMeta()),
        ("metadata.finalizers", "array", "[]string", FieldMeta("merge")),
        ("metadata.ownerReferences", "array", "[]v1.OwnerReference", FieldMeta("merge", "uid")),
        ("metadata.creationTimestamp", "time", "v1.Time", FieldMeta()),
        ("status.conditions", "array", "[]v1.PodCondition", FieldMeta("merge", "type")),
    ],
)
def test_pod_fields(path: str, kind: str, go_type: str, meta: FieldMeta) -> None:
    pod = load().for_gvk("", "v1", "Pod")
    assert pod is not None
    ref = pod.at(*path.split("."))
    assert ref is not None
    assert (ref.kind, ref.go_type, ref.meta) == (kind, go_type, meta)
    assert load().merge_info("", "v1", "Pod", path.split(".")) == meta


def test_unknown_things() -> None:
    assert load().for_gvk("", "v1", "Nope") is None
    assert load().merge_info("", "v1", "Pod", ["spec", "nope"]) is None


def test_crd_does_not_touch_the_builtin_schema() -> None:
    crd = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
    schema = load().with_crd("example.com", "v1", "Widget", crd)
    ref = schema.for_gvk("example.com", "v1", "Widget")
    assert ref is not None
    number = ref.at("spec", "n")
    assert number is not None and number.kind == "integer"
    labels = ref.at("metadata", "labels")
    assert labels is not None and labels.go_type == "map[string]string"
    assert load().for_gvk("example.com", "v1", "Widget") is None
    assert not schema.is_builtin("example.com", "v1", "Widget")
    assert schema.is_builtin("apps", "v1", "Deployment")
