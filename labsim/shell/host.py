"""What a simulated host has before anything is typed: programs in /usr/bin, devices, a few files under /etc."""

from __future__ import annotations

from functools import lru_cache

from labsim.commands import registry
from labsim.shell.engine import Handle, new_files
from labsim.sim import names as chance

# Programs of the engine that exist on the real host as well and are right enough to be used as they are.
NATIVE = tuple(
    """arch awk b2sum base32 base64 basename basenc bash bc bunzip2 bzcat bzip2 cat chgrp chmod chown cksum cmp
    column comm cp cut dd diff dirname du
    echo egrep env envsubst expand expr factor false fgrep file find flock fmt fold gawk grep
    gunzip gzip head hexdump iconv install join jq kill link ln locale logname mawk md5sum mkdir mkfifo mv nice nl
    nohup numfmt od paste patch pgrep pkill pr printenv printf pwd readlink realpath rev rm rmdir sed seq sh sha1sum
    sha224sum sha256sum sha384sum sha512sum shasum sort split strings sum sync tac tail tar tee test touch tr tree true
    truncate tsort unexpand uniq unlink unzip users wc xargs xxd yes zip""".split()
)
# Of these, what a shell does itself, whatever files there are.
SHELL_OWN = frozenset("echo false kill printf pwd test true which".split())
# Programs of the engine that no such host has: a shell must say "command not found".
FOREIGN = tuple(
    "assert busybox csv dotenv glob http json log parallel retry rg semver template tomlq verify yaml yq".split()
)
_RANDOM_BYTES = 16384


def called(image: frozenset[str] | None) -> tuple[str, ...]:
    """The names that the engine hands over to the shell: programs of labsim, and what it must not answer by itself.

    `image`: all programs of a container, None on a host. What the engine has and the image has not is "command not
    found", what the image has and nobody plays says so.
    """
    own = (*registry.names(), *FOREIGN)
    if image is None:
        return own
    return (*own, *sorted({*NATIVE} - image - SHELL_OWN), *sorted(image - {*NATIVE, *own} - SHELL_OWN))


@lru_cache(maxsize=32)
def programs(image: frozenset[str] | None = None) -> Handle:
    """/usr/bin: one small script a program, so that `which`, `type` and full paths work. Shared, read only."""
    files = new_files()
    for name in sorted({*NATIVE, *registry.names()} if image is None else image):
        if "/" not in name:
            files.write_file("/" + name, f'#!/bin/sh\nexec {name} "$@"\n'.encode())
            files.chmod("/" + name, 0o755)
    return files


@lru_cache(maxsize=32)
def _noise(seed: int, host: str) -> tuple[bytes, bytes]:
    blocks = [chance.digest(seed, "urandom", host, block) for block in range(_RANDOM_BYTES // 32)]
    return b"".join(blocks), b"".join(reversed(blocks))


def devices(seed: int, host: str) -> Handle:
    """/dev: the random devices give the seed's bytes, always the same ones."""
    files = new_files()
    random, urandom = _noise(seed, host)
    content = {"null": b"", "zero": bytes(_RANDOM_BYTES), "random": random, "urandom": urandom}
    for name, data in content.items():
        files.write_file("/" + name, data)
    for name in ("stdin", "stdout", "stderr", "tty"):
        files.write_file("/" + name, b"")
    return files


def mounts(seed: int, host: str, image: frozenset[str] | None = None) -> dict[str, tuple[Handle, bool]]:
    return {"/usr/bin": (programs(image), True), "/bin": (programs(image), True), "/dev": (devices(seed, host), False)}


def start_files(host: str, user: str, home: str) -> dict[str, str]:
    """Path -> text. Ubuntu 22.04, which DGX OS 6 builds on."""
    release = (
        'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\n'
        'VERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\nHOME_URL="https://www.ubuntu.com/"\n'
        'SUPPORT_URL="https://help.ubuntu.com/"\nBUG_REPORT_URL="https://bugs.launchpad.net/ubuntu/"\n'
        'PRIVACY_POLICY_URL="https://www.ubuntu.com/legal/terms-and-policies/privacy-policy"\nUBUNTU_CODENAME=jammy\n'
    )
    passwd = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    if user != "root":
        passwd += f"{user}:x:1000:1000:{user}:{home}:/bin/bash\n"
    return {
        "/etc/os-release": release,
        "/etc/hostname": host + "\n",
        "/etc/hosts": f"127.0.0.1\tlocalhost\n127.0.1.1\t{host}\n",
        "/etc/passwd": passwd,
    }


FOLDERS = (
    "/bin",
    "/dev",
    "/etc",
    "/home",
    "/root",
    "/tmp",
    "/usr/bin",
    "/usr/local/bin",
    "/var/log",
    "/var/tmp",
    "/opt",
)
