"""Names that the parts of the GPU Operator agree on: labels, namespaces, files (gpu.md 2.2, 5)."""

from __future__ import annotations

NAMESPACE = "gpu-operator"
VERSION = "v26.3.3"

MIG_CONFIG = "nvidia.com/mig.config"
MIG_STATE = "nvidia.com/mig.config.state"
MIG_CAPABLE = "nvidia.com/mig.capable"
GPU_PRODUCT = "nvidia.com/gpu.product"
GPU_PRESENT = "nvidia.com/gpu.present"
OPERANDS = "nvidia.com/gpu.deploy.operands"
WORKLOAD_CONFIG = "nvidia.com/gpu.workload.config"
UPGRADE_STATE = "nvidia.com/gpu-driver-upgrade-state"
UPGRADE_ENABLED = "nvidia.com/gpu-driver-upgrade-enabled"
PLUGIN_CONFIG = "nvidia.com/device-plugin.config"

DEPLOY = "nvidia.com/gpu.deploy."
# What the operator sets on a node with GPUs whose workload configuration is `container`.
DEPLOY_LABELS = tuple(
    DEPLOY + name
    for name in (
        "driver",
        "gpu-feature-discovery",
        "container-toolkit",
        "device-plugin",
        "dcgm",
        "dcgm-exporter",
        "node-status-exporter",
        "operator-validator",
    )
)
MIG_MANAGER_DEPLOY = DEPLOY + "mig-manager"
# What MIG Manager 0.14 pauses, in its order.
PAUSED_LABELS = tuple(
    DEPLOY + name for name in ("device-plugin", "gpu-feature-discovery", "dcgm-exporter", "dcgm", "nvsm")
)
PAUSED = "paused-for-mig-change"

# NFD marks a node with an NVIDIA display, 3D or other PCI device by one of these.
NFD_PREFIX = "feature.node.kubernetes.io/"
GPU_NFD_LABELS = tuple(
    NFD_PREFIX + name for name in ("pci-10de.present", "pci-0302_10de.present", "pci-0300_10de.present")
)

# Files under /run/nvidia/validations on a node; kept in the Machine's status as a list of names.
DRIVER_READY = "driver-ready"
TOOLKIT_READY = "toolkit-ready"
CUDA_READY = "cuda-ready"
PLUGIN_READY = "plugin-ready"

POLICIES = "clusterpolicies.nvidia.com"
NODE_FEATURES = "nodefeatures.nfd.k8s-sigs.io"
CONTAINERS = "containers.runtime.labsim"
PLUGINS = "deviceplugins.runtime.labsim"
MACHINES = "machines.hardware.labsim"

# The content of the driver-ready file of a driver container (gpu-operator cmd/nvidia-validator/driver.go); the entry
# scripts of the other operands print it.
DRIVER_ENV = (
    "IS_HOST_DRIVER=false",
    "NVIDIA_DRIVER_ROOT=/run/nvidia/driver",
    "DRIVER_ROOT_CTR_PATH=/driver-root",
    "NVIDIA_DEV_ROOT=/run/nvidia/driver",
    "DEV_ROOT_CTR_PATH=/driver-root",
)


def service_account(name: str, namespace: str = NAMESPACE) -> str:
    """The identity under which a pod with this service account writes."""
    return f"system:serviceaccount:{namespace}:{name}"
