"""`allocatable`, `mig`, `pod_on`, `log`: what the cluster really offers, holds and runs."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from labsim.kube.objects import Object, get_in, is_true, name_of
from labsim.tickets.checks.compare import WORDS, satisfied
from labsim.tickets.scene import CheckError, Scene, Verdict, verdict


def allocatable(spec: dict[str, Any], scene: Scene) -> Verdict:
    read = f"node/{spec['node']} allocatable {spec['resource']}"
    expected = f"{WORDS[spec['op']]}{spec['value']}"
    node = scene.get("nodes", "", spec["node"])
    if node is None:
        return verdict(False, read, expected, "no such node")
    found = get_in(node, "status", "allocatable", spec["resource"], default="0")
    return verdict(satisfied([found], spec["op"], spec["value"]), read, expected, str(found))


def mig(spec: dict[str, Any], scene: Scene) -> Verdict:
    """Reads the hardware, not labels: a state label alone proves nothing."""
    from labsim.hardware.mig import mig_devices

    read = f"GPUs of {spec['node']}"
    wanted = ([spec["mode"]] if spec["mode"] else []) + (
        [_layout(spec["devices"])] if spec["devices"] is not None else []
    )
    expected = ", ".join(wanted) + " on " + ("every GPU" if spec["gpus"] == "all" else f"GPUs {spec['gpus']}")
    machine = scene.get("machines.hardware.labsim", "", spec["node"])
    if machine is None:
        return verdict(False, read, expected, "no such machine")
    gpus = {gpu["index"]: gpu for gpu in get_in(machine, "status", "gpus", default=())}
    indexes = sorted(gpus) if spec["gpus"] == "all" else spec["gpus"]
    if not indexes:
        raise CheckError(f"{spec['node']} has no GPUs")
    wrong = []
    for index in indexes:
        if index not in gpus:
            raise CheckError(f"{spec['node']} has no GPU {index}")
        gpu = gpus[index]
        have = Counter(device.name for device in mig_devices(gpu))
        mode_fits = spec["mode"] is None or gpu["mig"]["current"] == spec["mode"]
        devices_fit = spec["devices"] is None or have == Counter({k: v for k, v in spec["devices"].items() if v})
        if not (mode_fits and devices_fit):
            wrong.append(f"GPU {index}: MIG {gpu['mig']['current']}, {_layout(have)}")
    shown = "; ".join(wrong[:3]) + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")
    return verdict(not wrong, read, expected, shown or "as expected")


def _layout(devices: dict[str, int]) -> str:
    parts = [f"{count} x {profile}" for profile, count in sorted(devices.items()) if count]
    return " + ".join(parts) if parts else "no MIG devices"


def pods(spec: dict[str, Any], scene: Scene) -> list[Object]:
    if spec["name"]:
        found = scene.get("pods", spec["namespace"], spec["name"])
        return [found] if found is not None else []
    return scene.list("pods", spec["namespace"], spec["selector"])


def pod_on(spec: dict[str, Any], scene: Scene) -> Verdict:
    read = f"pods {spec['name'] or '-l ' + spec['selector']} -n {spec['namespace']}"
    where = (f" on {spec['node']}" if spec["node"] else "") + (
        f" not on {spec['not_node']}" if spec["not_node"] else ""
    )
    ready = {True: " and ready", False: " and not ready", None: ""}[spec["ready"]]
    number = "every one" if spec["count"] is None else str(spec["count"])
    expected = f"{number} {spec['phase']}{ready}{where}"
    found = pods(spec, scene)
    fitting = [pod for pod in found if _fits(spec, pod)]
    holds = len(fitting) == spec["count"] if spec["count"] is not None else bool(found) and len(fitting) == len(found)
    return verdict(holds, read, expected, "; ".join(_where(pod) for pod in found[:4]) or "no such pod")


def _fits(spec: dict[str, Any], pod: Object) -> bool:
    node = get_in(pod, "spec", "nodeName", default="")
    return (
        get_in(pod, "status", "phase") == spec["phase"]
        and not get_in(pod, "metadata", "deletionTimestamp")
        and (not spec["node"] or node == spec["node"])
        and (not spec["not_node"] or node != spec["not_node"])
        and (spec["ready"] is None or is_true(pod, "Ready") == spec["ready"])
    )


def _where(pod: Object) -> str:
    state = "Terminating" if get_in(pod, "metadata", "deletionTimestamp") else get_in(pod, "status", "phase")
    return f"{name_of(pod)} {state} on {get_in(pod, 'spec', 'nodeName', default='no node')}"


def log(spec: dict[str, Any], scene: Scene) -> Verdict:
    if scene.read_log is None:
        raise CheckError("logs can only be looked at as they are now")
    found = pods(spec, scene)
    read = f"log of {spec['name'] or '-l ' + spec['selector']} -n {spec['namespace']}"
    expected = f"a line containing {spec['contains']}" if spec["contains"] is not None else f"/{spec['matches']}/"
    if not found:
        return verdict(False, read, expected, "no such pod")
    last = "an empty log"
    for pod in found:
        container = spec["container"] or pod["spec"]["containers"][0]["name"]
        text = scene.read_log(spec["namespace"], name_of(pod), container)
        if text:
            if spec["contains"] is not None and spec["contains"] in text:
                return verdict(True, read, expected, "found")
            if spec["matches"] is not None and re.search(spec["matches"], text, re.MULTILINE):
                return verdict(True, read, expected, "found")
            last = "last line: " + text.rstrip("\n").rsplit("\n", 1)[-1]
    return verdict(False, read, expected, last)
