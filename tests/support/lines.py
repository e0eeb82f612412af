"""Lines as people type them, made up from a seed: reads, writes, pipes, loops, waits, edits, undo.

`script(seed, count)` is a list of inputs; `play` gives them to a lab and counts what they were.
Run as a program (`python -m tests.support.lines SEED COUNT`) it prints a transcript with the state's hash after each input.
"""

# ruff: noqa: E501  (tables of typed lines)
from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from labsim import Lab
from labsim.lab import LEARNER, Outcome
from labsim.worlds import audit

NODES = ("gpu-node1", "gpu-node2", "gpu-node3")
LAYOUTS = ("all-1g.10gb", "all-2g.20gb", "all-balanced", "all-disabled", "all-3g.40gb")
NAMESPACES = ("default", "gpu-operator", "kube-system", "team-llm", "team-vision", "team-speech")
IMAGES = ("busybox:1.36", "ubuntu:24.04", "nvcr.io/nvidia/pytorch:25.10-py3")

POD = """apiVersion: v1
kind: Pod
metadata:
  name: {name}
  labels: {{app: {app}}}
spec:
  terminationGracePeriodSeconds: 5
  containers:
  - name: main
    image: {image}
    command: ["sleep", "infinity"]
    resources:
      limits:
        {resource}: {count}
"""

READS = (
    "kubectl get nodes",
    "kubectl get nodes -o wide",
    "kubectl get pods -A | grep -c Running",
    "kubectl get pods -n {ns} -o wide --field-selector spec.nodeName={node}",
    "kubectl get node {node} -o jsonpath='{{.status.allocatable}}' | jq -S .",
    "kubectl get deploy,ds,sts -A -o name | sort | head -5",
    "kubectl get pods -n {ns} -o json | jq -r '.items[].metadata.name' | sort | tail -3",
    "kubectl describe node {node} | sed -n '/^Allocatable:/,/^System Info:/p'",
    "kubectl describe pods -n {ns} | grep -c Image:",
    "kubectl logs -n gpu-operator -l app=nvidia-mig-manager --tail=3 --prefix",
    "kubectl logs -n gpu-operator ds/nvidia-device-plugin-daemonset --tail=2",
    "kubectl exec -n gpu-operator ds/nvidia-driver-daemonset -- nvidia-smi -L | wc -l",
    "kubectl get events -A --sort-by=.lastTimestamp | tail -3",
    "kubectl top nodes",
    "kubectl top pods -n {ns}",
    "kubectl api-resources | wc -l",
    "kubectl explain pod.spec.nodeSelector | head -4",
    "kubectl version",
    "kubectl cluster-info | head -1",
    "kubectl config current-context",
    "kubectl auth can-i delete pods -n {ns}",
    "kubectl events -n {ns} | tail -2",
    "kubectl rollout history deployment/{deploy}",
    "for n in $(kubectl get nodes -o name); do echo $n; kubectl get $n -o jsonpath='{{.metadata.labels.nvidia\\.com/mig\\.config}}'; done",
    "date; hostname; whoami; pwd",
    "history | tail -2",
    "echo $RANDOM $?; ls -l",
    "ssh {node} nvidia-smi -L | head -1",
    "man kubectl | head -2",
)
WRITES = (
    "kubectl label node {node} team={word} --overwrite",
    "kubectl label node {node} nvidia.com/mig.config={layout} --overwrite",
    "kubectl label node {node} team-",
    "kubectl annotate node {node} note={word}-{number} --overwrite",
    "kubectl cordon {node}",
    "kubectl uncordon {node}",
    "kubectl taint node {node} lab={word}:NoSchedule --overwrite",
    "kubectl taint node {node} lab-",
    "kubectl create deployment {deploy} --image={image} --replicas=2",
    "kubectl create configmap {word}-{number} --from-literal=k={number}",
    "kubectl create namespace {word}-{number}",
    "kubectl scale deployment/{deploy} --replicas={small}",
    "kubectl set image deployment/{deploy} '*={image}'",
    "kubectl rollout restart deployment/{deploy}",
    "kubectl rollout status deployment/{deploy} --timeout=60s",
    "kubectl run {pod} --image={image} --restart=Never -- sleep 600",
    "kubectl apply -f {pod}.yaml",
    "cat <<'EOF' | kubectl apply -f -\n{manifest}EOF",
    "kubectl delete pod {pod} --ignore-not-found --timeout=30s",
    "kubectl delete pod -n gpu-operator -l app=nvidia-operator-validator --wait=false",
    'kubectl patch node {node} --type merge -p \'{{"metadata":{{"labels":{{"p":"{number}"}}}}}}\'',
    'kubectl patch clusterpolicy cluster-policy --type merge -p \'{{"spec":{{"mig":{{"strategy":"{strategy}"}}}}}}\'',
    "kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --force --timeout=60s",
    "kubectl get pod {pod} -o yaml > {pod}-now.yaml && kubectl replace --force -f {pod}-now.yaml --timeout=30s",
    "for i in 1 2 3; do kubectl label node {node} i=$i --overwrite; done",
    "sed -i 's/: 1$/: 2/' {pod}.yaml && kubectl apply -f {pod}.yaml",
    "kubectl delete deployment {deploy} --ignore-not-found",
)
WAITS = (
    "sleep {small}",
    "kubectl wait --for=condition=Ready node/{node} --timeout=30s",
    "kubectl wait --for=condition=Ready pod/{pod} --timeout=20s",
    "timeout 40 kubectl get pods -w",
    "until kubectl get node {node} -o jsonpath='{{.metadata.labels.nvidia\\.com/mig\\.config\\.state}}' | grep -qv pending; do sleep 5; done",
    "timeout 30 watch -n 5 kubectl get pods",
)

