"""`labsim doctor`: is this machine fit, and what would not work?"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec

from labsim import paths


def main(arguments: list[str]) -> int:
    if arguments:
        print("labsim doctor takes no arguments", file=sys.stderr)
        return 2
    bad = 0
    for fine, what, remedy in _findings():
        bad += not fine
        print(f"{'[ok]' if fine else '[!!]'} {what}" + ("" if fine else f": {remedy}"))
    return 1 if bad else 0


def _findings() -> list[tuple[bool, str, str]]:
    found = [
        (sys.version_info >= (3, 11), f"Python {sys.version.split()[0]}", "3.11 or newer is needed"),
    ]
    for module in ("bashkit", "yaml", "pydantic", "prompt_toolkit", "textual"):
        found.append((find_spec(module) is not None, f"module {module}", "run `make lab` again"))
    for name, folder in (("cache", paths.cache()), ("data", paths.data())):
        found.append((_writable(folder), f"{name} folder {folder}", "cannot be written; labs or worlds are not kept"))
    size = shutil.get_terminal_size()
    fits = size.columns >= 80 and size.lines >= 24
    found.append((fits, f"terminal {size.columns}x{size.lines}", "80x24 or more is needed for the full screen"))
    encoding = (sys.stdout.encoding or "").lower()
    found.append(("utf" in encoding, f"output encoding {encoding or 'unknown'}", "set a UTF-8 locale"))
    return found


def _writable(folder: os.PathLike[str]) -> bool:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
