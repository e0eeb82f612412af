"""Claims to volumes: bind what fits, and a simple provisioner. Source: pkg/controller/volume of 1.35.

Every StorageClass provisions a hostPath volume on the node that its first pod was placed on (anywhere for Immediate).
"""

from __future__ import annotations

from labsim.controllers.common import Manager
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object, annotations_of, get_in, merge_in, name_of, namespace_of, set_in, uid_of
from labsim.kube.podresources import milli
from labsim.sim.clock import SECOND, parse_time
from labsim.sim.journal import Write
from labsim.sim.loop import After, Watch
from labsim.sim.timers import Key

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
SELECTED = "volume.kubernetes.io/selected-node"
PROVISION = 2 * SECOND


class VolumeBinder(Manager):
    """Keys: ("claim", namespace, name) and ("volume", name)."""

    name = "persistentvolume-binder"
    account = "persistent-volume-binder"
    component = "persistentvolume-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.watches = (
            Watch(CLAIMS, self._claim_keys),
            Watch(VOLUMES, self._volume_keys),
            Watch(CLASSES, lambda write: self._pending()),
        )

    def _claim_keys(self, write: Write) -> list[Key]:
        keys: list[Key] = [("claim", write.namespace, write.name)]
        volume = get_in(write.before or write.after, "spec", "volumeName")
        return [*keys, ("volume", str(volume))] if volume and write.after is None else keys

    def _volume_keys(self, write: Write) -> list[Key]:
        return [("volume", write.name), *self._pending()] if write.verb == "create" else [("volume", write.name)]

    def _pending(self) -> list[Key]:
        found = [c for c in self.client.list(CLAIMS) if not get_in(c, "spec", "volumeName")]
        return [("claim", namespace_of(c), name_of(c)) for c in found]

    def reconcile(self, key: Key) -> After | None:
        if key[0] == "volume":
            self._volume(key[1])
            return None
        claim = self.client.find(CLAIMS, key[2], key[1])
        if claim is None or claim["metadata"].get("deletionTimestamp"):
            return None
        bound = get_in(claim, "spec", "volumeName")
        if bound:
            volume = self.client.find(VOLUMES, str(bound))
            if volume is not None and get_in(claim, "status", "phase") != "Bound":
                self._bind(claim, volume)
            elif volume is None and get_in(claim, "status", "phase") == "Bound":
                text = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
                self.recorder.event(claim, "Warning", "ClaimLost", text)
                self.client.update_status(CLAIMS, set_in(claim, ("status", "phase"), "Lost"), key[1])
            return None
        storage = self.client.find(CLASSES, str(get_in(claim, "spec", "storageClassName", default="")))
        waits = get_in(storage, "volumeBindingMode") == "WaitForFirstConsumer"
        node = annotations_of(claim).get(SELECTED)
        if waits and not node:
            text = "waiting for first consumer to be created before binding"
            self._once(claim, "Normal", "WaitForFirstConsumer", text)
            return None
        volume = self._match(claim)
        if volume is not None:
            self._bind(claim, volume)
            return None
        if storage is None:
            name = str(get_in(claim, "spec", "storageClassName", default=""))
            if name:
                self._once(claim, "Warning", "ProvisioningFailed", f'storageclass.storage.k8s.io "{name}" not found')
            else:
                text = "no persistent volumes available for this claim and no storage class is set"
                self._once(claim, "Normal", "FailedBinding", text)
            return None
        if str(storage.get("provisioner")) == "kubernetes.io/no-provisioner":
            return None
        return self._provision(claim, storage, node)

    def _once(self, claim: Object, kind: str, reason: str, text: str) -> None:
        events = self.client.by_index("events", "involvedObject.uid", uid_of(claim))
        if not any(e.get("reason") == reason and e.get("message") == text for e in events):
            self.recorder.event(claim, kind, reason, text)

    def _match(self, claim: Object) -> Object | None:
        """The smallest free volume of the class that is large enough and has the access modes."""
        wanted = milli(str(get_in(claim, "spec", "resources", "requests", "storage", default="0")))
        modes = set(get_in(claim, "spec", "accessModes", default=()))
        fitting = []
        for volume in self.client.list(VOLUMES):
            spec = volume["spec"]
            ref = spec.get("claimRef")
            mine = ref and (ref.get("namespace"), ref.get("name")) == (namespace_of(claim), name_of(claim))
            if ref and not (mine and ref.get("uid") in (None, uid_of(claim))):
                continue
            size = milli(str(get_in(spec, "capacity", "storage", default="0")))
            same_class = spec.get("storageClassName", "") == get_in(claim, "spec", "storageClassName", default="")
            if same_class and size >= wanted and modes <= set(spec.get("accessModes") or ()):
                fitting.append((not mine, size, name_of(volume), volume))
        return min(fitting, key=lambda row: row[:3])[3] if fitting else None

    def _provision(self, claim: Object, storage: Object, node: str | None) -> After | None:
        created = parse_time(claim["metadata"]["creationTimestamp"])
        if self.now < created + PROVISION and not node:
            return After(created + PROVISION - self.now)
        name = f"pvc-{uid_of(claim)}"
        spec: Object = {
            "accessModes": get_in(claim, "spec", "accessModes", default=["ReadWriteOnce"]),
            "capacity": {"storage": get_in(claim, "spec", "resources", "requests", "storage", default="1Gi")},
            "hostPath": {
                "path": f"/opt/local-path-provisioner/{name}_{namespace_of(claim)}_{name_of(claim)}",
                "type": "DirectoryOrCreate",
            },
            "persistentVolumeReclaimPolicy": storage.get("reclaimPolicy", "Delete"),
            "storageClassName": name_of(storage),
            "claimRef": _reference(claim),
        }
        if node:
            row = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [row]}]}}
        annotations = {"pv.kubernetes.io/provisioned-by": str(storage["provisioner"])}
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "annotations": annotations}}
        volume = self.client.find(VOLUMES, name) or self.client.create(VOLUMES, {**body, "spec": spec})
        self.recorder.event(claim, "Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {name}")
        self._bind(claim, volume)
        return None

    def _bind(self, claim: Object, volume: Object) -> None:
        reference = {**(get_in(volume, "spec", "claimRef", default={})), **_reference(claim)}
        if get_in(volume, "spec", "claimRef", "uid") != uid_of(claim):
            volume = self.client.update(VOLUMES, set_in(volume, ("spec", "claimRef"), reference))
        if get_in(volume, "status", "phase") != "Bound":
            self.client.update_status(VOLUMES, set_in(volume, ("status",), {"phase": "Bound"}))
        namespace = namespace_of(claim)
        claim = self.client.get(CLAIMS, name_of(claim), namespace)
        if get_in(claim, "spec", "volumeName") != name_of(volume):
            marks = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
            changed = merge_in(
                set_in(claim, ("spec", "volumeName"), name_of(volume)), ("metadata", "annotations"), marks
            )
            claim = self.client.update(CLAIMS, changed, namespace)
        status = {
            "accessModes": get_in(volume, "spec", "accessModes"),
            "capacity": get_in(volume, "spec", "capacity"),
            "phase": "Bound",
        }
        if claim.get("status") != status:
            self.client.update_status(CLAIMS, {**claim, "status": status}, namespace)

    def _volume(self, name: str) -> None:
        """Phase of a volume; after its claim has gone it is released, or deleted when its policy says so."""
        volume = self.client.find(VOLUMES, name)
        if volume is None or volume["metadata"].get("deletionTimestamp"):
            return
        ref = get_in(volume, "spec", "claimRef")
        if not ref or not ref.get("uid"):
            if get_in(volume, "status", "phase") != "Available":
                self.client.update_status(VOLUMES, set_in(volume, ("status",), {"phase": "Available"}))
            return
        claim = self.client.find(CLAIMS, str(ref["name"]), str(ref["namespace"]))
        if claim is not None and uid_of(claim) == ref["uid"]:
            return
        if get_in(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete":
            self.client.delete(VOLUMES, name)
        elif get_in(volume, "status", "phase") != "Released":
            self.client.update_status(VOLUMES, set_in(volume, ("status",), {"phase": "Released"}))


def _reference(claim: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": name_of(claim),
        "namespace": namespace_of(claim),
        "uid": uid_of(claim),
    }
