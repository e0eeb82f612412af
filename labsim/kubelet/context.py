"""What one sync of one pod works with; shared by the steps in the modules beside this one."""

from __future__ import annotations

from dataclasses import dataclass, field

from labsim.kube.client import Client
from labsim.kube.events import Recorder
from labsim.kube.objects import Object, get_in, name_of, namespace_of, set_in, uid_of
from labsim.kubelet import runtime
from labsim.kubelet.lifecycle import Lifecycle
from labsim.sim.loop import After

MACHINES = "machines.hardware.labsim"


@dataclass
class PodSync:
    """`dues`: (ms, periodic) instants at which to look again."""

    client: Client
    recorder: Recorder
    lifecycle: Lifecycle
    seed: int
    node: Object
    machine: Object
    pod: Object
    containers: dict[str, Object]
    dues: list[tuple[int, bool]] = field(default_factory=list)

    @property
    def now(self) -> int:
        return self.client.now

    @property
    def node_name(self) -> str:
        return name_of(self.node)

    @property
    def full_name(self) -> str:
        """NAME_NAMESPACE(UID), as the kubelet writes pods in its messages."""
        return f"{name_of(self.pod)}_{namespace_of(self.pod)}({uid_of(self.pod)})"

    def due(self, at: int, periodic: bool = False) -> None:
        self.dues.append((at, periodic))

    def after(self) -> After | None:
        """The earliest of all instants; progress wins over periodic at the same time."""
        if not self.dues:
            return None
        at, periodic = min(self.dues)
        return After(max(at - self.now, 1), periodic and all(p for _, p in self.dues))

    def specs(self, *groups: str) -> list[tuple[str, Object]]:
        """(group, container spec) in order; all groups by default."""
        wanted = groups or ("initContainers", "containers", "ephemeralContainers")
        return [(group, spec) for group in wanted for spec in get_in(self.pod, "spec", group, default=())]

    def store(self, container: Object, **status: object) -> Object:
        """Write status fields of a container (None removes one); returns and remembers the new object."""
        merged = {k: v for k, v in {**container["status"], **status}.items() if v is not None or k == "ready"}
        changed = runtime.store(self.client, set_in(container, ("status",), merged))
        self.containers[changed["spec"]["container"]] = changed
        return changed

    def store_spec(self, container: Object, **spec: object) -> Object:
        changed = runtime.store(self.client, set_in(container, ("spec",), {**container["spec"], **spec}))
        self.containers[changed["spec"]["container"]] = changed
        return changed

    def event(self, kind: str, reason: str, message: str, container: str = "", group: str = "containers") -> None:
        self.recorder.event(self.pod, kind, reason, message, f"spec.{group}{{{container}}}" if container else "")

    # -- what belongs to the pod as a whole is kept with its first container ------------------------------------------

    @property
    def first(self) -> Object:
        return self.containers[self.specs()[0][1]["name"]]

    def memory(self, key: str) -> Object:
        found: Object = get_in(self.first, "status", "pod", key, default={})
        return found

    def remember(self, key: str, value: Object) -> None:
        kept = {**get_in(self.first, "status", "pod", default={}), key: value}
        self.store(self.first, pod={k: v for k, v in kept.items() if v})

    def policy(self, group: str, spec: Object) -> str:
        """The restart policy that holds for a container."""
        if group == "initContainers":
            if spec.get("restartPolicy") == "Always":
                return "Always"
            return "Never" if get_in(self.pod, "spec", "restartPolicy") == "Never" else "OnFailure"
        if group == "ephemeralContainers":
            return "Never"
        return str(get_in(self.pod, "spec", "restartPolicy", default="Always"))

    def env(self, spec: Object) -> dict[str, str]:
        """The literal environment, with the fields that the downward API fills in."""
        found = {"HOSTNAME": name_of(self.pod)}
        for item in spec.get("env") or ():
            path = get_in(item, "valueFrom", "fieldRef", "fieldPath")
            if path:
                value = get_in(self.pod, *str(path).split("."), default="")
                found[item["name"]] = str(value)
            elif "valueFrom" not in item:
                found[item["name"]] = str(item.get("value", ""))
        return found
