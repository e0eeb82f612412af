"""Program name -> where its function lives. Nothing is imported before the first call (design.md promise 7).

Adding a program is adding its file and one line here. A module may also define
`complete(ctx, words, index) -> list[str]`:
the candidates for Tab, given the line's words with the one under the cursor at `index`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from labsim.commands.base import Context, Program
from labsim.commands.notsimulated import PROGRAMS as NOT_SIMULATED

Complete = Callable[[Context, list[str], int], list[str]]

_HOST = "labsim.commands.host"
PROGRAMS: dict[str, str] = {
    "kubectl": "labsim.commands.kubectl.main:main",
    "nvidia-mig-parted": "labsim.commands.nvidia_mig_parted:main",
    "nvidia-smi": "labsim.commands.nvidia_smi.main:main",
    "chroot": f"{_HOST}.chroot:main",
    "clear": f"{_HOST}.system:clear",
    "cmp": f"{_HOST}.texts:cmp",
    "date": f"{_HOST}.date:main",
    "df": f"{_HOST}.sizes:df",
    "dmesg": f"{_HOST}.dmesg:main",
    "free": f"{_HOST}.sizes:free",
    "groups": f"{_HOST}.system:groups",
    "hostname": f"{_HOST}.system:hostname",
    "hostnamectl": f"{_HOST}.facts:hostnamectl",
    "id": f"{_HOST}.system:identity",
    "ip": f"{_HOST}.network:ip",
    "journalctl": f"{_HOST}.journalctl:main",
    "less": f"{_HOST}.paging:main",
    "ls": f"{_HOST}.ls:main",
    "lscpu": f"{_HOST}.facts:lscpu",
    "lsmod": f"{_HOST}.modules:lsmod",
    "lspci": f"{_HOST}.lspci:main",
    "man": f"{_HOST}.manual:main",
    "mktemp": f"{_HOST}.chance:mktemp",
    "modinfo": f"{_HOST}.modules:modinfo",
    "more": f"{_HOST}.paging:main",
    "nano": f"{_HOST}.editor:main",
    "nproc": f"{_HOST}.system:nproc",
    "ping": f"{_HOST}.network:ping",
    "ps": f"{_HOST}.ps:main",
    "reboot": f"{_HOST}.power:reboot",
    "shuf": f"{_HOST}.chance:shuf",
    "shutdown": f"{_HOST}.power:shutdown",
    "sleep": f"{_HOST}.sleep:main",
    "ssh": f"{_HOST}.remote:ssh",
    "stat": f"{_HOST}.stat:main",
    "sudo": f"{_HOST}.remote:sudo",
    "systemctl": f"{_HOST}.systemctl:main",
    "timeout": f"{_HOST}.repeat:timeout",
    "tty": f"{_HOST}.system:tty",
    "uname": f"{_HOST}.system:uname",
    "uptime": f"{_HOST}.facts:uptime",
    "uuidgen": f"{_HOST}.chance:uuidgen",
    "vi": f"{_HOST}.editor:main",
    "vim": f"{_HOST}.editor:main",
    "watch": f"{_HOST}.repeat:watch",
    "wc": f"{_HOST}.texts:wc",
    "whoami": f"{_HOST}.system:whoami",
}
_REFUSED = "labsim.commands.notsimulated:main"


def names() -> list[str]:
    """Every program a shell can call, played or refused, sorted."""
    return sorted({*PROGRAMS, *NOT_SIMULATED})


def location(name: str) -> str | None:
    """`module:function` of a program; None for a name that exists nowhere."""
    return PROGRAMS.get(name) or (_REFUSED if name in NOT_SIMULATED else None)


def load(name: str) -> Program | None:
    where = location(name)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return cast(Program, getattr(import_module(module), function))


def completer(name: str) -> Complete | None:
    where = PROGRAMS.get(name)
    if where is None:
        return None
    return cast("Complete | None", getattr(import_module(where.partition(":")[0]), "complete", None))
