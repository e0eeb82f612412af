"""The front door. Every subcommand imports its module when called, so `labsim --help` stays instant."""

from __future__ import annotations

import sys

USAGE = """\
labsim: a GPU cluster in your terminal

  labsim                        pick a ticket or a free lab in the terminal UI
  labsim play [TICKET]          one ticket, or a free lab  [--plain] [--seed N] [--world W]
  labsim resume [FILE]          go on with the last lab, or the one in FILE  [--plain]
  labsim run [SCRIPT | -]       headless  [--world W | --ticket T] [--seed N] [--json] [-c LINE] [--answer ID]
  labsim tickets                the catalogue
  labsim ticket COMMAND         for authors: lint, prove, schema
  labsim explain STEP FILE      what happened in a step of a saved lab
  labsim api                    serve a lab to the real kubectl  [--world W | --ticket T] [--clock tick:F|step|frozen]
  labsim doctor                 is this machine fit?

  labsim COMMAND --help         the options of one command
  --tickets DIR                 a folder of tickets beside the shipped ones (or LABSIM_TICKETS)
  --version                     print the version
"""

# Subcommand -> module:function. The function takes the remaining arguments and returns the exit code.
COMMANDS = {
    "play": "labsim.ui.play:main",
    "resume": "labsim.ui.play:resume",
    "run": "labsim.ui.headless:main",
    "tickets": "labsim.ui.catalogue:main",
    "ticket": "labsim.authoring.cli:main",
    "explain": "labsim.ui.explain:main",
    "doctor": "labsim.ui.doctor:main",
    "api": "labsim.api.cli:main",
}
NOT_YET = ("exam", "drill", "quiz", "cards", "review", "report", "reference", "serve")


def main(argv: list[str] | None = None) -> int:
    """Dispatch. Exit codes: 0 done, 1 a ticket or check failed, 2 wrong usage or an unreadable file."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    if arguments and arguments[0] == "--version":
        from labsim import __version__

        print(f"labsim {__version__}")
        return 0
    if not arguments or arguments[0].startswith("-"):
        arguments.insert(0, "play")
    name, *rest = arguments
    if name in NOT_YET:
        print(f"labsim: {name} is not there yet (see labsim --help)", file=sys.stderr)
        return 2
    if name not in COMMANDS:
        print(f"labsim: no command {name!r} (see labsim --help)", file=sys.stderr)
        return 2
    return _call(COMMANDS[name], rest)


def _call(where: str, arguments: list[str]) -> int:
    import atexit
    import gc
    from importlib import import_module

    # What is there at the end goes with the process; nobody needs to search it for garbage once more.
    atexit.register(gc.freeze)
    module, _, function = where.partition(":")
    try:
        return int(getattr(import_module(module), function)(arguments))
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if not _expected(error):
            raise
        print(f"labsim: {error}", file=sys.stderr)
        return 2


def _expected(error: Exception) -> bool:
    """Errors that are one clear line for a person; anything else is a fault of labsim and shows its traceback."""
    return type(error).__name__ in ("DocumentError", "LabError", "RecipeError", "FaultError", "BuildError")


if __name__ == "__main__":
    raise SystemExit(main())
