"""What every namespace has: the service account `default` and the ConfigMap kube-root-ca.crt."""

from __future__ import annotations

from base64 import b64encode

from labsim.controllers.common import Manager
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object
from labsim.sim import names
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

ROOT_CA = "kube-root-ca.crt"


class _InEachNamespace(Manager):
    resource = ""
    object_name = ""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch("namespaces", lambda write: [(write.name,)] if write.verb == "create" else []),
            Watch(self.resource, self._lost),
        )

    def _lost(self, write: Write) -> list[Key]:
        return [(write.namespace,)] if write.name == self.object_name and write.verb != "create" else []

    def reconcile(self, key: Key) -> After | None:
        namespace = self.client.find("namespaces", key[0])
        if namespace is None or namespace["metadata"].get("deletionTimestamp"):
            return None
        self.ensure(key[0])
        return None

    def ensure(self, namespace: str) -> None:
        if self.client.find(self.resource, self.object_name, namespace) is None:
            self.client.create(self.resource, self.body(), namespace)

    def body(self) -> Object:
        raise NotImplementedError


class ServiceAccountController(_InEachNamespace):
    name = "serviceaccount"
    account = "service-account-controller"
    resource, object_name = "serviceaccounts", "default"

    def body(self) -> Object:
        return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}


class RootCAController(_InEachNamespace):
    name = "root-ca-cert-publisher"
    account = "root-ca-cert-publisher"
    resource, object_name = "configmaps", ROOT_CA

    def body(self) -> Object:
        annotations = {
            "kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when "
            "using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
            "guaranteed across distributions of Kubernetes clusters."
        }
        metadata = {"name": ROOT_CA, "annotations": annotations}
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata,
            "data": {"ca.crt": certificate(self.seed)},
        }

    def ensure(self, namespace: str) -> None:
        found = self.client.find(self.resource, ROOT_CA, namespace)
        if found is not None and found.get("data") != self.body()["data"]:
            self.client.update(self.resource, {**found, "data": self.body()["data"]}, namespace)
            return
        super().ensure(namespace)


def certificate(seed: int) -> str:
    """A PEM block of the usual size; its bytes are chance, there is nothing to verify with it."""
    raw = b"".join(names.digest(seed, "root-ca", n) for n in range(25))[:785]
    text = b64encode(b"\x30\x82\x03\x0d" + raw).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "-----BEGIN CERTIFICATE-----\n" + "\n".join(lines) + "\n-----END CERTIFICATE-----\n"
