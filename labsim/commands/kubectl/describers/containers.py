"""Containers, volumes, probes, environment and tolerations: of a pod and of a pod template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from labsim.commands.kubectl.describers.base import capital, quantity, stamp, yes
from labsim.kube.objects import Object, get_in

if TYPE_CHECKING:
    from labsim.commands.kubectl.describers.base import Page

Resolve = Callable[[Mapping[str, Any]], str]


def write_containers(
    page: Page,
    title: str,
    containers: Sequence[Object],
    statuses: Sequence[Object] = (),
    resolve: Resolve | None = None,
    space: str = "",
) -> None:
    by_name = {status.get("name"): status for status in statuses}
    page.raw(f"{space}{title}:{'' if containers else ' <none>'}\n")
    for container in containers:
        status = by_name.get(container.get("name"))
        page.line(1, f"{' ' if space else ''}{container.get('name', '')}:")
        _basic(page, container, status)
        for label, words in (("Command", container.get("command")), ("Args", container.get("args"))):
            if words:
                page.line(2, f"{label}:")
                for word in words:
                    for part in str(word).split("\n"):
                        page.line(3, part)
        if status is not None:
            _state(page, "State", status.get("state") or {})
            if get_in(status, "lastState", "terminated") is not None:
                _state(page, "Last State", status["lastState"])
            page.field("Ready", capital(status.get("ready")), 2)
            page.field("Restart Count", status.get("restartCount", 0), 2)
        write_resources(page, container.get("resources") or {}, 2)
        for label, key in (("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")):
            if container.get(key):
                page.field(label, probe_text(container[key]), 2)
        if container.get("envFrom"):
            _env_from(page, container["envFrom"])
        _environment(page, container.get("env") or (), resolve)
        _mounts(page, container)


def _basic(page: Page, container: Object, status: Object | None) -> None:
    if status is not None:
        page.field("Container ID", status.get("containerID", ""), 2)
    page.field("Image", container.get("image", ""), 2)
    if status is not None:
        page.field("Image ID", status.get("imageID", ""), 2)
    ports, host_ports = [], []
    for port in container.get("ports") or ():
        named = f" ({port['name']})" if port.get("name") else ""
        protocol = port.get("protocol", "TCP")
        ports.append(f"{port.get('containerPort', 0)}/{protocol}{named}")
        host_ports.append(f"{port.get('hostPort', 0)}/{protocol}{named}")
    for label, found in (("Port", ports), ("Host Port", host_ports)):
        text = ", ".join(found)
        page.field(f"{label}s" if "," in text else label, text or "<none>", 2)


def _state(page: Page, label: str, state: Object) -> None:
    if state.get("running") is not None:
        page.field(label, "Running", 2)
        page.field("Started", stamp(state["running"].get("startedAt")), 3)
    elif state.get("terminated") is not None:
        ended = state["terminated"]
        page.field(label, "Terminated", 2)
        if ended.get("reason"):
            page.field("Reason", ended["reason"], 3)
        if ended.get("message"):
            page.field("Message", ended["message"], 3)
        page.field("Exit Code", ended.get("exitCode", 0), 3)
        if ended.get("signal"):
            page.field("Signal", ended["signal"], 3)
        page.field("Started", stamp(ended.get("startedAt")), 3)
        page.field("Finished", stamp(ended.get("finishedAt")), 3)
    else:
        page.field(label, "Waiting", 2)
        if get_in(state, "waiting", "reason"):
            page.field("Reason", state["waiting"]["reason"], 3)


def write_resources(page: Page, resources: Object, level: int) -> None:
    for label, key in (("Limits", "limits"), ("Requests", "requests")):
        if resources.get(key):
            page.line(level, f"{label}:")
            for name, value in sorted(resources[key].items()):
                page.field(name, quantity(value), level + 1)


def probe_text(probe: Object) -> str:
    tail = (
        f"delay={probe.get('initialDelaySeconds', 0)}s timeout={probe.get('timeoutSeconds', 0)}s "
        f"period={probe.get('periodSeconds', 0)}s #success={probe.get('successThreshold', 0)} "
        f"#failure={probe.get('failureThreshold', 0)}"
    )
    if probe.get("exec") is not None:
        return f"exec [{' '.join(probe['exec'].get('command') or ())}] {tail}"
    if probe.get("httpGet") is not None:
        get = probe["httpGet"]
        port = str(get.get("port", ""))
        host = f"{get.get('host', '')}:{port}" if port else str(get.get("host", ""))
        path = str(get.get("path", ""))
        path = path if not path or path.startswith("/") else "/" + path
        return f"http-get {str(get.get('scheme', '')).lower()}://{host}{path} {tail}"
    if probe.get("tcpSocket") is not None:
        socket = probe["tcpSocket"]
        return f"tcp-socket {socket.get('host', '')}:{socket.get('port', '')} {tail}"
    if probe.get("grpc") is not None:
        return f"grpc <pod>:{probe['grpc'].get('port', 0)} {probe['grpc'].get('service') or ''} {tail}"
    return f"unknown {tail}"


def _env_from(page: Page, sources: Sequence[Object]) -> None:
    page.line(2, "Environment Variables from:")
    for source in sources:
        kind, ref = (
            ("ConfigMap", source["configMapRef"])
            if source.get("configMapRef")
            else ("Secret", source.get("secretRef") or {})
        )
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        page.line(3, f"{ref.get('name', '')}\t{kind}{prefix}\tOptional: {yes(ref.get('optional'))}")


def _environment(page: Page, env: Sequence[Object], resolve: Resolve | None) -> None:
    page.line(2, "Environment:" + ("" if env else "\t<none>"))
    for entry in env:
        name, source = entry.get("name", ""), entry.get("valueFrom")
        if not source:
            for at, part in enumerate(str(entry.get("value") or "").split("\n")):
                page.line(3, f"{name}:\t{part}" if at == 0 else f"\t{part}")
        elif source.get("fieldRef"):
            ref = source["fieldRef"]
            value = resolve(ref) if resolve is not None else ""
            page.line(3, f"{name}:\t{value} ({ref.get('apiVersion', 'v1')}:{ref.get('fieldPath', '')})")
        elif source.get("resourceFieldRef"):
            ref = source["resourceFieldRef"]
            value = resolve(ref) if resolve is not None else ""
            page.line(3, f"{name}:\t{value} ({ref.get('resource', '')})")
        elif source.get("secretKeyRef"):
            ref = source["secretKeyRef"]
            text = f"<set to the key '{ref.get('key', '')}' in secret '{ref.get('name', '')}'>"
            page.line(3, f"{name}:\t{text}\tOptional: {yes(ref.get('optional'))}")
        elif source.get("configMapKeyRef"):
            ref = source["configMapKeyRef"]
            text = f"<set to the key '{ref.get('key', '')}' of config map '{ref.get('name', '')}'>"
            page.line(3, f"{name}:\t{text}\tOptional: {yes(ref.get('optional'))}")


def _mounts(page: Page, container: Object) -> None:
    mounts = container.get("volumeMounts") or ()
    page.line(2, "Mounts:" + ("" if mounts else "\t<none>"))
    for mount in sorted(mounts, key=lambda m: str(m.get("mountPath", ""))):
        flags = "ro" if mount.get("readOnly") else "rw"
        if mount.get("subPath"):
            flags += f',path="{mount["subPath"]}"'
        page.line(3, f"{mount.get('mountPath', '')} from {mount.get('name', '')} ({flags})")
    devices = container.get("volumeDevices") or ()
    if devices:
        page.line(2, "Devices:")
        for device in sorted(devices, key=lambda d: str(d.get("devicePath", ""))):
            page.line(3, f"{device.get('devicePath', '')} from {device.get('name', '')}")


def write_tolerations(page: Page, tolerations: Sequence[Object], indent: str = "") -> None:
    lines = []
    for toleration in sorted(tolerations, key=lambda t: str(t.get("key", ""))):
        text = str(toleration.get("key", ""))
        if toleration.get("value"):
            text += f"={toleration['value']}"
        if toleration.get("effect"):
            text += f":{toleration['effect']}"
        if toleration.get("operator") == "Exists" and not toleration.get("value"):
            text += " op=Exists" if text else "op=Exists"
        if toleration.get("tolerationSeconds") is not None:
            text += f" for {toleration['tolerationSeconds']}s"
        lines.append(text)
    page.lines(f"{indent}Tolerations:", lines)
