"""The verbs that change objects, on a small cluster without controllers: what they say, and what is stored then."""

from __future__ import annotations

from typing import Any

import pytest

from labsim.commands.kubectl.main import main
from labsim.kube.cluster import Cluster
from labsim.kube.objects import get_in
from tests.fakes.context import START, FakeFiles, FakeServices, context

CONFIG = """
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
"""
MANIFEST = """
apiVersion: v1
kind: ConfigMap
metadata: {name: new}
data: {a: "1", b: "2"}
"""


class Kubectl:
    def __init__(self) -> None:
        self.cluster = Cluster(1, START, freeze_objects=True)
        self.client = self.cluster.client("kubernetes-admin")
        setup = self.cluster.client("system:labsim:setup")
        setup.create("namespaces", {"metadata": {"name": "default"}})
        for name in ("gpu-node1", "gpu-node2"):
            setup.create("nodes", {"metadata": {"name": name, "labels": {"zone": "a"}}})
        for name, spec in (("bare", {}), ("loc", {"volumes": [{"name": "v", "emptyDir": {}}]})):
            container = {"name": "main", "image": "busybox:1"}
            pod = {"metadata": {"name": name}, "spec": {"nodeName": "gpu-node1", "containers": [container], **spec}}
            setup.create("pods", pod, "default")
        setup.create("configmaps", {"metadata": {"name": "settings"}, "data": {"a": "1"}}, "default")
        self.services = FakeServices()
        self.files = FakeFiles({"/root/.kube/config": CONFIG, "/root/new.yaml": MANIFEST})

    def run(self, line: list[str], stdin: str | None = None) -> tuple[str, str, int]:
        ctx = context("kubectl", *line, client=self.client, fs=self.files, services=self.services, stdin=stdin)
        code = main(ctx)
        result = ctx.result(code)
        return result.stdout, result.stderr, code


@pytest.fixture
def kubectl() -> Kubectl:
    return Kubectl()


# (line, stdout, stderr, exit code), each on a fresh cluster; texts: kubectl.md 4, checked with kubectl 1.35.2.
SAID: list[tuple[str, str, str, int]] = [
    ("label node gpu-node1 a=b", "node/gpu-node1 labeled\n", "", 0),
    ("label node gpu-node1 zone=a", "node/gpu-node1 not labeled\n", "", 0),
    ("label node gpu-node1 zone=b", "", "error: 'zone' already has a value (a), and --overwrite is false\n", 1),
    ("label node gpu-node1 zone-", "node/gpu-node1 unlabeled\n", "", 0),
    ("label node gpu-node1 no-", 'label "no" not found.\nnode/gpu-node1 not labeled\n', "", 0),
    ("label node gpu-node1", "", "error: at least one label update is required\n", 1),
    ("annotate node gpu-node1 a=b", "node/gpu-node1 annotated\n", "", 0),
    ("cordon gpu-node1 gpu-node2", "node/gpu-node1 cordoned\nnode/gpu-node2 cordoned\n", "", 0),
    ("uncordon gpu-node1", "node/gpu-node1 already uncordoned\n", "", 0),
    ("taint node gpu-node1 k=v:NoSchedule", "node/gpu-node1 tainted\n", "", 0),
    ("taint node gpu-node1 k-", "", 'error: taint "k" not found\n', 1),
    ("taint pod bare k=v:NoSchedule", "", "error: invalid resource type pod, only node types are supported\n", 1),
    ("patch cm settings -p {}", "configmap/settings patched (no change)\n", "", 0),
    ("create -f new.yaml", "configmap/new created\n", "", 0),
    ("apply -f new.yaml --dry-run=server", "configmap/new created (server dry run)\n", "", 0),
    ("delete cm settings", 'configmap "settings" deleted from default namespace\n', "", 0),
    ("delete node gpu-node2", 'node "gpu-node2" deleted\n', "", 0),
    ("delete pods -l no=such", "No resources found\n", "", 0),
    ("delete pods", "", "error: resource(s) were provided, but no name was specified\n", 1),
    ("run x", "", 'error: required flag(s) "image" not set\n', 1),
    ("exec bare", "", "error: you must specify at least one command for the container\n", 1),
    ("scale deploy web", "", 'error: required flag(s) "replicas" not set\n', 1),
    ("apply -f new.yaml --prune", "", "labsim: kubectl apply --prune is not simulated\n", 1),
]


