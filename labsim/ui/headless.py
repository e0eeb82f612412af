"""`labsim run`: lines from -c, a script or stdin, without a face."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from pathlib import Path
from typing import Any

from labsim.authoring.prove import act
from labsim.lab import Lab, LabError


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim run", description="Run lines in a lab without a face.")
    source = parser.add_argument_group("lines (one of)")
    source.add_argument("-c", metavar="LINE", action="append", help="a line to run; may be given several times")
    source.add_argument("script", nargs="?", help="a file of lines, or - for standard input")
    source.add_argument("--answer", metavar="ID", help="play an answer of the ticket")
    source.add_argument("--reject", metavar="ID", help="play a reject of the ticket")
    parser.add_argument("--world", help="a world by name or path (default dgx-h100-busy)")
    parser.add_argument("--ticket", help="a ticket by id or path; it is graded at the end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object a line, the grade last")
    parser.add_argument("--tickets", default="", help="a folder of tickets beside the shipped ones")
    options = parser.parse_args(arguments)
    gc.disable()  # a world is nothing but what stays
    try:
        lab = Lab.open(options.world, options.ticket, options.seed, packs=options.tickets)
    finally:
        gc.enable()
    code = 0
    for step in _steps(lab, options):
        code = play(lab, step, options.json)
        sys.stdout.flush()
    if options.ticket is None:
        if options.json:
            print(json.dumps({"grade": None, "state_hash": lab.state_hash()}))
        return code
    grade = lab.submit()
    if options.json:
        print(json.dumps({"grade": grade.data(), "state_hash": lab.state_hash()}))
    else:
        _show(grade.data())
    return 0 if grade.score == 100 else 1


def _steps(lab: Lab, options: Any) -> list[dict[str, Any]]:
    if options.answer or options.reject:
        if lab.ticket is None:
            raise LabError("--answer and --reject need --ticket")
        kind, wanted = ("answers", options.answer) if options.answer else ("rejects", options.reject)
        for route in lab.ticket[kind]:
            if route["id"] == wanted:
                return list(route["steps"])
        raise LabError(
            f"the ticket has no {kind[:-1]} {wanted} (it has {', '.join(r['id'] for r in lab.ticket[kind])})"
        )
    if options.c:
        return [{"line": line} for line in options.c]
    if options.script is None or options.script == "-":
        text = sys.stdin.read()
    else:
        try:
            text = Path(options.script).read_text("utf-8", "surrogateescape")
        except OSError as error:
            raise LabError(f"{options.script}: {error.strerror}") from None
    return [{"line": line} for line in whole_lines(lab, text)]


def whole_lines(lab: Lab, text: str) -> list[str]:
    """Split a script where bash would have run a command: heredocs and open quotes stay in one piece."""
    found: list[str] = []
    pending = ""
    for line in text.splitlines():
        pending = f"{pending}\n{line}" if pending else line
        if lab.shell.complete_line(pending):
            found.append(pending)
            pending = ""
    return [*found, pending] if pending else found


def play(lab: Lab, step: dict[str, Any], as_json: bool) -> int:
    """One step of a route or script; prints what it printed."""
    ((kind, value),) = [(k, v) for k, v in step.items() if v is not None]
    outcome = act(lab, step)
    if as_json:
        body = {
            kind: value, "exit": outcome.exit_code, "stdout": outcome.stdout, "stderr": outcome.stderr,
            "step": outcome.step, "time": outcome.time,
        }  # fmt: skip
        print(json.dumps(body))
    else:
        for stream, text in outcome.screen:
            out = sys.stdout if stream == "stdout" else sys.stderr
            out.write(text)
            out.flush()
    return outcome.exit_code


def _show(grade: dict[str, Any]) -> None:
    marks = {"pass": "[x]", "fail": "[ ]", "error": "[!]"}
    for item in (*grade["goals"], *grade["guards"]):
        print(
            f"{marks[item['status']]} {item['id']}: {item['read']}: expected {item['expected']}, found {item['found']}"
        )
    print(f"score {grade['score']} of 100")
