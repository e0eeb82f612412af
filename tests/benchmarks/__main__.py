"""Prints the table of budgets. Each row is a ratio, or a number, from this one run; exit 1 when one is missed.

Rows that need the real kubectl are left out (and said so) where it cannot be had ($LABSIM_KUBECTL).
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from labsim import Lab
from labsim.kube.cluster import Cluster
from labsim.worlds import open_world
from labsim.worlds.assemble import assemble
from tests.oracle.binary import kubectl, kubectl_path
from tests.oracle.front import Front, kubeconfig

ROUNDS = 9
GET_NODES = "kubectl get nodes"


@dataclass(frozen=True)
class Row:
    what: str
    measured: str
    budget: str
    met: bool


def median_ms(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median wall time of a call, after one that is not counted."""
    work()
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def process(*arguments: str) -> Callable[[], object]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return lambda: subprocess.run([sys.executable, *arguments], capture_output=True, check=True, env=kept)


def ratio(what: str, ours: float, base: float, most: float, against: str) -> Row:
    found = ours / base
    shown = f"{found:.3g} x ({ours:.3g} ms / {base:.3g} ms)"
    return Row(what, shown, f"<= {most:.3g} x {against}", found <= most)


def help_row() -> Row:
    ours = median_ms(process("-m", "labsim.cli", "--help"))
    return ratio("labsim --help", ours, median_ms(process("-c", "pass")), 3, "python -c pass")


def kubectl_rows(lab: Lab) -> Iterator[Row]:
    """The whole process and one command, against the real client on a loopback API."""
    ours = median_ms(process("-m", "labsim.cli", "run", "-c", GET_NODES))
    inside = median_ms(lambda: lab.run(GET_NODES), 200)
    if kubectl_path() is None:
        yield Row("labsim run -c 'kubectl get nodes'", f"{ours:.3g} ms", "no real kubectl to compare with", True)
        yield Row("one command in an open lab, p50", f"{inside:.3g} ms", "no real kubectl to compare with", True)
        return
    front = Front(open_world("dgx-h100-busy", 1))
    front.align()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config"
        path.write_text(kubeconfig(front.url))

        def real() -> None:
            done = kubectl("get", "nodes", kubeconfig=str(path))
            assert done.returncode == 0, done.stderr

        base = median_ms(real)
    front.close()
    yield ratio("labsim run -c 'kubectl get nodes', whole process", ours, base, 2, "real kubectl get nodes")
    yield ratio("one command in an open lab, p50", inside, base, 1 / 50, "real kubectl get nodes")


def cluster_of(nodes: int) -> Cluster:
    """A settled cluster of so many bare nodes, heartbeats and all."""
    pattern = open_world("dgx-h100", 1).client("kubernetes-admin").get("nodes", "gpu-node1")
    cluster = assemble(1, 1_794_303_660_000)
    admin = cluster.client("kubernetes-admin")
    for number in range(nodes):
        node = deepcopy(pattern)
        name = f"node-{number}"
        node["metadata"] = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        node["spec"] = {}
        admin.create("nodes", node)
        if number % 50 == 0:  # a thousand nodes do not join in the same instant
            cluster.loop.advance_to(cluster.clock.now + 1000)
    for _ in range(12):
        cluster.loop.advance_to(cluster.clock.now + 10_000)
    return cluster


def idle_step_row() -> Row:
    def step(cluster: Cluster) -> Callable[[], None]:
        return lambda: cluster.loop.advance_to(cluster.clock.now + 10_000)

    small, large = cluster_of(3), cluster_of(3000)
    return ratio(
        "an idle step, 3,000 nodes", median_ms(step(large), 99), median_ms(step(small), 99), 1.5, "with 3 nodes"
    )


def undo_row() -> Row:
    lab = Lab.open(world="dgx-h100")
    times = []
    for _ in range(5):
        out = lab.run("kubectl create deployment web --image=busybox:1.36 --replicas=50")
        pods = sum(write.resource == "pods" and write.verb == "create" for write in out.changes)
        assert pods == 50, pods
        begun = time.perf_counter()
        lab.undo()
        times.append((time.perf_counter() - begun) * 1000)
    found = statistics.median(times)
    return Row("undo after a line that made 50 pods", f"{found:.3g} ms", "<= 10 ms", found <= 10)


def memory_row() -> Row:
    """Python's own memory and the process's (which sees the shell engine too); the larger counts."""
    keep = [Lab.open()]
    keep[0].run(GET_NODES)
    gc.collect()
    page = os.sysconf("SC_PAGE_SIZE")

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * page

    before = resident()
    for _ in range(10):
        keep.append(Lab.open())
        keep[-1].run(GET_NODES)
    gc.collect()
    by_process = (resident() - before) / 10 / 1e6
    tracemalloc.start()
    keep.append(Lab.open())
    keep[-1].run(GET_NODES)
    gc.collect()
    by_python = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    found = max(by_process, by_python)
    return Row("one more open lab in a process", f"{found:.3g} MB", "<= 10 MB", found <= 10)


def main() -> int:
    rows = [help_row(), *kubectl_rows(Lab.open()), idle_step_row(), undo_row(), memory_row()]
    wide = max(len(row.what) for row in rows)
    wider = max(len(row.measured) for row in rows)
    for row in rows:
        print(f"{row.what:<{wide}}  {row.measured:<{wider}}  {row.budget:<34}  {'ok' if row.met else 'MISSED'}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
