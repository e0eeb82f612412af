"""Everything `make test` checks, part by part, each with its seconds. Ends with 1 if any part failed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
# Two workers: the suite is sized for two cores.
WORKERS = ["-n", "2", "--dist", "worksteal"]


def pytest(*paths: str, mark: str = "not long") -> list[str]:
    there = [p for p in paths if (ROOT / p).exists()]
    return [str(BIN / "python"), "-m", "pytest", *WORKERS, "-m", mark, *there]


PARTS: list[tuple[str, list[str]]] = [
    ("lint", [str(BIN / "ruff"), "check", "labsim", "tests", "tools"]),
    ("format", [str(BIN / "ruff"), "format", "--check", "--quiet", "labsim", "tests", "tools"]),
    ("types", [str(BIN / "mypy")]),
    ("imports", [str(BIN / "lint-imports"), "--cache-dir", ".import_linter_cache"]),
    ("unit", pytest("tests/unit")),
    ("property", pytest("tests/property")),
    ("conformance", pytest("tests/conformance")),
    ("oracle", pytest("tests/oracle")),
    ("api", pytest("tests/api")),
    ("tickets", pytest("tests/tickets")),
    ("ui", pytest("tests/ui")),
]
LONG: list[tuple[str, list[str]]] = [("long", pytest("tests", mark="long"))]


def main() -> int:
    os.chdir(ROOT)
    fetched = subprocess.run([sys.executable, "tools/fetch_oracle.py"], check=False).returncode
    if fetched and os.environ.get("LABSIM_ORACLE") == "required":
        print("the real kubectl is required and cannot be had", file=sys.stderr)
        return 1
    failed = []
    times = []
    for name, command in LONG if "--long" in sys.argv else PARTS:
        print(f"== {name}", flush=True)
        begun = time.monotonic()
        code = subprocess.run(command, check=False).returncode
        times.append((name, time.monotonic() - begun, code))
        if code:
            failed.append(name)
    print("\n".join(f"{name:<12} {seconds:6.1f} s  {'ok' if not code else 'FAILED'}" for name, seconds, code in times))
    print(f"{'all':<12} {sum(s for _, s, _ in times):6.1f} s")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
