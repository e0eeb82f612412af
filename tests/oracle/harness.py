"""The same lines on labsim's kubectl (lab A) and on the real one over an HTTP front (lab B), compared step by step.

A case file is YAML: {world, seed, files: {name: text}, steps: [line | {run, stdin?, differs?: reason, unordered?}]}.
Compared: exit code, stdout, stderr, and after the step all objects that the API shows. Normalised is only what
rest-api.md 11 names: ages under ten minutes, the server's address, the client's log prefix; stamps are not masked but
moved back by the front's shift. `differs` keeps a known difference with its reason; it fails when the two agree.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from binary import kubectl_path
from front import STEP, Front, kubeconfig

from labsim.commands.base import Interrupted, Result, WaitEnd
from labsim.kube.cluster import Cluster
from labsim.kube.objects import Object
from tests.fakes.context import FakeFiles, context

CASES = Path(__file__).parent / "cases"
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=(?:\.\d+)?Z)")
_RFC1123 = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000")
_FORM = "%a, %d %b %Y %H:%M:%S +0000"
_YOUNG = re.compile(r"(?<![\w-])(?:[0-9]m(?:[0-9]+s)?|[0-9]{1,3}s)(?![\w])")
_VIEWS = ("metrics.k8s.io", "events.k8s.io")  # other faces of what is compared already
SERVER = "https://10.141.0.2:6443"


@dataclass
class Difference:
    case: str
    line: str
    what: str
    labsim: str
    real: str

    def __str__(self) -> str:
        return f"{self.case}: $ {self.line}\n--- labsim {self.what}\n{self.labsim}\n--- real {self.what}\n{self.real}"


@dataclass
class Report:
    steps: int = 0
    differences: list[Difference] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class LabServices:
    """Waiting in lab A: the cluster's time goes on in steps until the condition holds."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def ask(self, ctx: Any, prompt: str) -> str:
        return str(ctx.stdin.split("\n", 1)[0])

    def now(self) -> int:
        return self.cluster.clock.now

    def emit(self, text: str, stream: str) -> None:
        pass

    def advance(self, until: Any, timeout_ms: int | None) -> WaitEnd:
        deadline = None if timeout_ms is None else self.now() + timeout_ms
        for _ in range(360):
            if until is not None and until():
                return WaitEnd.DONE
            target = self.now() + STEP if deadline is None else min(self.now() + STEP, deadline)
            if self.cluster.loop.advance_to(target, until):
                return WaitEnd.DONE
            if deadline is not None and self.now() >= deadline:
                return WaitEnd.TIMEOUT
        return WaitEnd.LIMIT

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"the oracle's lab has no {name}")


class Pair:
    """Two labs of one world and seed, side by side."""

    def __init__(self, world: str, seed: int, files: dict[str, str], folder: Path) -> None:
        from labsim.worlds import open_world

        self.a, self.b = open_world(world, seed), open_world(world, seed)
        self.front = Front(self.b)
        self.apart: set[str] = set()
        self.folder = folder
        (folder / "home").mkdir()
        (folder / "work").mkdir()
        for name, text in files.items():
            path = folder / "work" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.config = folder / "config"
        self.config.write_text(kubeconfig(self.front.url))
        self.fs = FakeFiles({f"/root/{name}": text for name, text in files.items()})
        self.fs.mkdir("/root/.kube", parents=True)
        self.fs.write_text("/root/.kube/config", kubeconfig(SERVER))

    def labsim(self, words: list[str], stdin: str | None) -> Result:
        from labsim.commands.kubectl.main import main

        client = self.a.client("kubernetes-admin")
        services = LabServices(self.a)
        ctx = context(
            "kubectl",
            *words,
            client=client,
            fs=self.fs,
            services=services,
            stdin=stdin or "",
            env={"HOME": "/root"},
            stdout_is_tty=False,
        )
        try:
            code = main(ctx)
        except Interrupted as end:
            code = end.exit_code
        except Exception:  # a crash of one line is a difference, not the end of the file
            ctx.err(traceback.format_exc())
            code = 70
        return ctx.result(code)

    def real(self, words: list[str], stdin: str | None) -> Result:
        path = kubectl_path()
        assert path is not None
        self.front.align()
        env = {
            "HOME": str(self.folder / "home"),
            "PATH": "/nonexistent",
            "KUBECONFIG": str(self.config),
            "KUBECACHEDIR": str(self.folder / "cache"),
            "TZ": "UTC",
        }
        done = subprocess.run(
            [path, *words],
            input=stdin or "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
            env=env,
            cwd=self.folder / "work",
        )
        if {"version", "logs"} & set(words):  # stamps of the build, and log lines: the front does not move them
            return Result(self._named(done.stdout), self._named(done.stderr), done.returncode)
        return Result(self._named(self._back(done.stdout)), self._named(self._back(done.stderr)), done.returncode)

    def _named(self, text: str) -> str:
        """The server's address and the kubeconfig's path as lab A has them."""
        return text.replace(self.front.url, SERVER).replace(str(self.config), "/root/.kube/config")

    def _back(self, text: str) -> str:
        by = timedelta(seconds=-self.front.shift)

        def iso(found: re.Match[str]) -> str:
            if found[0].startswith("0001"):
                return found[0]
            return f"{datetime.fromisoformat(found[0]) + by:%Y-%m-%dT%H:%M:%S}"

        def rfc(found: re.Match[str]) -> str:
            when = datetime.strptime(found[0], _FORM).replace(tzinfo=UTC)
            return found[0] if when.year == 1 else (when + by).strftime(_FORM)

        return _RFC1123.sub(rfc, _RFC3339.sub(iso, text))

    def step(self) -> None:
        """The end of a line: both labs stand one step after the later of them."""
        with self.front.lock:
            target = max(self.a.clock.now, self.b.clock.now) + STEP
            for cluster in (self.a, self.b):
                cluster.loop.advance_to(target)

    def close(self) -> None:
        self.front.close()


