"""labsim in a real pseudo-terminal: what a person's terminal would get."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path


class Session:
    """`labsim ARGUMENTS` on a pty; always `close` it."""

    def __init__(self, arguments: list[str], data: Path, size: tuple[int, int] = (80, 24), **extra: str) -> None:
        environment = {**os.environ, "XDG_DATA_HOME": str(data), "TERM": "xterm-256color"}
        environment |= {"PROMPT_TOOLKIT_NO_CPR": "1", **extra}
        environment.pop("COLORTERM", None)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "labsim.cli", *arguments], environment)
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.text = ""
        self.seen = 0
        self.status: int | None = None

    def send(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def expect(self, words: str, seconds: float = 15) -> str:
        """What came up to `words`, from where the last `expect` stopped. AssertionError after so many seconds."""
        end = time.monotonic() + seconds
        while words not in self.text[self.seen :]:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{words!r} did not come; last: {self.text[-800:]!r}")
        stop = self.text.index(words, self.seen) + len(words)
        found, self.seen = self.text[self.seen : stop], stop
        return found

    def _read(self, seconds: float) -> bool:
        if seconds <= 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is gone
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def ended(self, seconds: float = 15) -> int:
        """The exit code, once it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        raise AssertionError(f"it did not end; last: {self.text[-800:]!r}")

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.status = -9

    def close(self) -> None:
        if self.status is None:
            self.kill()
        os.close(self.fd)
