"""Admission plugins, in the order in which kube-apiserver runs them."""

from __future__ import annotations

from labsim.kube.admission.base import Plugin
from labsim.kube.admission.limits import LimitRanger
from labsim.kube.admission.namespaces import NamespaceLifecycle
from labsim.kube.admission.pods import DefaultTolerations, Priority, RuntimeClasses, ServiceAccounts
from labsim.kube.admission.podsecurity import PodSecurity
from labsim.kube.admission.quota import ResourceQuota
from labsim.kube.admission.storage import DefaultStorageClass, StorageProtection

__all__ = ["Plugin", "plugins"]


def plugins() -> list[Plugin]:
    return [
        NamespaceLifecycle(),
        LimitRanger(),
        ServiceAccounts(),
        PodSecurity(),
        Priority(),
        DefaultTolerations(),
        DefaultStorageClass(),
        StorageProtection(),
        RuntimeClasses(),
        ResourceQuota(),
    ]
