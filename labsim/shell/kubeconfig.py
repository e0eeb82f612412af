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