def young(text: str) -> str:
    return _YOUNG.sub("<AGE>", text)


def objects_of(cluster: Cluster) -> dict[str, Object]:
    """Everything but what names an instant of the wall clock or a revision."""
    out: dict[str, Object] = {}
    client = cluster.client("kubernetes-admin")
    for res in client.scheme:
        if res.hidden or "list" not in res.verbs or res.group in _VIEWS:
            continue
        for obj in client.list(res.key):
            metadata = {k: v for k, v in obj["metadata"].items() if k not in ("resourceVersion", "managedFields")}
            annotations = {
                k: v
                for k, v in (metadata.get("annotations") or {}).items()
                if k not in ("kubectl.kubernetes.io/last-applied-configuration", "kubectl.kubernetes.io/restartedAt")
            }
            out[f"{res.key}/{metadata.get('namespace', '')}/{metadata['name']}"] = {
                **obj,
                "metadata": {**metadata, "annotations": annotations},
            }
    return out


def run_file(path: Path, report: Report) -> None:
    case = yaml.safe_load(path.read_text())
    with TemporaryDirectory() as folder:
        pair = Pair(case.get("world", "dgx-h100-busy"), case.get("seed", 1), case.get("files") or {}, Path(folder))
        try:
            for step in case["steps"]:
                _step(pair, path.stem, step if isinstance(step, dict) else {"run": step}, report)
        finally:
            pair.close()


def _step(pair: Pair, case: str, step: dict[str, Any], report: Report) -> None:
    line, stdin = step["run"], step.get("stdin")
    words = shlex.split(line)
    words = words[1:] if words[:1] == ["kubectl"] else words
    found = list(_compare(pair.labsim(words, stdin), pair.real(words, stdin), bool(step.get("unordered"))))
    before = pair.a.journal.revision
    if step.get("expect_stdout") is not None:  # the deliberately wrong case
        found = [("stdout", step["expect_stdout"], pair.real(words, stdin).stdout)]
        found = [f for f in found if f[1] != f[2]]
    if before != pair.b.journal.revision or step.get("objects"):
        for cluster in (pair.a, pair.b):  # a client with several requests lets lab B's controllers run between them
            with pair.front.lock:
                cluster.loop.drain()
        a, b = objects_of(pair.a), objects_of(pair.b)
        apart = {key for key in (*a, *b) if a.get(key) != b.get(key)}
        for key in sorted(apart - pair.apart):  # an object that differs is told of once
            found.append((f"object {key}", str(a.get(key)), str(b.get(key))))
        pair.apart = apart
    report.steps += 1
    if step.get("differs"):
        report.kept.append(f"{case}: $ {line}: {step['differs']}")
        if not found:
            report.differences.append(Difference(case, line, "kept difference", "agrees now", "agrees now"))
    else:
        report.differences += [Difference(case, line, *one) for one in found]
    if step.get("steps", 1):
        pair.step()


def in_any_order(text: str) -> str:
    """Go's map order taken away (rest-api.md 11): lines are sorted; within a line of drain its reasons, and the pods of
    each reason, are. A pod stays with its reason and a reason with its line."""
    return "\n".join(sorted(_reasons(line) for line in text.split("\n")))


def _reasons(line: str) -> str:
    prefix, found, suffix = line, "", ""
    if match := re.fullmatch(r"(.*?\[)(cannot delete.*)(\].*)", line):
        prefix, found, suffix = match.groups()
    elif match := re.fullmatch(r"(Warning: |)((?:cannot delete|deleting Pods|ignoring DaemonSet).*)", line):
        prefix, found = match.groups()
    parts = re.split(r"; |, (?=cannot delete)", found)
    return prefix + " / ".join(sorted(_pods(part) for part in parts)) + suffix


def _pods(reason: str) -> str:
    head, colon, pods = reason.rpartition(": ")
    return head + colon + ", ".join(sorted(pods.split(", ")))


def _compare(ours: Result, real: Result, unordered: bool) -> Iterator[tuple[str, str, str]]:
    if ours.exit_code != real.exit_code:
        yield "exit code", str(ours.exit_code), str(real.exit_code)
    for what, a, b in (("stdout", ours.stdout, real.stdout), ("stderr", ours.stderr, real.stderr)):
        if unordered:
            a, b = in_any_order(a), in_any_order(b)
        if young(a) != young(b):
            yield what, a, b
