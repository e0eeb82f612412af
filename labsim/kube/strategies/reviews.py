"""Reviews: questions to authentication and authorization. Everybody whom labsim lets in is in system:masters."""

from __future__ import annotations

from labsim.kube.errors import FieldError, invalid, invalid_value
from labsim.kube.objects import Object, get_in
from labsim.kube.strategy import Request, Strategy

ADMIN_GROUPS = ("kubeadm:cluster-admins", "system:authenticated")
_ALLOWED = {
    "allowed": True,
    "reason": (
        'RBAC: allowed by ClusterRoleBinding "kubeadm:cluster-admins" of ClusterRole "cluster-admin" '
        'to Group "kubeadm:cluster-admins"'
    ),
}


class Review(Strategy):
    def answer(self, obj: Object, request: Request) -> Object | None:
        return {**obj, "metadata": {"creationTimestamp": None}, "status": self.status(obj, request)}

    def status(self, obj: Object, request: Request) -> Object:
        raise NotImplementedError


class AccessReviews(Review):
    """Self, local and plain subject access reviews; other subjects have what RBAC objects give them by name."""

    def status(self, obj: Object, request: Request) -> Object:
        spec = obj.get("spec") or {}
        resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
        if (resource is None) == (path is None):
            detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
            errors: list[FieldError] = [invalid_value("spec.resourceAttributes", resource, detail)]
            raise invalid(self.resource.kind, "", errors, self.resource.group)
        if self.resource.kind == "SelfSubjectAccessReview":
            return dict(_ALLOWED)
        user = str(spec.get("user", ""))
        groups = spec.get("groups") or ()
        if user == "kubernetes-admin" or any(g in ("system:masters", ADMIN_GROUPS[0]) for g in groups):
            return dict(_ALLOWED)
        from labsim.kube.rbac import allowed

        reason = allowed(request.api.store, user, list(groups), resource, path)
        return {"allowed": True, "reason": reason} if reason else {"allowed": False}


class RulesReviews(Review):
    def status(self, obj: Object, request: Request) -> Object:
        return {
            "resourceRules": [
                {
                    "verbs": ["create"],
                    "apiGroups": ["authorization.k8s.io"],
                    "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
                },
                {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
                {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
            ],
            "nonResourceRules": [
                {"verbs": ["*"], "nonResourceURLs": ["*"]},
                {
                    "verbs": ["get"],
                    "nonResourceURLs": [
                        "/api",
                        "/api/*",
                        "/apis",
                        "/apis/*",
                        "/healthz",
                        "/livez",
                        "/openapi",
                        "/openapi/*",
                        "/readyz",
                        "/version",
                        "/version/",
                    ],
                },
            ],
            "incomplete": False,
        }


class SubjectReviews(Review):
    def status(self, obj: Object, request: Request) -> Object:
        return {"userInfo": {"username": request.user, "groups": list(ADMIN_GROUPS)}}


class TokenReviews(Review):
    def status(self, obj: Object, request: Request) -> Object:
        """labsim gives out no tokens, so none is good."""
        token = get_in(obj, "spec", "token", default="")
        return {"user": {}, "error": "invalid bearer token"} if token else {"user": {}}


STRATEGIES: dict[str, type[Strategy]] = {
    "selfsubjectaccessreviews.authorization.k8s.io": AccessReviews,
    "subjectaccessreviews.authorization.k8s.io": AccessReviews,
    "localsubjectaccessreviews.authorization.k8s.io": AccessReviews,
    "selfsubjectrulesreviews.authorization.k8s.io": RulesReviews,
    "selfsubjectreviews.authentication.k8s.io": SubjectReviews,
    "tokenreviews.authentication.k8s.io": TokenReviews,
}
