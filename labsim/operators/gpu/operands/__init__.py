"""What the ClusterPolicy controller creates, state by state. Source: gpu-operator v26.3.3 assets and object controls.

`STATES` is in the operator's order; each entry renders the objects of one state from the ClusterPolicy's spec.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from labsim.operators.gpu.operands import dcgm, device_plugin, driver, features, mig_manager, toolkit, validator
from labsim.operators.gpu.operands.parts import Objects, part

Spec = Mapping[str, Any]


@dataclass(frozen=True)
class State:
    """`enabled(spec)` says whether the state's objects exist; `render(spec)` makes them, the DaemonSet last."""

    name: str
    enabled: Callable[[Spec], bool]
    render: Callable[[Spec], Objects]


def _nothing(spec: Spec) -> Objects:
    return []


def _always(spec: Spec) -> bool:
    return True


def _switch(section: str, default: bool = True) -> Callable[[Spec], bool]:
    return lambda spec: bool(part(spec, section).get("enabled", default))


STATES = (
    State("pre-requisites", _always, toolkit.runtime_class),
    State("state-operator-metrics", _always, _nothing),
    State("state-driver", _switch("driver"), driver.render),
    State("state-container-toolkit", _switch("toolkit"), toolkit.render),
    State("state-operator-validation", _always, validator.render),
    State("state-device-plugin", _switch("devicePlugin"), device_plugin.render),
    State("state-mps-control-daemon", _switch("devicePlugin"), _nothing),
    State("state-dcgm", _switch("dcgm", False), dcgm.render_engine),
    State("state-dcgm-exporter", _switch("dcgmExporter"), dcgm.render_exporter),
    State("gpu-feature-discovery", _switch("gfd"), features.render),
    State("state-mig-manager", _switch("migManager"), mig_manager.render),
    State("state-node-status-exporter", _switch("nodeStatusExporter", False), _nothing),
)
