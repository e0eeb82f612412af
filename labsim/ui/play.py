"""`labsim`, `labsim play`, `labsim resume`: choose the face and open the lab."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from labsim.lab import Lab, LabError
from labsim.ui import keeping


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim play", description="Play a ticket, or a free lab.")
    parser.add_argument("ticket", nargs="?", help="a ticket by id or path; without one you pick")
    parser.add_argument("--world", help="a free lab on this world")
    parser.add_argument("--seed", type=int, help="which variant (default: the first deployed one)")
    parser.add_argument("--plain", action="store_true", help="a line-by-line prompt instead of the full screen")
    parser.add_argument("--tickets", default="", help="a folder of tickets beside the shipped ones")
    options = parser.parse_args(arguments)
    if not options.plain and _terminal():
        from labsim.ui.tui.app import run

        return run(options.ticket, options.world, options.seed, options.tickets)
    seed = seed_for(options.ticket, options.seed, options.tickets)
    lab = Lab.open(options.world, options.ticket, seed, packs=options.tickets)
    keeping.keep(lab)
    return _plain(lab)


def seed_for(ticket: str | None, seed: int | None, packs: str) -> int:
    """The asked one, else the ticket's first deployed seed, else 1."""
    if seed is not None:
        return seed
    if ticket is None:
        return 1
    from labsim.tickets.catalogue import find

    return int(find(ticket, packs)["source"]["seeds"]["deployed"][0])


def resume(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="labsim resume", description="Go on with a saved lab.")
    parser.add_argument("file", nargs="?", help="a lab file (default: the one used last)")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args(arguments)
    path = Path(options.file) if options.file else keeping.latest()
    if path is None:
        raise LabError("there is no saved lab yet")
    lab = Lab.resume(path)
    if options.plain or not _terminal():
        return _plain(lab)
    from labsim.ui.tui.app import run_lab

    return run_lab(lab)


def _terminal() -> bool:
    """Can a full screen be drawn? (Textual draws on standard error.)"""
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _plain(lab: Lab) -> int:
    from labsim.ui.repl.main import run

    return run(lab)