Input = dict[str, Any]


def script(seed: int, count: int) -> list[Input]:
    chance = random.Random(seed)
    return [_one(chance, index) for index in range(count)]


def _one(chance: random.Random, index: int) -> Input:
    pod = f"p{chance.randrange(4)}"
    values: dict[str, Any] = {
        "node": chance.choice(NODES), "ns": chance.choice(NAMESPACES), "layout": chance.choice(LAYOUTS), "pod": pod,
        "deploy": chance.choice(("web", "api")), "image": chance.choice(IMAGES), "word": chance.choice("red blue sad".split()),
        "number": index, "small": chance.randrange(1, 5), "strategy": chance.choice(("single", "mixed")),
    }  # fmt: skip
    values["manifest"] = POD.format(
        name=pod, app="made", image=values["image"], count=1,
        resource=chance.choice(("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "cpu")),
    )  # fmt: skip
    draw = chance.random()
    if draw < 0.06:
        return {"edit": (f"{pod}.yaml", values["manifest"])}
    if draw < 0.12:
        return {"undo": True}
    choices = READS if draw < 0.42 else WRITES if draw < 0.94 else WAITS
    return {"line": chance.choice(choices).format(**values)}


@dataclass
class Counts:
    """What the lines of a script were: verbs, and how many typed lines left 0 or wrote."""

    verbs: set[str] = field(default_factory=set)
    typed: int = 0
    good: int = 0
    wrote: int = 0

    def add(self, line: str, out: Outcome) -> None:
        words = line.replace("(", " ").replace("|", " ").split()
        for at, word in enumerate(words):
            if word == "kubectl" and at + 1 < len(words):
                self.verbs.add(f"kubectl {words[at + 1]}")
        self.verbs.add(words[0])
        self.typed += 1
        self.good += out.exit_code == 0
        self.wrote += any(write.actor == LEARNER for write in out.changes)

    def shares(self) -> str:
        good, wrote = self.good / self.typed, self.wrote / self.typed
        return f"{len(self.verbs)} verbs, {good:.0%} of {self.typed} lines exit 0, {wrote:.0%} write"

    def check(self) -> None:
        """A generator whose lines mostly fail or only look proves nothing."""
        assert len(self.verbs) >= 25, self.shares()
        assert self.good >= 0.6 * self.typed, self.shares()
        assert self.wrote >= 0.3 * self.typed, self.shares()


def act(lab: Lab, entry: Input) -> Outcome:
    if "edit" in entry:
        return lab.edit(*entry["edit"])
    return lab.undo() if "undo" in entry else lab.run(entry["line"])


def play(lab: Lab, entries: list[Input], counts: Counts | None = None) -> Iterator[tuple[Input, Outcome]]:
    for entry in entries:
        out = act(lab, entry)
        if counts is not None and "line" in entry:
            counts.add(entry["line"], out)
        yield entry, out


def main(seed: int, count: int) -> None:
    lab = Lab.open(world="dgx-h100-busy", seed=seed)
    counts = Counts()
    for entry, out in play(lab, script(seed, count), counts):
        shown = {"in": entry, "out": out.stdout, "err": out.stderr, "exit": out.exit_code, "time": out.time}
        print(json.dumps({**shown, "hash": lab.state_hash()}))
    print(json.dumps({"shares": counts.shares(), "audit": audit.violations(lab.cluster.journal.writes)}))
    counts.check()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
