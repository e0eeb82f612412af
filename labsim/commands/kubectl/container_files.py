"""What a container sees: its environment and the files that its volumes bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labsim.kube.objects import Object, get_in, name_of, namespace_of

if TYPE_CHECKING:
    from labsim.commands.kubectl.session import Kubectl

_TOKENS = "/var/run/secrets/kubernetes.io/serviceaccount"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(kubectl: Kubectl, pod: Object, spec: Object, container: Object) -> dict[str, str]:
    """The variables that the kubelet and the runtime set. Secrets and resource fields are left out."""
    env = {
        "PATH": _PATH,
        "HOSTNAME": name_of(pod),
        "KUBERNETES_SERVICE_HOST": "10.96.0.1",
        "KUBERNETES_SERVICE_PORT": "443",
    }
    devices = [d for found in (container["spec"].get("devices") or {}).values() for d in found]
    if devices:
        env["NVIDIA_VISIBLE_DEVICES"] = ",".join(devices)
    for entry in spec.get("env") or ():
        value = _value(kubectl, pod, entry)
        if value is not None:
            env[entry["name"]] = value
    return env


def _value(kubectl: Kubectl, pod: Object, entry: Object) -> str | None:
    source = entry.get("valueFrom")
    if not source:
        return str(entry.get("value", ""))
    if "fieldRef" in source:
        found = get_in(pod, *str(source["fieldRef"]["fieldPath"]).split("."))
        return None if found is None else str(found)
    if "configMapKeyRef" in source:
        ref = source["configMapKeyRef"]
        data = kubectl.client.find("configmaps", ref["name"], namespace_of(pod))
        found = get_in(data, "data", ref["key"])
        return None if found is None else str(found)
    return None


def files(kubectl: Kubectl, pod: Object, spec: Object, release: str) -> dict[str, str]:
    """What the image and the kubelet lay down: names and DNS, the service account, mounted config maps."""
    namespace = namespace_of(pod)
    passwd = "root:x:0:0:root:/root:/bin/sh\n"
    found = {**_names(kubectl, pod), "/etc/passwd": passwd, f"{_TOKENS}/namespace": namespace}
    if release:
        found["/etc/os-release"] = release
    authority = kubectl.client.find("configmaps", "kube-root-ca.crt", namespace)
    if get_in(authority, "data", "ca.crt"):
        found[f"{_TOKENS}/ca.crt"] = str(get_in(authority, "data", "ca.crt"))
    volumes = {v["name"]: v for v in get_in(pod, "spec", "volumes", default=())}
    for mount in spec.get("volumeMounts") or ():
        source = get_in(volumes, mount["name"], "configMap")
        if not source:
            continue
        config = kubectl.client.find("configmaps", source["name"], namespace_of(pod))
        data = get_in(config, "data", default={})
        names = {item["key"]: item["path"] for item in source.get("items") or ()} or {key: key for key in data}
        at = str(mount["mountPath"]).rstrip("/")
        for key, name in names.items():
            if key not in data:
                continue
            if not mount.get("subPath"):
                found[f"{at}/{name}"] = str(data[key])
            elif mount["subPath"] == name:
                found[at] = str(data[key])
    return found


def _names(kubectl: Kubectl, pod: Object) -> dict[str, str]:
    """/etc/hostname, /etc/hosts and /etc/resolv.conf as the kubelet writes them (kubelet_pods.go, dns.go)."""
    namespace, name = namespace_of(pod), name_of(pod)
    hosts = (
        "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"
        "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"
    )
    found = {"/etc/hostname": f"{name}\n", "/etc/hosts": f"{hosts}{get_in(pod, 'status', 'podIP')}\t{name}\n"}
    dns = kubectl.client.find("services", "kube-dns", "kube-system")
    if dns is not None and get_in(pod, "spec", "dnsPolicy") in ("ClusterFirst", "ClusterFirstWithHostNet"):
        domains = f"{namespace}.svc.cluster.local svc.cluster.local cluster.local"
        address = get_in(dns, "spec", "clusterIP")
        found["/etc/resolv.conf"] = f"search {domains}\nnameserver {address}\noptions ndots:5\n"
    return found
