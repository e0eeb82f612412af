"""Plays a case of reports.yaml: its world, its lines, and what must hold then (the keys: head of that file)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from labsim import Lab
from labsim.kube.objects import labels_of, name_of
from labsim.lab import Outcome
from labsim.worlds import audit

HERE = Path(__file__).parent
WORLD = "dgx-h100"
STEPS = 60
_POD = re.compile(r"\{\{pod (?P<namespace>\S+) (?P<label>[^\s}]+)(?: (?P<node>[^\s}]+))?\}\}")

Case = dict[str, Any]
Shown = tuple[str, str, int]


def cases() -> list[Case]:
    loaded: list[Case] = yaml.safe_load((HERE / "reports" / "reports.yaml").read_text("utf-8"))
    return loaded


def known() -> dict[str, dict[str, str]]:
    """`absent`: cases that need an area not built yet; `failing`: cases that fail although their area is there."""
    loaded: dict[str, dict[str, str]] = yaml.safe_load((HERE / "reports" / "known.yaml").read_text("utf-8"))
    return loaded


class Stuck(Exception):
    """The case cannot be played to its end."""


def fill_in(lab: Lab, line: str) -> str:
    """Replace each {{pod NS k=v NODE}} by the name of the one pod it means now."""

    def look_up(found: re.Match[str]) -> str:
        pods = lab.client.list("pods", namespace=found["namespace"], label_selector=found["label"])
        names = [name_of(p) for p in pods if not found["node"] or p["spec"].get("nodeName") == found["node"]]
        if len(names) != 1:
            raise Stuck(f"{found.group()} means {len(names)} pods")
        return names[0]

    return _POD.sub(look_up, line)


def play_line(lab: Lab, line: str) -> Shown:
    """A typed line, or one of the @words."""
    if line == "@settle":
        lab.settle(STEPS)
        return "", "", 0
    if line.startswith("@until label "):
        _, _, node, wanted = line.split(" ")
        key, _, value = wanted.partition("=")
        for _ in range(STEPS):
            if labels_of(lab.client.get("nodes", node)).get(key) == value:
                return "", "", 0
            lab.advance()
        raise Stuck(f"{line}: not reached in {STEPS} steps")
    out: Outcome = lab.run(fill_in(lab, line))
    if "Traceback (most recent call last)" in out.stderr + out.stdout:
        raise Stuck(f"{line}: labsim broke: {out.stderr[-400:]}")
    return out.stdout, out.stderr, out.exit_code


def open_case(case: Case) -> Lab:
    """The baseline with the case's files, faults and set-up lines. Raises Stuck for a set-up line that fails."""
    lab = Lab.open(world=WORLD)
    for path, text in (case.get("files") or {}).items():
        lab.edit(path, text)

    def inject(when: str) -> None:
        for fault in case.get("faults") or ():
            if fault.get("when", "before-setup") == when:
                where = {k: v for k, v in fault.items() if k not in ("kind", "when", "note")}
                lab.fault(fault["kind"], **where)
                lab.settle(STEPS)

    inject("before-setup")
    for line in case["setup"]:
        _, stderr, code = play_line(lab, line)
        if code:
            raise Stuck(f"set-up line {line.splitlines()[0]!r}: exit {code}: {stderr.strip()[-300:]}")
    inject("after-setup")
    return lab


def problems(case: Case) -> list[str]:
    """Play the case; one line for each expectation that does not hold."""
    try:
        lab = open_case(case)
        shown = [play_line(lab, line) for line in case["commands"]]
    except Stuck as error:
        return [str(error)]
    found = [problem for wanted in case["expectation"] for problem in judge(lab, wanted, shown)]
    return found + [f"audit: {line}" for line in audit.violations(lab.cluster.journal.writes)]


def judge(lab: Lab, wanted: dict[str, Any], shown: list[Shown]) -> Iterator[str]:
    if "state" in wanted:
        yield from judge_state(lab, wanted["state"])
        return
    number = wanted["cmd"]
    stdout, stderr, code = shown[number - 1]
    for key, value in wanted.items():
        if key == "cmd":
            continue
        if key in ("exit", "exit_in"):
            holds, seen = code in (value if isinstance(value, list) else [value]), f"{code} ({stderr.strip()[-300:]})"
        elif key == "stdout_same_as":
            holds, seen = stdout == shown[value - 1][0], stdout
        else:
            stream, _, test = key.partition("_")
            seen = {"stdout": stdout, "stderr": stderr, "output": stdout + stderr}[stream]
            holds = TESTS[test](seen, value)
        if not holds:
            yield f"cmd {number}: {key} {value!r}, found {seen!r}"


def judge_state(lab: Lab, wanted: dict[str, Any]) -> Iterator[str]:
    node = lab.client.get("nodes", wanted["node"])
    for part, held in (("labels", labels_of(node)), ("allocatable", node["status"]["allocatable"])):
        for key, value in (wanted.get(part) or {}).items():
            if held.get(key) != value:
                yield f"{wanted['node']} {part} {key}: wanted {value!r}, found {held.get(key)!r}"


def _words(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _json(seen: str, value: Any) -> bool:
    try:
        return bool(json.loads(seen) == value)
    except ValueError:
        return False


def _number(seen: str) -> int | None:
    return int(seen) if re.fullmatch(r"\s*-?\d+\s*", seen) else None


TESTS: dict[str, Callable[[str, Any], bool]] = {
    "equals": lambda seen, value: seen.rstrip("\n") == value.rstrip("\n"),
    "exact": lambda seen, value: seen == value,
    "contains": lambda seen, value: all(word in seen for word in _words(value)),
    "not_contains": lambda seen, value: not any(word in seen for word in _words(value)),
    "regex": lambda seen, value: all(re.search(p, seen, re.MULTILINE) for p in _words(value)),
    "not_regex": lambda seen, value: not any(re.search(p, seen, re.MULTILINE) for p in _words(value)),
    "json": _json,
    "line_count_ge": lambda seen, value: len(seen.splitlines()) >= value,
    "int_ge": lambda seen, value: (number := _number(seen)) is not None and number >= value,
    "int_le": lambda seen, value: (number := _number(seen)) is not None and number <= value,
}
