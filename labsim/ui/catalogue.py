"""`labsim tickets`: what there is to play."""

from __future__ import annotations

import argparse

from labsim.tickets import catalogue


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim tickets", description="List the tickets.")
    parser.add_argument("--tickets", default="", help="a folder of tickets beside the shipped ones")
    options = parser.parse_args(arguments)
    rows = [("TICKET", "LEVEL", "MINUTES", "SEEDS", "OBJECTIVES")]
    for path in catalogue.files(options.tickets):
        source = catalogue.compiled(path)["source"]
        objectives = ", ".join(f"{o['exam']} {o['objective']}" for o in source["blueprint"]) or "context only"
        minutes = str(round(source["target_seconds"] / 60))
        rows.append((source["id"], source["level"], minutes, str(len(source["seeds"]["deployed"])), objectives))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("   ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0
