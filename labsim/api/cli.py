"""`labsim api`: serve a lab until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
from importlib.util import find_spec
from pathlib import Path

from labsim.api.clocks import MODES, Clock
from labsim.lab import Lab

_NEEDED = ("starlette", "uvicorn", "websockets")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="labsim api", description="Serve a lab as a Kubernetes API on 127.0.0.1, for the real kubectl and others."
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--world", help="a world by name or path (default dgx-h100-busy)")
    what.add_argument("--ticket", help="a ticket by id or path; it is graded at the end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--host", default="127.0.0.1", help="the address; only 127.0.0.1 is served")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--kubeconfig", metavar="FILE", help="where to write the kubeconfig (default: a new folder)")
    parser.add_argument("--save", metavar="FILE", help="keep the lab as its inputs (see labsim resume)")
    parser.add_argument("--clock", default="tick:10", metavar="MODE", help=f"{MODES} (default tick:10)")
    parser.add_argument("--tickets", default="", help="a folder of tickets beside the shipped ones")
    options = parser.parse_args(arguments)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        return _refuse(f"needs {', '.join(missing)}: pip install 'labsim[api]'")
    if options.host not in ("127.0.0.1", "localhost"):
        return _refuse(f"--host {options.host}: only loopback is served (others need TLS and a token: not there yet)")
    if not 0 <= options.port < 1 << 16:
        return _refuse(f"--port {options.port}: not a port")
    lab = Lab.open(options.world, options.ticket, options.seed, packs=options.tickets)
    try:
        Clock(lab, options.clock)
    except ValueError as error:
        return _refuse(str(error))
    if options.save:
        lab.save(options.save)
    return _serve(lab, options)


def _refuse(text: str) -> int:
    print(f"labsim api: {text}", file=sys.stderr)
    return 2


def _serve(lab: Lab, options: argparse.Namespace) -> int:
    from labsim.api import server

    path = Path(options.kubeconfig) if options.kubeconfig else Path(tempfile.mkdtemp(prefix="labsim-")) / "config"
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ending.set())
    try:
        running = server.start(lab, options.port, options.clock)
    except OSError as error:
        return _refuse(f"port {options.port}: {error.strerror}")
    try:
        with open(path, "w", encoding="utf-8", opener=_private) as stream:
            stream.write(running.kubeconfig)
        print(f"{running.url}  KUBECONFIG={path}", flush=True)
        ending.wait()
    except OSError as error:
        return _refuse(f"{path}: {error.strerror}")
    finally:
        running.stop()
        if not options.kubeconfig:
            path.unlink(missing_ok=True)
            path.parent.rmdir()
    if lab.ticket is None:
        return 0
    grade = lab.submit()
    print(f"score {grade.score}")
    return 0 if grade.score == 100 else 1


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
