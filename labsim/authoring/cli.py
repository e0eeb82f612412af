"""`labsim ticket lint|prove|schema`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from labsim.documents import DocumentError
from labsim.tickets import catalogue


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim ticket", description="Tools for ticket authors.")
    parser.add_argument("--tickets", default="", help="a folder of tickets beside the shipped ones")
    commands = parser.add_subparsers(dest="command", required=True)
    lint = commands.add_parser("lint", help="read ticket files and say what is wrong, with file and line")
    lint.add_argument("ticket", nargs="*", help="ids or paths (default: the whole catalogue)")
    lint.add_argument(
        "--world", action="store_true", help="also open every seed: goals false, guards true, symptoms there"
    )
    prove = commands.add_parser("prove", help="play every answer and reject on every seed")
    prove.add_argument("ticket", nargs="*", help="ids or paths (default: the whole catalogue)")
    prove.add_argument("--seed", type=int, action="append", help="only this seed (may be given several times)")
    prove.add_argument("--json", action="store_true", help="one JSON object a route")
    commands.add_parser("schema", help="print the JSON Schema of ticket files")
    options = parser.parse_args(arguments)
    if options.command == "schema":
        from labsim.tickets.schema import Ticket

        print(json.dumps(Ticket.model_json_schema(by_alias=True), indent=2))
        return 0
    wanted = options.ticket or [str(path) for path in catalogue.files(options.tickets)]
    return _lint(wanted, options) if options.command == "lint" else _prove(wanted, options)


def _lint(wanted: list[str], options: argparse.Namespace) -> int:
    """2 when a file cannot be used at all, 1 when it can but a rule is broken."""
    from labsim.tickets import lint

    unusable, findings = 0, 0
    for ticket in wanted:
        try:
            compiled = catalogue.find(ticket, options.tickets)
            found = lint.static(Path(compiled["path"]))
        except DocumentError as error:
            print(error, file=sys.stderr)
            unusable += 1
            continue
        if options.world:
            found += _at_the_start(compiled)
        for finding in found:
            print(finding, file=sys.stderr)
        findings += len(found)
    return 2 if unusable else int(findings > 0)


def _at_the_start(compiled: dict[str, Any]) -> list[DocumentError]:
    from labsim.lab import Lab, LabError
    from labsim.tickets import lint

    path, seeds, found = Path(compiled["path"]), compiled["source"]["seeds"], []
    for seed in [*seeds["deployed"], *seeds["exam_only"]]:
        try:
            lab = Lab.open(ticket=str(path), seed=seed)
        except LabError as error:
            found.append(DocumentError(path.name, 0, "", f"a set-up that runs (seed {seed}: {error})"))
            continue
        assert lab.ticket is not None
        found += lint.fresh(path, lab.ticket, lab)
    return found


def _prove(wanted: list[str], options: argparse.Namespace) -> int:
    from labsim.authoring.prove import prove

    bad = 0
    for ticket in wanted:
        for proof in prove(ticket, options.seed, options.tickets):
            bad += bool(proof.problems)
            if options.json:
                print(json.dumps(asdict(proof)))
            else:
                state = "FAILED" if proof.problems else "ok"
                print(
                    f"{proof.ticket}  seed {proof.seed}  {proof.route:<40} score {proof.score:>3}  {state}", flush=True
                )
                for problem in proof.problems:
                    print(f"    {problem}")
    return 1 if bad else 0
