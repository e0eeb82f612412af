"""The kubeconfig that kubeadm leaves in the administrator's home."""

from __future__ import annotations

# What the real file holds here is a certificate and key; `kubectl config view` prints DATA+OMITTED in their place.
_DATA = "c2ltdWxhdGVkIGJ5IGxhYnNpbQo="

_TEXT = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {data}
    server: {server}
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user:
    client-certificate-data: {data}
    client-key-data: {data}
"""


def text(server: str) -> str:
    """`server` is the world's API address. Names are those kubeadm gives."""
    return _TEXT.format(data=_DATA, server=server)


def open_text(server: str) -> str:
    """The same for a server that is reached over plain HTTP on loopback: there is nothing to prove who one is."""
    kept = (line for line in _TEXT.splitlines(keepends=True) if "-data:" not in line)
    return "".join(kept).replace("  user:\n", "  user: {{}}\n").format(server=server)
