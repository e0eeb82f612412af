# ruff: noqa: E501 - a message is one row of the table
"""The protobuf messages that kubectl and helm send, with the fields that their typed creates use (rest-api.md 5.1).

A message is a table: field number -> (name, type). Types: s string, i int, b bool, y bytes (base64 in JSON), another
message's name, and these with `*` (repeated) or `%` (map of strings to it). Source: the generated.proto files of k8s.io/api.
"""

from __future__ import annotations

_META = {1: ("name", "s"), 2: ("generateName", "s"), 3: ("namespace", "s"), 5: ("uid", "s"), 6: ("resourceVersion", "s"),
         11: ("labels", "%s"), 12: ("annotations", "%s"), 14: ("finalizers", "*s")}  # fmt: skip
MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "ObjectMeta": _META,
    "ConfigMap": {1: ("metadata", "ObjectMeta"), 2: ("data", "%s"), 3: ("binaryData", "%y"), 4: ("immutable", "b")},
    "Secret": {1: ("metadata", "ObjectMeta"), 2: ("data", "%y"), 3: ("type", "s"), 4: ("stringData", "%s"), 5: ("immutable", "b")},
    "Namespace": {1: ("metadata", "ObjectMeta")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta")},
    "ResourceQuota": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ResourceQuotaSpec")},
    "ResourceQuotaSpec": {1: ("hard", "%Quantity"), 2: ("scopes", "*s")},
    "Quantity": {1: ("string", "s")},
    "PriorityClass": {1: ("metadata", "ObjectMeta"), 2: ("value", "i"), 3: ("globalDefault", "b"), 4: ("description", "s"), 5: ("preemptionPolicy", "s")},
    "Role": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "ClusterRole": {1: ("metadata", "ObjectMeta"), 2: ("rules", "*PolicyRule")},
    "PolicyRule": {1: ("verbs", "*s"), 2: ("apiGroups", "*s"), 3: ("resources", "*s"), 4: ("resourceNames", "*s"), 5: ("nonResourceURLs", "*s")},
    "RoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "ClusterRoleBinding": {1: ("metadata", "ObjectMeta"), 2: ("subjects", "*Subject"), 3: ("roleRef", "RoleRef")},
    "Subject": {1: ("kind", "s"), 2: ("apiGroup", "s"), 3: ("name", "s"), 4: ("namespace", "s")},
    "RoleRef": {1: ("apiGroup", "s"), 2: ("kind", "s"), 3: ("name", "s")},
    "DeleteOptions": {1: ("gracePeriodSeconds", "i"), 2: ("preconditions", "Preconditions"), 3: ("orphanDependents", "b"), 4: ("propagationPolicy", "s"), 5: ("dryRun", "*s")},
    "Preconditions": {1: ("uid", "s"), 2: ("resourceVersion", "s")},
    "Eviction": {1: ("metadata", "ObjectMeta"), 2: ("deleteOptions", "DeleteOptions")},
    "SelfSubjectReview": {1: ("metadata", "ObjectMeta")},
    "SelfSubjectAccessReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "AccessSpec")},
    "AccessSpec": {1: ("resourceAttributes", "ResourceAttributes"), 2: ("nonResourceAttributes", "PathAttributes")},
    "ResourceAttributes": {1: ("namespace", "s"), 2: ("verb", "s"), 3: ("group", "s"), 4: ("version", "s"), 5: ("resource", "s"), 6: ("subresource", "s"), 7: ("name", "s")},
    "PathAttributes": {1: ("path", "s"), 2: ("verb", "s")},
    "SelfSubjectRulesReview": {1: ("metadata", "ObjectMeta"), 2: ("spec", "RulesSpec")},
    "RulesSpec": {1: ("namespace", "s")},
    "PodDisruptionBudget": {1: ("metadata", "ObjectMeta"), 2: ("spec", "BudgetSpec")},
    "BudgetSpec": {1: ("minAvailable", "IntOrString"), 2: ("selector", "LabelSelector"), 3: ("maxUnavailable", "IntOrString")},
    "IntOrString": {1: ("type", "i"), 2: ("int", "i"), 3: ("string", "s")},
    "LabelSelector": {1: ("matchLabels", "%s"), 2: ("matchExpressions", "*Requirement")},
    "Requirement": {1: ("key", "s"), 2: ("operator", "s"), 3: ("values", "*s")},
    "Deployment": {1: ("metadata", "ObjectMeta"), 2: ("spec", "DeploymentSpec")},
    "DeploymentSpec": {1: ("replicas", "i"), 2: ("selector", "LabelSelector"), 3: ("template", "PodTemplateSpec")},
    "PodTemplateSpec": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "Job": {1: ("metadata", "ObjectMeta"), 2: ("spec", "JobSpec")},
    "JobSpec": {6: ("template", "PodTemplateSpec")},
    "PodSpec": {2: ("containers", "*Container"), 3: ("restartPolicy", "s")},
    "Container": {1: ("name", "s"), 2: ("image", "s"), 3: ("command", "*s"), 4: ("args", "*s"), 6: ("ports", "*Port")},
    "Port": {1: ("name", "s"), 2: ("hostPort", "i"), 3: ("containerPort", "i"), 4: ("protocol", "s")},
    "Service": {1: ("metadata", "ObjectMeta"), 2: ("spec", "ServiceSpec")},
    "ServiceSpec": {1: ("ports", "*ServicePort"), 2: ("selector", "%s"), 3: ("clusterIP", "s"), 4: ("type", "s"), 10: ("externalName", "s")},
    "ServicePort": {1: ("name", "s"), 2: ("protocol", "s"), 3: ("port", "i"), 4: ("targetPort", "IntOrString"), 5: ("nodePort", "i")},
}  # fmt: skip
