"""The ClusterPolicy controller of the gpu-operator pod (gpu.md 5.3, 5.4; controllers/ of gpu-operator v26.3.3).

One reconcile: label the nodes, bring each state to what the ClusterPolicy says, report the states that are not ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha1
from json import dumps
from typing import Any

from labsim.kube.cluster import Cluster
from labsim.kube.errors import ApiError
from labsim.kube.objects import Object, controller_of, get_in, merge_in, name_of, uid_of
from labsim.operators.gpu import names, nodes
from labsim.operators.gpu.operands import STATES, State
from labsim.operators.gpu.process import Process
from labsim.sim.clock import SECOND, rfc3339
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

HASH = "nvidia.com/last-applied-hash"
REQUEUE = 5 * SECOND
REQUEUE_WITHOUT_NFD = 45 * SECOND
START = 6 * SECOND

READY, NOT_READY, IGNORED = "ready", "notReady", "ignored"


class PolicyController(Process):
    """Keys: those of the operator's own container, and ("policy", name)."""

    name = "clusterpolicy-controller"
    account = "gpu-operator"
    containers = {"gpu-operator": ("gpu-operator",)}
    watch_machine = False

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.api = cluster.api

    def extra_watches(self) -> tuple[Watch, ...]:
        return (
            Watch(names.POLICIES, self._policies),
            Watch("nodes", self._nodes),
            Watch("daemonsets.apps", self._owned),
        )

    def _policies(self, write: Write) -> Iterable[Key]:
        before, after = write.before or {}, write.after or {}
        return [("policy", write.name)] if before.get("spec") != after.get("spec") else []

    def _nodes(self, write: Write) -> Iterable[Key]:
        return self._all() if nodes.needs_update(write.before, write.after) else []

    def _owned(self, write: Write) -> Iterable[Key]:
        owner = controller_of(write.after or write.before or {})
        return [("policy", str(owner["name"]))] if owner and owner["kind"] == "ClusterPolicy" else []

    def _all(self) -> list[Key]:
        if names.POLICIES not in self.api.scheme:
            return []
        return [("policy", name_of(policy)) for policy in self.client.list(names.POLICIES)]

    def reconcile(self, key: Key) -> After | None:
        if key[0] == "policy":
            return self._policy(key[1]) if self._running() else None
        return super().reconcile(key)

    def run(self, container: Object) -> After | None:
        start = self.started(container) + START
        if self.now < start:
            return After(start - self.now)
        self.ready(container)
        if not self.memory(container):
            self.remember(container, {"started": True})
            self.log(container, _log(self.now, "setup", "starting manager"))
            for key in self._all():
                self._policy(key[1])
        return None

    def _running(self) -> Object | None:
        found = self.client.by_index(names.CONTAINERS, "label", "app=gpu-operator", self.namespace)
        return next((c for c in found if get_in(c, "status", "state") == "running" and self.memory(c)), None)

    # -- one reconcile -------------------------------------------------------------------------------------------------

    def _policy(self, name: str) -> After | None:
        policy = self.client.find(names.POLICIES, name)
        if policy is None:
            return None
        first = min(self.client.list(names.POLICIES), key=lambda p: (p["metadata"]["creationTimestamp"], name_of(p)))
        if name_of(first) != name:
            self._state(name, IGNORED)
            return None
        has_nfd, gpu_nodes = nodes.label_nodes(self.client, policy["spec"])
        try:
            waiting = [state.name for state in STATES if not self._bring(state, policy, bool(gpu_nodes))]
        except ApiError as error:
            self._state(name, NOT_READY, "ReconcileFailed", error.message)
            return After(REQUEUE, periodic=True)
        if waiting:
            text = f"ClusterPolicy is not ready, states not ready: [{' '.join(waiting)}]"
            self._state(name, NOT_READY, "OperandNotReady", text)
            return After(REQUEUE, periodic=True)
        nodes.driver_upgrade_labels(self.client, policy["spec"])
        if not has_nfd:
            self._state(name, READY, "NFDLabelsMissing", "No NFD labels found")
            return After(REQUEUE_WITHOUT_NFD, periodic=True)
        if not gpu_nodes:
            self._state(name, READY, "NoGPUNodes", "No GPU node found, watching for new nodes to join the cluster.")
            return None
        text = "ClusterPolicy is ready as all resources have been successfully reconciled"
        self._state(name, READY, "Reconciled", text)
        return None

    def _bring(self, state: State, policy: Object, gpu_nodes: bool) -> bool:
        """Creates, updates or removes the objects of a state. True when it is ready."""
        spec: Mapping[str, Any] = policy["spec"]
        if not state.enabled(spec):
            for obj in state.render(spec):
                self._remove(obj)
            return True
        ready = True
        for obj in state.render(spec):
            if obj["kind"] == "DaemonSet":
                if gpu_nodes:
                    self._put(obj, policy, hashed=True)
                    ready = self._ready(obj)
            else:
                self._put(obj, policy)
        return ready

    def _resource(self, obj: Object) -> str:
        found = self.api.scheme.for_kind(obj["apiVersion"], obj["kind"])
        assert found is not None, obj["kind"]
        return found.key

    def _remove(self, obj: Object) -> None:
        resource, place = self._resource(obj), str(get_in(obj, "metadata", "namespace", default=""))
        if self.client.find(resource, name_of(obj), place) is not None:
            self.client.delete(resource, name_of(obj), place)

    def _put(self, obj: Object, policy: Object, hashed: bool = False) -> None:
        """What somebody edited by hand is put back here; an update that changes nothing is no write."""
        owner = {
            "apiVersion": policy["apiVersion"],
            "kind": policy["kind"],
            "name": name_of(policy),
            "uid": uid_of(policy),
            "controller": True,
            "blockOwnerDeletion": True,
        }
        obj = merge_in(obj, ("metadata",), {"ownerReferences": [owner]})
        if hashed:
            digest = sha1(dumps(obj, sort_keys=True).encode()).digest()
            obj = merge_in(obj, ("metadata", "annotations"), {HASH: str(int.from_bytes(digest[:4], "big"))})
        resource, place = self._resource(obj), str(get_in(obj, "metadata", "namespace", default=""))
        have = self.client.find(resource, name_of(obj), place)
        if have is None:
            self.client.create(resource, obj, place)
            return
        for group in ("labels", "annotations"):
            obj = merge_in(
                obj,
                ("metadata", group),
                {**get_in(have, "metadata", group, default={}), **get_in(obj, "metadata", group, default={})},
            )
        if have["kind"] == "Service":
            obj = merge_in(have, ("spec",), obj["spec"])
        elif have["kind"] == "ServiceAccount":
            return
        self.client.update(resource, obj, place)

    def _ready(self, rendered: Object) -> bool:
        """No pod may be unavailable; with OnDelete each pod must also be of the present revision (isDaemonSetReady)."""
        found = self.client.get("daemonsets.apps", name_of(rendered), self.namespace)
        status = found.get("status") or {}
        if status.get("observedGeneration") != found["metadata"].get("generation"):
            return False
        if not status.get("desiredNumberScheduled"):
            return True
        if status.get("numberUnavailable"):
            return False
        if get_in(found, "spec", "updateStrategy", "type") != "OnDelete":
            return True
        return int(status.get("updatedNumberScheduled", 0)) == int(status["desiredNumberScheduled"])

    # -- status --------------------------------------------------------------------------------------------------------

    def _state(self, name: str, state: str, reason: str = "", message: str = "") -> None:
        policy = self.client.get(names.POLICIES, name)
        status = {**(policy.get("status") or {}), "state": state, "namespace": self.namespace}
        if reason:
            fine = state == READY
            wanted = [
                ("Ready", fine, reason if fine else "Error", message if fine else ""),
                ("Error", not fine, "Ready" if fine else reason, "" if fine else message),
            ]
            status["conditions"] = _conditions(status.get("conditions", []), wanted, rfc3339(self.now))
        if status != policy.get("status"):
            self.client.update_status(names.POLICIES, {**policy, "status": status})


def _conditions(old: list[Object], wanted: list[tuple[str, bool, str, str]], now: str) -> list[Object]:
    before = {condition["type"]: condition for condition in old}
    found = []
    for kind, value, reason, message in wanted:
        status = "True" if value else "False"
        have = before.get(kind, {})
        since = have.get("lastTransitionTime") if have.get("status") == status else None
        found.append(
            {"lastTransitionTime": since or now, "message": message, "reason": reason, "status": status, "type": kind}
        )
    return found


def _log(now: int, logger: str, text: str) -> str:
    """The operator's zap lines with `timeEncoding: epoch`."""
    return dumps({"level": "info", "ts": now // 1000, "logger": logger, "msg": text}, separators=(",", ":"))
