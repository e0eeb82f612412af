"""`labsim explain STEP FILE`: what happened in one input of a saved lab: reconciles and writes, in order."""

from __future__ import annotations

import argparse

from labsim.lab import Lab, LabError
from labsim.sim.clock import rfc3339
from labsim.telling import describe
from labsim.ui import keeping


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim explain", description="What happened when an input was played.")
    parser.add_argument("input", type=int, help="the number of the input, from 1")
    parser.add_argument("file", nargs="?", help="a lab file (default: the one used last)")
    parser.add_argument("--hidden", action="store_true", help="also what lies outside the API (hardware, containers)")
    options = parser.parse_args(arguments)
    path = options.file or keeping.latest()
    if path is None:
        raise LabError("there is no saved lab yet")
    for line in explain(Lab.resume(path), options.input, options.hidden):
        print(line)
    return 0


def explain(lab: Lab, number: int, hidden: bool = False) -> list[str]:
    """The input is played again with the loop's trace on; the lab is left as it was."""
    entry = lab.past_input(number)
    if entry is None:
        raise LabError(f"there is no input {number} (this lab has {lab.inputs})")
    while lab.inputs >= number:
        lab.undo()
    trace: list[tuple[int, str]] = []
    loop = lab.cluster.loop
    loop.trace = lambda name, key, now: trace.append((now, f"reconcile {name} {'/'.join(key)}"))
    failed = len(loop.failures)
    lab.redo()
    loop.trace = None
    trace += [(at, f"failed: {name} {'/'.join(key)}: {text}") for at, name, key, text in loop.failures[failed:]]
    scheme = lab.cluster.api.scheme
    writes = []
    for write in lab.cluster.journal.writes:
        resource = scheme.find(write.resource)
        if write.input == number and (hidden or resource is None or not resource.hidden):
            writes.append((write.time, describe(write)))
    lines = [f"input {number}: {entry.get('line', entry['kind'])}", f"{len(trace)} reconciles, {len(writes)} writes"]
    for now in sorted({at for at, _ in (*trace, *writes)}):
        lines.append(rfc3339(now))
        lines += [f"  {text}" for at, text in trace if at == now]
        lines += [f"    {text[9:]}" for at, text in writes if at == now]
    return lines
