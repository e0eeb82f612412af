"""Tab after kubectl; the expectations are those of `kubectl __complete` of 1.35.2 over the same world."""

import pytest

from labsim.lab import Lab

NODES = ("gpu-node1", "gpu-node2", "gpu-node3")
NAMESPACES = ("default", "gpu-operator", "kube-node-lease", "kube-public", "kube-system")


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab.open("dgx-h100", seed=1)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kubectl ge", ("get",)),
        ("kubectl get po", ("poddisruptionbudgets.policy", "pods", "pods.metrics.k8s.io", "podtemplates")),
        ("kubectl get po,d", ("po,daemonsets.apps", "po,deployments.apps", "po,deviceclasses.resource.k8s.io")),
        ("kubectl get pods -n ", NAMESPACES),
        ("kubectl -n ", NAMESPACES),
        ("kubectl get pods --namespace=gpu", ("--namespace=gpu-operator",)),
        ("kubectl get pods -o jsonp", ("jsonpath", "jsonpath-as-json", "jsonpath-file")),
        ("kubectl drain ", NODES),
        ("kubectl drain gpu-node2 ", ("gpu-node1", "gpu-node3")),
        ("kubectl drain --ig", ("--ignore-daemonsets",)),
        ("kubectl label no ", NODES),
        ("kubectl describe node/", tuple(f"node/{name}" for name in NODES)),
        ("kubectl rollout re", ("restart", "resume")),
        ("kubectl rollout restart ", ("daemonset", "deployment", "statefulset")),
        ("k logs -n gpu-operator ds/nvidia-mig", ("ds/nvidia-mig-manager",)),
        ("kubectl config use-context ", ("kubernetes-admin@kubernetes",)),
        ("kubectl foo ", ()),
        ("kubectl exec web -- ls ", ()),
        ("kubectl get pods web -o yaml ", ()),
    ],
)
def test_candidates(lab: Lab, text: str, wanted: tuple[str, ...]) -> None:
    assert lab.shell.complete(text, len(text)).candidates == wanted


def test_containers_of_the_pod(lab: Lab) -> None:
    pod = lab.client.list("pods", "gpu-operator", label_selector="app=nvidia-mig-manager")[0]["metadata"]["name"]
    text = f"kubectl exec -n gpu-operator {pod} -c "
    assert lab.shell.complete(text, len(text)).candidates == ("nvidia-mig-manager", "toolkit-validation")
    text = "kubectl exec -n gpu-operator nvidia-mig"
    assert pod in lab.shell.complete(text, len(text)).candidates