@pytest.mark.parametrize(("line", "stdout", "stderr", "code"), SAID, ids=[case[0] for case in SAID])
def test_what_is_said(kubectl: Kubectl, line: str, stdout: str, stderr: str, code: int) -> None:
    assert kubectl.run(line.split()) == (stdout, stderr, code)


def test_dry_runs_store_nothing(kubectl: Kubectl) -> None:
    before = kubectl.cluster.journal.revision
    for kind in ("client", "server"):
        for line in (
            "label node gpu-node1 a=b",
            "cordon gpu-node1",
            "taint node gpu-node1 k=v:NoSchedule",
            "create -f new.yaml",
            "apply -f new.yaml",
            "delete cm settings",
            "run x --image=busybox",
        ):
            assert kubectl.run([*line.split(), f"--dry-run={kind}"])[2] == 0, line
    assert kubectl.cluster.journal.revision == before


def test_drain_is_stopped_by_pods_that_would_be_lost(kubectl: Kubectl) -> None:
    stdout, stderr, code = kubectl.run(["drain", "gpu-node1"])
    bare = "cannot delete cannot delete Pods that declare no controller (use --force to override): default/bare"
    local = "cannot delete Pods with local storage (use --delete-emptydir-data to override): default/loc"
    assert (stdout, code) == ("node/gpu-node1 cordoned\n", 1)
    assert stderr == (
        f'error: unable to drain node "gpu-node1" due to error: [{bare}, {local}], continuing command...\n'
        f"There are pending nodes to be drained:\n gpu-node1\n{bare}\n{local}\n"
    )
    assert len(kubectl.client.list("pods", "default")) == 2


def test_drain_waits_until_the_pods_are_gone(kubectl: Kubectl) -> None:
    def reap() -> None:  # the kubelet's part, as soon as time passes
        node = kubectl.cluster.client("system:node:gpu-node1")
        for pod in node.list("pods", "default"):
            if get_in(pod, "metadata", "deletionTimestamp"):
                node.delete("pods", pod["metadata"]["name"], "default", grace_seconds=0)

    kubectl.services.step = reap
    stdout, stderr, code = kubectl.run(["drain", "gpu-node1", "--force", "--delete-emptydir-data"])
    assert stderr == "Warning: deleting Pods that declare no controller: default/bare, default/loc\n"
    assert stdout.splitlines() == [
        "node/gpu-node1 cordoned",
        "evicting pod default/bare",
        "evicting pod default/loc",
        "pod/bare evicted",
        "pod/loc evicted",
        "node/gpu-node1 drained",
    ]
    assert code == 0
    assert kubectl.client.list("pods", "default") == []


def test_apply_takes_away_what_left_the_file(kubectl: Kubectl) -> None:
    assert kubectl.run(["apply", "-f", "new.yaml"])[0] == "configmap/new created\n"
    assert kubectl.run(["apply", "-f", "new.yaml"])[0] == "configmap/new unchanged\n"
    kubectl.run(["patch", "cm", "new", "-p", '{"data":{"mine":"x"}}'])
    kubectl.files.write_text("new.yaml", MANIFEST.replace(', b: "2"', ""))
    assert kubectl.run(["apply", "-f", "new.yaml"])[0] == "configmap/new configured\n"
    assert kubectl.client.get("configmaps", "new")["data"] == {"a": "1", "mine": "x"}


def test_edit_reopens_what_the_server_refuses(kubectl: Kubectl) -> None:
    seen: list[str] = []

    def editor(ctx: Any, name: str, text: str) -> str | None:
        seen.append(text)
        return text.replace("zone: a", "zone: -a" if len(seen) == 1 else "zone: b").replace(
            "zone: -a", "zone: b", len(seen) - 1
        )

    kubectl.services.edit = editor  # type: ignore[method-assign]
    stdout, stderr, code = kubectl.run(["edit", "node", "gpu-node1"])
    assert (stdout, stderr, code) == ("node/gpu-node1 edited\n", 'error: nodes "gpu-node1" is invalid\n', 0)
    assert '# nodes "gpu-node1" was not valid:' in seen[1]
    assert kubectl.client.get("nodes", "gpu-node1")["metadata"]["labels"] == {"zone": "b"}


def test_edit_without_a_change_is_cancelled(kubectl: Kubectl) -> None:
    kubectl.services.edits = [None]
    before = kubectl.cluster.journal.revision
    assert kubectl.run(["edit", "cm", "settings"]) == ("", "Edit cancelled, no changes made.\n", 0)
    assert kubectl.cluster.journal.revision == before
