"""Tab after kubectl: commands, flags, kinds, names of live objects."""

from __future__ import annotations

import pytest

from labsim.commands.kubectl.main import complete
from labsim.kube.cluster import Cluster
from tests.fakes.context import START, context

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: lab
clusters: [{name: lab, cluster: {server: "https://10.0.0.1:6443"}}]
contexts: [{name: lab, context: {cluster: lab, user: admin}}, {name: other, context: {cluster: lab}}]
users: [{name: admin, user: {}}]
"""


@pytest.fixture(scope="module")
def client():
    found = Cluster(1, START).client("kubernetes-admin")
    for name in ("default", "gpu-operator"):
        found.create("namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for name in ("gpu-node1", "gpu-node2"):
        found.create("nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kubectl des", ["describe"]),
        ("kubectl rollout re", ["restart", "resume"]),
        ("kubectl get --show-l", ["--show-labels"]),
        ("kubectl get name", ["namespaces"]),
        ("kubectl get node gpu-node", ["gpu-node1", "gpu-node2"]),
        ("kubectl describe node/gpu-node2", ["node/gpu-node2"]),
        ("kubectl get pods -n g", ["gpu-operator"]),
        ("kubectl -n gpu-operator get pods -o js", ["json", "jsonpath", "jsonpath-as-json", "jsonpath-file"]),
        ("kubectl get pods --namespace=d", ["--namespace=default"]),
        ("kubectl cordon ", ["gpu-node1", "gpu-node2"]),
        ("kubectl config use-context ", ["lab", "other"]),
        ("kubectl get nope ", []),
        ("kubectl get --nope pods ", []),
        ("kubectl zzz ", []),
    ],
)
def test_candidates(client, line: str, expected: list[str]) -> None:
    words = line.split(" ")
    ctx = context("kubectl", client=client, files={"/root/.kube/config": KUBECONFIG}, env={"HOME": "/root"})
    assert complete(ctx, words, len(words) - 1) == expected
