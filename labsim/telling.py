"""Putting into words what happened in a lab: writes, and faults of labsim itself."""

from __future__ import annotations

from labsim.kube.cluster import Cluster
from labsim.sim.clock import rfc3339
from labsim.sim.journal import Write


def changes(cluster: Cluster, number: int) -> list[str]:
    """The writes of one input, a line each, without the hidden resources."""
    lines = []
    for write in cluster.journal.writes:
        resource = cluster.api.scheme.find(write.resource)
        if number and write.input == number and (resource is None or not resource.hidden):
            lines.append(describe(write))
    return lines


def describe(write: Write) -> str:
    """`10:02:11 update node/gpu-node2 metadata.labels by kubernetes-admin`."""
    place = f"{write.resource}/{write.name}" + (f" -n {write.namespace}" if write.namespace else "")
    changed = ""
    if write.before is not None and write.after is not None:
        old, new = write.before, write.after
        parts = sorted(k for k in {**old, **new} if k != "metadata" and old.get(k) != new.get(k))
        parts += [f"metadata.{k}" for k in ("labels", "annotations", "deletionTimestamp", "finalizers")
                  if old["metadata"].get(k) != new["metadata"].get(k)]  # fmt: skip
        changed = " " + ", ".join(parts) if parts else ""
    return f"{rfc3339(write.time)[11:19]} {write.verb} {place}{changed} by {write.actor}"


def place_of(error: Exception) -> str:
    """`KeyError: 'x' (kubectl/verbs/get.py:31)`: enough for a report, on one line."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "labsim" in code.co_filename:
            place = f"{'/'.join(code.co_filename.split('/')[-3:])}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]} ({place})"
