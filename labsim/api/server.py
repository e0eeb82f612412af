"""Serve an open lab: `start(lab)` in a thread of its own, for the command, the terminal UI and tests."""

from __future__ import annotations

import socket
import threading

import uvicorn

from labsim.api.app import App
from labsim.api.clocks import Clock
from labsim.api.handling import Handler
from labsim.lab import Lab
from labsim.shell import kubeconfig

HOST = "127.0.0.1"


class Running:
    """A served lab. `kubeconfig` is the text of a file that leads to it; `stop()` ends it and waits for the end."""

    def __init__(self, lab: Lab, port: int, clock: Clock) -> None:
        self.lab, self.clock = lab, clock
        self.handler = Handler(lab, clock)
        self.app = App(self.handler)
        # Bound here, so that a port that is taken is an OSError of this call (rest-api.md 5.8).
        self._socket = socket.create_server((HOST, port))
        self.port = int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            self.app, log_config=None, log_level="critical", access_log=False, lifespan="off", ws="websockets-sansio",
            timeout_graceful_shutdown=2, server_header=False,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="labsim-api", daemon=True)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def kubeconfig(self) -> str:
        return kubeconfig.open_text(self.url)

    def begin(self) -> None:
        self._thread.start()
        self.clock.start()

    def stop(self) -> None:
        self.app.closing = True
        self.clock.stop()
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def start(lab: Lab, port: int = 0, clock: str = "tick") -> Running:
    """Serve `lab` on a loopback port (0: any free one). Raises OSError (the port) and ValueError (the clock's mode)."""
    running = Running(lab, port, Clock(lab, clock))
    running.begin()
    return running
