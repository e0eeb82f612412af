"""Where the real kubectl is, for the tests that let it judge."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def kubectl_path() -> str | None:
    """$LABSIM_KUBECTL, else the copy in the cache folder, else None."""
    for candidate in (os.environ.get("LABSIM_KUBECTL"), str(Path.home() / ".cache/labsim/oracle/kubectl")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def kubectl(*args: str, stdin: str = "", kubeconfig: str = "/dev/null") -> subprocess.CompletedProcess[str]:
    """Run the real kubectl without any of the user's configuration."""
    path = kubectl_path()
    assert path is not None
    return subprocess.run(
        [path, *args],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=30,
        check=False,
        env={"HOME": "/nonexistent", "PATH": os.defpath, "KUBECONFIG": kubeconfig, "TZ": "UTC"},
    )
