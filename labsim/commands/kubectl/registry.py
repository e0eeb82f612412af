"""Every command that `kubectl --help` of 1.35 lists, in its order, and what labsim does with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType


@dataclass(frozen=True)
class Command:
    """`played`: verbs/<words joined by _>.py exists. Groups have `children` and no module."""

    words: tuple[str, ...]
    summary: str
    played: bool = True
    aliases: tuple[str, ...] = ()
    children: tuple[Command, ...] = ()
    heading: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        return self.words[-1] if self.words else "kubectl"

    @property
    def path(self) -> str:
        return " ".join(("kubectl", *self.words))

    def child(self, word: str) -> Command | None:
        return next((c for c in self.children if word == c.name or word in c.aliases), None)

    def load(self) -> ModuleType:
        return import_module("labsim.commands.kubectl.verbs." + "_".join(self.words).replace("-", "_"))


def _verb(words: str, summary: str, played: bool = True, aliases: str = "", *children: Command) -> Command:
    return Command(tuple(words.split()), summary, played, tuple(aliases.split()), children)


def _group(words: str, summary: str, *children: Command, aliases: str = "") -> Command:
    return Command(tuple(words.split()), summary, True, tuple(aliases.split()), children)


_CREATE = _verb(
    "create",
    "Create objects from a file, from stdin, or by a generator",
    True,
    "",
    _verb("create clusterrole", "Create a cluster role"),
    _verb("create clusterrolebinding", "Create a cluster role binding"),
    _verb("create configmap", "Create a config map from files, a directory or literal values", True, "cm"),
    _verb("create cronjob", "Create a cron job", True, "cj"),
    _verb("create deployment", "Create a deployment", True, "deploy"),
    _verb("create ingress", "Create an ingress", True, "ing"),
    _verb("create job", "Create a job"),
    _verb("create namespace", "Create a namespace", True, "ns"),
    _verb("create poddisruptionbudget", "Create a pod disruption budget", True, "pdb"),
    _verb("create priorityclass", "Create a priority class", True, "pc"),
    _verb("create quota", "Create a resource quota", True, "resourcequota"),
    _verb("create role", "Create a role"),
    _verb("create rolebinding", "Create a role binding"),
    _group(
        "create secret",
        "Create a secret",
        _verb("create secret docker-registry", "Create a secret for a container registry"),
        _verb("create secret generic", "Create a secret from files, a directory or literal values"),
        _verb("create secret tls", "Create a secret from a certificate and its key"),
    ),
    _group(
        "create service",
        "Create a service",
        _verb("create service clusterip", "Create a ClusterIP service"),
        _verb("create service externalname", "Create an ExternalName service"),
        _verb("create service loadbalancer", "Create a LoadBalancer service"),
        _verb("create service nodeport", "Create a NodePort service"),
        aliases="svc",
    ),
    _verb("create serviceaccount", "Create a service account", True, "sa"),
    _verb("create token", "Ask for a token of a service account", False),
)

SECTIONS: tuple[tuple[str, tuple[Command, ...]], ...] = (
    (
        "Basic Commands (Beginner):",
        (
            _CREATE,
            _verb("expose", "Make a service for a pod, service, deployment or replica set"),
            _verb("run", "Start one pod from an image"),
            _group(
                "set",
                "Change one property of objects",
                _verb("set env", "Change environment variables of a pod template"),
                _verb("set image", "Change the image of a pod template"),
                _verb("set resources", "Change requests and limits of a pod template"),
                _verb("set selector", "Change the selector of an object"),
                _verb("set serviceaccount", "Change the service account of a pod template", True, "sa"),
                _verb("set subject", "Change the subjects of a role binding"),
            ),
        ),
    ),
    (
        "Basic Commands (Intermediate):",
        (
            _verb("explain", "Say what the fields of a kind mean"),
            _verb("get", "Show one or many objects"),
            _verb("edit", "Change an object in an editor"),
            _verb("delete", "Delete objects by file, stdin, name or label"),
        ),
    ),
    (
        "Deploy Commands:",
        (
            _group(
                "rollout",
                "Look after the rollout of a workload",
                _verb("rollout history", "Show the revisions of a rollout"),
                _verb("rollout pause", "Pause a rollout"),
                _verb("rollout restart", "Restart the pods of a workload"),
                _verb("rollout resume", "Resume a paused rollout"),
                _verb("rollout status", "Show how far a rollout is"),
                _verb("rollout undo", "Go back to an earlier revision"),
            ),
            _verb("scale", "Set the number of replicas"),
            _verb("autoscale", "Make a horizontal pod autoscaler", False),
        ),
    ),
    (
        "Cluster Management Commands:",
        (
            _verb("certificate", "Approve or deny certificate requests", False),
            _verb("cluster-info", "Show where the cluster's services are", True, "clusterinfo"),
            _group(
                "top",
                "Show the use of CPU and memory",
                _verb("top node", "Show the use of CPU and memory of nodes", True, "nodes no"),
                _verb("top pod", "Show the use of CPU and memory of pods", True, "pods po"),
            ),
            _verb("cordon", "Mark a node as unschedulable"),
            _verb("uncordon", "Mark a node as schedulable"),
            _verb("drain", "Empty a node before maintenance"),
            _verb("taint", "Change the taints of nodes"),
        ),
    ),
    (
        "Troubleshooting and Debugging Commands:",
        (
            _verb("describe", "Show an object in detail"),
            _verb("logs", "Print the log of a container", True, "log"),
            _verb("attach", "Attach to a running container"),
            _verb("exec", "Run a program in a container"),
            _verb("port-forward", "Forward local ports to a pod", False),
            _verb("proxy", "Run a proxy to the API server", False),
            _verb("cp", "Copy files from and to a container"),
            _group(
                "auth",
                "Look into authorization",
                _verb("auth can-i", "Ask whether an action is allowed"),
                _verb("auth reconcile", "Reconcile RBAC objects", False),
                _verb("auth whoami", "Show who you are to the server"),
            ),
            _verb("debug", "Start a debugging session on a pod or node"),
            _verb("events", "List events"),
        ),
    ),
    (
        "Advanced Commands:",
        (
            _verb("diff", "Compare the live version with the one that would be applied"),
            _verb("apply", "Apply objects from a file or stdin", True, ""),
            _verb("patch", "Change fields of an object"),
            _verb("replace", "Replace objects by a file or stdin"),
            _verb("wait", "Wait for a condition of objects"),
            _verb("kustomize", "Build a kustomization", False),
        ),
    ),
    (
        "Settings Commands:",
        (
            _verb("label", "Change labels"),
            _verb("annotate", "Change annotations"),
            _verb("completion", "Print completion code for a shell"),
        ),
    ),
    (
        "Other Commands:",
        (
            _verb("alpha", "Commands in alpha", False),
            _verb("api-resources", "List the kinds that the server knows"),
            _verb("api-versions", "List the API versions that the server knows"),
            _group(
                "config",
                "Change the kubeconfig file",
                _verb("config current-context", "Print the current context"),
                _verb("config delete-cluster", "Delete a cluster"),
                _verb("config delete-context", "Delete a context"),
                _verb("config delete-user", "Delete a user"),
                _verb("config get-clusters", "List the clusters"),
                _verb("config get-contexts", "List the contexts"),
                _verb("config get-users", "List the users"),
                _verb("config rename-context", "Rename a context"),
                _verb("config set", "Set one value"),
                _verb("config set-cluster", "Set a cluster entry"),
                _verb("config set-context", "Set a context entry"),
                _verb("config set-credentials", "Set a user entry"),
                _verb("config unset", "Remove one value"),
                _verb("config use-context", "Choose the current context", True, "use"),
                _verb("config view", "Show the kubeconfig"),
            ),
            _group("plugin", "Look after plugins", _verb("plugin list", "List the plugins in the PATH")),
            _verb("version", "Show the versions of client and server"),
        ),
    ),
)

# Not in the list of `kubectl --help`.
UNLISTED: tuple[Command, ...] = (_verb("options", "List the flags that every command takes"),)
ROOT = Command(
    (),
    "kubectl controls the Kubernetes cluster manager.",
    True,
    (),
    tuple(c for _, cs in SECTIONS for c in cs) + UNLISTED,
)


def all_commands(start: Command = ROOT) -> Iterator[Command]:
    """Every command below `start`, depth first."""
    for child in start.children:
        yield child
        yield from all_commands(child)
